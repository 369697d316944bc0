// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { pending, settled, stream, take } from "../src/model/state";
import { dismiss, pick, retry, send, sendNow, sendSoon, snooze, undo, undoable } from "../src/model/submit";
import { Work } from "../src/model/work";
import { ask, ended, question } from "./asks";
import { answerWith, calls, happen, json, stored, until, type Broker } from "./browser";

async function begun(questions = [question()]): Promise<Work> {
  const one = ask(questions);
  take([{ type: "ask.opened", ask: one, id: "1" }]);
  answerWith(() => json(404, {}));
  const work = new Work(one);
  await until(() => work.isLoaded.value);
  questions.forEach((_, index) => work.set(index, { selected: ["B"] }));
  return work;
}

const sent = () => calls.filter(({ method, path }) => method === "POST" && !path.endsWith("/draft"));
const on = (work: Work): number => work.picture.value.number;
const kind = (work: Work): string => work.phase.value.kind;
const takes = (work: Work): Broker => () => json(200, ended(work.ask));

test("an answer can be taken back before it is sent", async () => {
  const work = await begun();
  sendSoon(work, on(work));
  assert.equal(kind(work), "undo");
  undo();
  assert.deepEqual([kind(work), undoable.value, sent().length], ["editing", null, 0]);
  sendNow();
  assert.equal(sent().length, 0);
});

test("sending, then recorded with the settlement that the broker gave", async () => {
  const work = await begun();
  answerWith(takes(work));
  sendSoon(work, on(work));
  sendNow();
  assert.equal(kind(work), "sending");
  await until(() => kind(work) === "recorded");
  assert.deepEqual(sent()[0]!.body, { answers: [{ selected: ["B"] }] });
  assert.equal(pending.value.has(work.ask.id), false);
  assert.equal(settled.value.get(work.ask.id)!.state, "answered");
});

test("the next one, and a page that closes, send what can still be taken back", async () => {
  const [first, second] = [await begun(), await begun()];
  answerWith(takes(first));
  sendSoon(first, on(first));
  sendSoon(second, on(second));
  assert.equal(kind(first), "sending");
  happen("pagehide");
  assert.equal(kind(second), "sending");
  assert.equal(sent().length, 2);
});

test("without a connection it is kept, and sent when the connection is back", async () => {
  const work = await begun();
  answerWith(() => undefined);
  send(work, on(work));
  await until(() => kind(work) === "failed");
  assert.deepEqual(work.answers.value, [{ selected: ["B"] }]);
  answerWith(({ method }) => (method === "POST" ? takes(work)({ method, path: "", body: null }) : new Response(new ReadableStream(), { status: 200 })));
  stream.start();
  await until(() => kind(work) === "recorded");
  stream.stop();
});

test("one that came second shows the settlement that stands", async () => {
  const work = await begun();
  const standing = ended(work.ask, { answers: [{ selected: ["A (Recommended)"] }], door: "terminal" });
  answerWith(() => json(409, { detail: "settled", ask: standing }));
  send(work, on(work));
  await until(() => settled.value.get(work.ask.id)?.settlement?.door === "terminal");
});

test("a refusal names the fault, and leads to its question", async () => {
  const work = await begun([question(), question({ question: "Else?" })]);
  answerWith(() => json(400, { detail: "no", errors: [{ path: "/answers/1/other", detail: "too odd" }] }));
  send(work, on(work));
  await until(() => kind(work) === "failed");
  assert.equal(work.phase.value.kind === "failed" && work.phase.value.problem.errors[0]!.detail, "too odd");
  assert.equal(work.step.value, 1);
  assert.equal(pending.value.has(work.ask.id), true);
});

test("dismissing tells the reason; what has ended is not sent again", async () => {
  const work = await begun();
  answerWith(() => json(200, ended(work.ask, { outcome: "dismissed" })));
  work.explain(" not mine ");
  dismiss(work, on(work));
  assert.deepEqual(sent()[0]!.body, { reason: "not mine" });
  await until(() => kind(work) === "recorded");
  send(work, on(work));
  assert.equal(sent().length, 1);
});

test("what failed is sent again as it was decided, a dismissal as a dismissal", async () => {
  const work = await begun();
  answerWith(() => json(500, { detail: "broken" }));
  dismiss(work, on(work));
  await until(() => kind(work) === "failed");
  retry(work);
  assert.deepEqual(sent().map(({ path }) => path.split("/").pop()), ["dismiss", "dismiss"]);
});

test("a draft from elsewhere changes nothing that waits to be sent", async () => {
  const work = await begun();
  answerWith(takes(work));
  pick(work, on(work), 0, { selected: ["A (Recommended)"] });
  take([{ type: "ask.draft", ask: work.ask.id, answers: [{ selected: ["B"] }], device: "phone", version: 9, id: "2" }]);
  sendNow();
  assert.deepEqual(sent()[0]!.body, { answers: [{ selected: ["A (Recommended)"] }] });
});

test("a click on an older picture marks, and sends nothing", async () => {
  const work = await begun();
  const older = on(work);
  work.set(0, { selected: [], other: "x" });
  pick(work, older, 0, { selected: ["B"] });
  assert.deepEqual([kind(work), work.answers.value], ["editing", [{ selected: ["B"] }]]);
  sendSoon(work, older);
  assert.equal(kind(work), "editing");
});

test("a snooze is taken as the broker says it; one that comes late wakes nothing up", async () => {
  const work = await begun();
  const snoozed = { ...work.ask, snoozed_until: "2999-01-01T00:00:00Z" };
  answerWith(() => json(200, snoozed));
  await snooze(work.ask, 600);
  assert.equal(pending.value.get(work.ask.id)!.snoozed_until, snoozed.snoozed_until);
  answerWith(() => {
    take([{ type: "ask.settled", ask: ended(work.ask), id: "3" }]);
    return json(200, snoozed);
  });
  await snooze(work.ask, 600);
  assert.deepEqual([pending.value.has(work.ask.id), settled.value.has(work.ask.id)], [false, true]);
});

test("an answer that was on its way is sent by the next page, as it was decided", async () => {
  const work = await begun();
  answerWith(() => undefined);
  send(work, on(work));
  await until(() => kind(work) === "failed");
  const next = new Work(work.ask);
  assert.equal(kind(next), "failed");
  assert.deepEqual(next.picture.value.decision, { verb: "answer", answers: [{ selected: ["B"] }] });
  answerWith(takes(work));
  retry(next);
  await until(() => kind(next) === "recorded");
  assert.deepEqual(sent()[0]!.body, { answers: [{ selected: ["B"] }] });
  assert.equal([...stored.keys()].some((key) => key.includes(`sending.${work.ask.id}`)), false);
});

test("one that was changed before it went is not sent by the next page", async () => {
  const work = await begun();
  answerWith(() => undefined);
  send(work, on(work));
  await until(() => kind(work) === "failed");
  work.set(0, { selected: ["A (Recommended)"] });
  assert.equal(kind(new Work(work.ask)), "editing");
});
