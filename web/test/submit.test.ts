// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { name } from "../src/model/settings";
import { pending, settled, stream, take } from "../src/model/state";
import { dismiss, send, sendNow, sendSoon, snooze, undo, undoable } from "../src/model/submit";
import { Work } from "../src/model/work";
import { ask, ended, question } from "./asks";
import { answerWith, calls, happen, json, until, type Broker } from "./browser";

async function begun(questions = [question()]): Promise<Work> {
  const one = ask(questions);
  take([{ type: "ask.opened", ask: one, id: "1" }]);
  answerWith(() => json(404, {}));
  const work = new Work(one);
  await until(() => work.isLoaded.value);
  work.answers.value = questions.map(() => ({ selected: ["B"] }));
  return work;
}

const sent = () => calls.filter(({ method, path }) => method === "POST" && !path.endsWith("/draft"));
const kind = (work: Work): string => work.phase.value.kind;
const takes = (work: Work): Broker => () => json(200, ended(work.ask));

test("an answer can be taken back before it is sent", async () => {
  const work = await begun();
  sendSoon(work);
  assert.equal(kind(work), "undo");
  undo();
  assert.deepEqual([kind(work), undoable.value, sent().length], ["editing", null, 0]);
  sendNow();
  assert.equal(sent().length, 0);
});

test("sending, then recorded with the settlement that the broker gave", async () => {
  const work = await begun();
  name.value = " Ada ";
  answerWith(takes(work));
  sendSoon(work);
  sendNow();
  assert.equal(kind(work), "sending");
  await until(() => kind(work) === "recorded");
  assert.deepEqual(sent()[0]!.body, { answers: [{ selected: ["B"] }], by: "Ada" });
  assert.equal(pending.value.has(work.ask.id), false);
  assert.equal(settled.value.get(work.ask.id)!.state, "answered");
  name.value = "";
});

test("the next one, and a page that closes, send what can still be taken back", async () => {
  const [first, second] = [await begun(), await begun()];
  answerWith(takes(first));
  sendSoon(first);
  sendSoon(second);
  assert.equal(kind(first), "sending");
  happen("pagehide");
  assert.equal(kind(second), "sending");
  assert.equal(sent().length, 2);
});

test("without a connection it is kept, and sent when the connection is back", async () => {
  const work = await begun();
  answerWith(() => undefined);
  await send(work);
  assert.deepEqual([kind(work), work.answers.value], ["failed", [{ selected: ["B"] }]]);
  answerWith(({ method }) => (method === "POST" ? takes(work)({ method, path: "", body: null }) : new Response(new ReadableStream(), { status: 200 })));
  stream.start();
  await until(() => kind(work) === "recorded");
  stream.stop();
});

test("one that came second shows the settlement that stands", async () => {
  const work = await begun();
  const standing = ended(work.ask, { answers: [{ selected: ["A (Recommended)"] }], door: "terminal" });
  answerWith(() => json(409, { detail: "settled", ask: standing }));
  await send(work);
  assert.equal(kind(work), "editing");
  assert.equal(settled.value.get(work.ask.id)!.settlement!.door, "terminal");
});

test("a refusal names the fault, and leads to its question", async () => {
  const work = await begun([question(), question({ question: "Else?" })]);
  answerWith(() => json(400, { detail: "no", errors: [{ path: "/answers/1/other", detail: "too odd" }] }));
  await send(work);
  assert.equal(work.phase.value.kind === "failed" && work.phase.value.problem.errors[0]!.detail, "too odd");
  assert.equal(work.step.value, 1);
  assert.equal(pending.value.has(work.ask.id), true);
});

test("dismissing tells the reason; what has ended is not sent again", async () => {
  const work = await begun();
  answerWith(() => json(200, ended(work.ask, { outcome: "dismissed" })));
  await dismiss(work, " not mine ");
  assert.deepEqual(sent()[0]!.body, { reason: "not mine" });
  await send(work);
  assert.equal(sent().length, 1);
});

test("a snooze hides it at once", async () => {
  const work = await begun();
  answerWith(() => json(200, work.ask));
  await snooze(work.ask, 600);
  assert.ok(Date.parse(pending.value.get(work.ask.id)!.snoozed_until!) > Date.now());
});
