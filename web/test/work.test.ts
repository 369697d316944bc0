// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { take } from "../src/model/state";
import { Work, workOn } from "../src/model/work";
import type { Answer, Ask } from "../src/model/types";
import { ask, ended, question } from "./asks";
import { answerWith, calls, happen, json, stored, until } from "./browser";

const none = () => json(404, { detail: "none" });
const kept = (one: Ask): string | undefined => stored.get(`parley.draft.${one.id}`);

function opened(one = ask([question(), question({ question: "Else?" })])): Ask {
  take([{ type: "ask.opened", ask: one, id: "1" }]);
  return one;
}

async function begun(one: Ask): Promise<Work> {
  answerWith(({ method }) => (method === "GET" ? none() : json(204, null)));
  const work = workOn(one);
  await until(() => work.isLoaded.value);
  return work;
}

test("what is typed is kept in the browser at once and on the broker soon", async () => {
  const one = opened();
  const work = await begun(one);
  work.set(0, { selected: [], other: "ha" });
  assert.ok(kept(one));
  work.set(0, { selected: [], other: "half" });
  assert.equal(work.saving.value, "unsaved");
  await until(() => work.saving.value === "saved");
  const puts = calls.filter(({ method }) => method === "PUT");
  assert.deepEqual(puts.map(({ body }) => body), [{ answers: [{ selected: [], other: "half" }, { selected: [] }] }]);
  assert.equal(kept(one), undefined);
  work.set(0, { selected: [] });
  await until(() => calls.some(({ method }) => method === "DELETE"));
});

test("without a connection it stays in the browser, and another page begins with it", async () => {
  const one = opened();
  const work = await begun(one);
  answerWith(() => undefined);
  work.set(1, { selected: ["B"] });
  await until(() => calls.some(({ method }) => method === "PUT") && work.saving.value === "unsaved");
  const again = new Work(one);
  assert.deepEqual(again.answers.value, [{ selected: [] }, { selected: ["B"] }]);
  await until(() => again.isLoaded.value);
  answerWith(() => json(204, null));
  work.flush();
  await until(() => work.saving.value === "saved");
  assert.equal(kept(one), undefined);
});

test("a draft of another device is taken, without what was changed here", async () => {
  const one = opened();
  const work = await begun(one);
  work.set(0, { selected: ["B"] });
  const theirs: Answer[] = [{ selected: ["A (Recommended)"] }, { selected: [], other: "x" }];
  take([{ type: "ask.draft", ask: one.id, answers: theirs, id: "2" }]);
  assert.deepEqual(work.answers.value, [{ selected: ["B"] }, { selected: [], other: "x" }]);
  take([{ type: "ask.draft", ask: one.id, answers: [{ selected: [] }], id: "3" }]); // of other questions
  assert.equal(work.answers.value.length, 2);
});

test("with the ask goes its draft; what was typed can still be read", async () => {
  const one = opened();
  const work = await begun(one);
  work.set(0, { selected: [], other: "mine" });
  take([{ type: "ask.settled", ask: ended(one), id: "4" }]);
  assert.equal(kept(one), undefined);
  assert.equal(work.answers.value[0]!.other, "mine");
});

test("a page that closes saves what it has not saved yet", async () => {
  const one = opened();
  const work = await begun(one);
  work.set(0, { selected: ["B"] });
  happen("pagehide");
  const saved = calls.filter(({ method, path }) => method === "PUT" && path.includes(one.id));
  assert.equal(saved.length, 1);
});
