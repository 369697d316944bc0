// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { device } from "../src/model/device";
import { claimBrowser } from "../src/model/settings";
import { self, take } from "../src/model/state";
import { typedInto, Work, workOn } from "../src/model/work";
import type { Answer, Ask } from "../src/model/types";
import { ask, ended, question } from "./asks";
import { answerWith, calls, happen, json, stored, until, type Broker } from "./browser";

const none = () => json(204, null);
const kept = (one: Ask): { isSaved: boolean } | undefined => {
  const text = stored.get(`parley.draft.${one.id}`);
  return text === undefined ? undefined : (JSON.parse(text) as { isSaved: boolean });
};
let version = 0;
const stores: Broker = ({ method, body }) =>
  method === "PUT" ? json(200, { ...(body as object), version: ++version }) : none();

function opened(one = ask([question(), question({ question: "Else?" })])): Ask {
  take([{ type: "ask.opened", ask: one, id: "1" }]);
  return one;
}

async function begun(one: Ask): Promise<Work> {
  answerWith(stores);
  const work = workOn(one);
  await until(() => work.isLoaded.value);
  return work;
}

test("what is marked beforehand stands as long as the broker has no draft, and is none itself", async () => {
  const one = opened(ask([question({ default: ["B"] })]));
  const work = await begun(one);
  assert.deepEqual(work.answers.value, [{ selected: ["B"] }]);
  assert.equal(work.picture.value.number, 1, "the same picture as before");
  assert.equal(work.saving.value, "clean");
  work.dispatch({ kind: "draft", draft: { answers: [{ selected: ["A (Recommended)"] }], device: "phone", version: 90 } });
  assert.deepEqual(work.answers.value, [{ selected: ["A (Recommended)"] }]);
  work.dispatch({ kind: "draft", draft: { answers: null, device: "phone", version: 91 } });
  assert.deepEqual(work.answers.value, [{ selected: ["B"] }], "as at the beginning");
});

test("what is typed is kept in the browser at once and on the broker soon", async () => {
  const one = opened();
  const work = await begun(one);
  work.set(0, { selected: [], other: "ha" });
  assert.ok(kept(one));
  work.set(0, { selected: [], other: "half" });
  assert.equal(work.saving.value, "unsaved");
  await until(() => work.saving.value === "saved");
  const puts = calls.filter(({ method }) => method === "PUT");
  assert.deepEqual(puts.map(({ body }) => body), [
    { answers: [{ selected: [], other: "half" }, { selected: [] }], device, version: 0 },
  ]);
  assert.equal(kept(one)!.isSaved, true);
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
  answerWith(stores);
  work.flush();
  await until(() => work.saving.value === "saved");
});

const drafted = (one: Ask, answers: Answer[] | null, at: number, by = "phone"): void =>
  take([{ type: "ask.draft", ask: one.id, answers, device: by, version: at, id: String(at) }]);

test("a draft of another device is shown while nobody types here, and offered when somebody does", async () => {
  const one = opened();
  const work = await begun(one);
  const [first, second]: Answer[][] = [[{ selected: ["B"] }, { selected: [] }], [{ selected: [], other: "x" }, { selected: [] }]];
  drafted(one, first!, 101);
  assert.deepEqual(work.answers.value, first);
  work.set(1, { selected: [], other: "mine" });
  drafted(one, second!, 102);
  assert.deepEqual([work.answers.value[0], work.offer.value!.version], [{ selected: ["B"] }, 102]);
  drafted(one, second!, 102, device); // an echo
  drafted(one, [{ selected: [] }], 103); // of other questions
  assert.equal(work.answers.value[1]!.other, "mine");
  work.dispatch({ kind: "take_offer", version: 101 }); // not the one that is shown
  assert.equal(work.answers.value[1]!.other, "mine");
  work.dispatch({ kind: "take_offer", version: 102 });
  assert.deepEqual([work.answers.value, work.offer.value], [second, null]);
});

test("a draft that the broker refuses for a newer one waits in the browser for the person's word", async () => {
  const one = opened();
  const work = await begun(one);
  const newer = { answers: [{ selected: ["B"] }, { selected: [] }], device: "phone", version: 7 };
  answerWith(() => json(409, { type: "urn:parley:problem:draft-newer", draft: newer }));
  work.set(0, { selected: [], other: "mine" });
  await until(() => work.offer.value !== null);
  answerWith(stores);
  work.set(0, { selected: [], other: "mine too" });
  work.flush();
  assert.deepEqual([calls.length, kept(one)!.isSaved], [0, false]);
  work.dispatch({ kind: "keep_mine", version: 7 });
  await until(() => calls.some(({ method }) => method === "PUT"));
  assert.equal((calls[0]!.body as { version: number }).version, 7);
});

test("a slow broker gets one draft at a time, and its echo of the first does not undo the second", async () => {
  const one = opened();
  const work = await begun(one);
  let reply: (() => void) | undefined;
  answerWith(async (call) => {
    if (call.method === "PUT" && !reply) await new Promise<void>((resolve) => (reply = resolve));
    return stores(call);
  });
  work.set(0, { selected: ["B"] });
  await until(() => calls.length === 1);
  work.set(0, { selected: ["A (Recommended)"] });
  work.flush();
  assert.equal(calls.length, 1);
  drafted(one, [{ selected: ["B"] }, { selected: [] }], version + 1, device);
  reply!();
  await until(() => work.saving.value === "saved");
  assert.deepEqual(work.answers.value[0], { selected: ["A (Recommended)"] });
});

test("with the ask goes its draft; what was typed and not used can still be read, after a reload too", async () => {
  const [one, two] = [opened(), opened()];
  for (const each of [one, two]) {
    const work = await begun(each);
    work.set(0, { selected: [], other: "mine" });
  }
  self.value = { principal: "ada", role: "responder" };
  take([{ type: "ask.settled", ask: ended(one), id: "4" }]);
  const used = { answers: [{ selected: [], other: "mine" }, { selected: [] }], decider: { kind: "person", principal: "ada" } } as const;
  take([{ type: "ask.settled", ask: ended(two, used as never), id: "5" }]);
  assert.equal(typedInto(one)[0]!.other, "mine");
  assert.deepEqual(typedInto(two), []);
  self.value = null;
});

test("a reason for dismissing is kept until it is used", async () => {
  const one = opened();
  const work = await begun(one);
  work.explain("not mine");
  assert.equal(new Work(one).reason.value, "not mine");
});

test("a page that closes saves what it has not saved yet", async () => {
  const one = opened();
  const work = await begun(one);
  work.set(0, { selected: ["B"] });
  happen("pagehide");
  const saved = calls.filter(({ method, path }) => method === "PUT" && path.includes(one.id));
  assert.equal(saved.length, 1);
});

test("a reload knows its own draft, and another person's sign-in finds nothing", async () => {
  const one = opened();
  const before = { answers: [{ selected: [], other: "abc" }, { selected: [] }], device: "before", version: 3, isSaved: false };
  stored.set(`parley.draft.${one.id}`, JSON.stringify(before));
  answerWith(({ method }) => (method === "GET" ? json(200, { ...before, answers: [{ selected: [], other: "ab" }, { selected: [] }], version: 4 }) : none()));
  const work = new Work(one);
  await until(() => work.isLoaded.value);
  assert.deepEqual([work.answers.value[0]!.other, work.offer.value, work.state.value.version], ["abc", null, 4]);
  assert.equal(claimBrowser("ada"), false);
  assert.equal(claimBrowser("ada"), false);
  assert.equal(claimBrowser("bob"), true);
  assert.equal(kept(one), undefined);
});
