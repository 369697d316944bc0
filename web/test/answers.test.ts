// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  allInWords, choose, finished, hasOther, isAnswered, isRecommended, isSimple, isTouched, remark, shownLabel, takesText, write,
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

test("the recommended badge belongs to the first label, and is left out of what is read", () => {
  assert.equal(isRecommended(question(), 0), true);
  assert.equal(isRecommended(question({ options: [{ label: "B", description: "" }, { label: "A (Recommended)", description: "" }] }), 1), false);
  const pair = question({ options: ["A (Recommended)", "A"].map((label) => ({ label, description: "" })) });
  assert.deepEqual(pair.options.map(({ label }) => shownLabel(pair, label)), ["A", "A"]);
  const twin = question({ options: ["A", "A (Recommended)"].map((label) => ({ label, description: "" })) });
  assert.deepEqual(twin.options.map(({ label }) => shownLabel(twin, label)), ["A", "A (Recommended)"]);
  const bare = question({ options: [{ label: "(Recommended)", description: "" }] });
  assert.equal(shownLabel(bare, "(Recommended)"), "(Recommended)");
  assert.equal(allInWords(ask([pair]), [{ selected: ["A (Recommended)"], other: " x " }]), "A, x");
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
  const own = question({ options: [{ label: "A", description: "" }, { label: "Other", description: "" }] });
  assert.equal(hasOther(own), true);
  assert.deepEqual(finished([write(own, choose(own, { selected: [] }, "Other"), " C ")]), [{ selected: [], other: "C" }]);
  assert.deepEqual(finished([{ selected: ["Other"] }]), [{ selected: ["Other"] }]);
  assert.equal(takesText(question({ custom: false })), false);
  assert.equal(takesText(question({ custom: false, options: [] })), true);
});
