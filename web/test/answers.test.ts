// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  allInWords, choose, finished, firstAnswers, hasOther, isAnswered, isReady, isRecommended, isSimple, isTouched, remark, shownLabel, write,
} from "../src/model/answers";
import { ask, question } from "./asks";

const many = question({ multi_select: true });

test("a single choice replaces another, and what was typed", () => {
  const typed = write(question(), { selected: ["B"] }, "C");
  assert.deepEqual(typed, { selected: [], other: "C" });
  assert.deepEqual(choose(question(), typed, "B"), { selected: ["B"] });
});

test("several choices come in the order of the options, whatever the order of the clicks", () => {
  const answer = choose(many, choose(many, { selected: [] }, "B"), "A (Recommended)");
  assert.deepEqual(answer.selected, ["A (Recommended)", "B"]);
  assert.deepEqual(choose(many, answer, "B").selected, ["A (Recommended)"]);
  assert.deepEqual(write(many, answer, "C"), { selected: ["A (Recommended)", "B"], other: "C" });
});

test("a label is read as the broker says, and so is what it recommends", () => {
  const pair = question({
    options: [
      { label: "A (Recommended)", description: "", shown: "A", recommended: true },
      { label: "B (Recommended)", description: "" },
    ],
  });
  assert.deepEqual(pair.options.map(({ label }) => shownLabel(pair, label)), ["A", "B (Recommended)"]);
  assert.deepEqual(pair.options.map((_, index) => isRecommended(pair, index)), [true, false]);
  assert.equal(allInWords(ask([pair]), [{ selected: ["A (Recommended)"], other: " x " }]), "A, x");
});

test("what the asker suggests is marked, and is no answer of anybody's", () => {
  const both = question({ multi_select: true, default: ["B", "none of these"] });
  assert.deepEqual(firstAnswers(ask([both, question()])), [{ selected: ["B"], other: "none of these" }, { selected: [] }]);
});

test("as many choices as are wanted, and nothing where that may be", () => {
  const two = question({ multi_select: true, min: 2, max: 2 });
  assert.equal(isReady(two, { selected: ["B"] }), false);
  assert.equal(isReady(two, { selected: ["B"], other: "C" }), true);
  assert.equal(isReady(two, { selected: ["A (Recommended)", "B"], other: "C" }), false);
  assert.equal(isReady(two, { selected: [] }), false);
  assert.equal(isReady(question({ required: false, multi_select: true, min: 2 }), { selected: [] }), true);
});

test("a kind that this page does not know is answered by a text, and the broker judges it", () => {
  const later = question({ kind: "riddle" as never, options: [], min: 40 });
  assert.equal(isReady(later, { selected: [], other: "42" }), true);
  assert.equal(isReady(later, { selected: [] }), false);
  assert.equal(isSimple(ask([later])), false);
});

test("white space is no answer, and a note alone is none either", () => {
  assert.equal(isAnswered({ selected: [], other: "  \n" }), false);
  assert.equal(isAnswered(undefined), false);
  assert.equal(isAnswered({ selected: [], note: "n" }), false);
  assert.equal(isTouched([{ selected: [], note: "n" }]), true);
  assert.deepEqual(remark({ selected: [], note: "n" }, ""), { selected: [] });
});

test("one click is enough for one question with one choice", () => {
  assert.equal(isSimple(ask()), true);
  assert.equal(isSimple(ask([many])), false);
  assert.equal(isSimple(ask([question(), question()])), false);
  assert.equal(isSimple(ask([question({ options: [] })])), false);
});

test("an Other of the agent's own is sent as what was typed", () => {
  const own = question({ options: [{ label: "A", description: "" }, { label: "Other", description: "", opens_text: true }] });
  assert.equal(hasOther(own), true);
  assert.deepEqual(finished(ask([own]), [write(own, choose(own, { selected: [] }, "Other"), " C ")]), [{ selected: [], other: "C" }]);
  assert.deepEqual(finished(ask([own]), [{ selected: ["Other"] }]), [{ selected: ["Other"] }]);
});
