// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { chatOf } from "../src/model/chat";
import { discard, flush, outgoingOf, say } from "../src/model/outbox";
import { self } from "../src/model/state";
import { answerWith, calls, json, stored, until } from "./browser";

self.value = { principal: "ada", role: "responder" };

const posts = () => calls.filter(({ method }) => method === "POST");
const keptOnes = (): string[] => [...stored.keys()].filter((key) => key.startsWith("parley.outbox."));
const log = (...texts: string[]) => ({
  events: texts.map((text, index) => ({
    cursor: String(index),
    event: { type: "session.message", at: new Date().toISOString(), message: { id: `msg_${index}`, text, by: { kind: "person", principal: "ada" } } },
  })),
  next: null,
});
const takes = ({ method }: { method: string }) => (method === "POST" ? json(202, { id: "msg_9" }) : json(200, log()));

test("a message is kept until the broker has it, and sent when the connection is back, in order", async () => {
  answerWith(() => undefined);
  const [first, second] = [say("ses_1", "one"), say("ses_1", "two")];
  await until(() => first.state.value === "failed" && second.state.value === "failed");
  assert.deepEqual([keptOnes().length, outgoingOf("ses_1").map(({ text }) => text)], [2, ["one", "two"]]);
  answerWith(takes);
  await flush();
  assert.deepEqual(posts().map(({ body }) => body), [{ text: "one" }, { text: "two" }]);
  assert.deepEqual([keptOnes().length, first.state.value], [0, "sent"]);
});

test("one that the broker had taken before the connection broke is not sent again", async () => {
  answerWith(() => undefined);
  const message = say("ses_1", "once");
  await until(() => message.state.value === "failed");
  answerWith(({ method }) => (method === "GET" ? json(200, log("once")) : json(500, {})));
  await flush();
  assert.deepEqual([posts().length, message.state.value, keptOnes().length], [0, "sent", 0]);
});

test("one that was to begin its session is sent again where that session is not there", async () => {
  answerWith(() => undefined);
  const message = say("A new plan", "first");
  await until(() => message.state.value === "failed");
  answerWith(({ method }) => (method === "GET" ? json(404, {}) : json(202, { id: "msg_9" })));
  await flush();
  assert.deepEqual([posts().length, message.state.value, keptOnes().length], [1, "sent", 0]);
});

test("one that is refused stays, without holding up the next, and can be discarded", async () => {
  answerWith(({ method, path }) => (method === "POST" && path.includes("ses_gone") ? json(409, { detail: "ended" }) : takes({ method })));
  const [bad, good] = [say("ses_gone", "late"), say("ses_1", "fine")];
  await until(() => good.state.value === "sent");
  assert.deepEqual([bad.state.value, keptOnes().length], ["failed", 1]);
  discard(bad);
  assert.equal(keptOnes().length, 0);
});

test("a message of another person is not sent in this one's name", async () => {
  answerWith(() => undefined);
  const message = say("ses_1", "mine");
  await until(() => message.state.value === "failed");
  self.value = { principal: "bob", role: "responder" };
  answerWith(takes);
  await flush();
  assert.equal(posts().length, 0);
  self.value = { principal: "ada", role: "responder" };
  await flush();
  assert.equal(posts().length, 1);
});

test("a chat shows what is on its way, also what a page before it could not send", async () => {
  answerWith(() => undefined);
  const message = say("ses_2", "kept");
  await until(() => message.state.value === "failed");
  answerWith(takes);
  const chat = chatOf("ses_2");
  assert.deepEqual(chat.transcript.value.items.value.map(({ kind }) => kind), ["sending"]);
  await until(() => chat.state.value === "ready");
  await flush();
  assert.deepEqual(chat.transcript.value.items.value.map(({ id }) => id), ["sent msg_9"]);
});
