// SPDX-License-Identifier: Apache-2.0
// The chat socket as a chat app uses it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Broker, until } from "../support/broker.mjs";
import { ChatApp } from "../support/chat.mjs";

const FORMAT = {
  question: "How should I format the output?",
  header: "Format",
  options: [
    { label: "Summary", description: "Brief overview" },
    { label: "Detailed", description: "Full explanation" },
  ],
  multiSelect: false,
};
const FEATURES = {
  question: "Which features?", header: "Features", multiSelect: true,
  options: [{ label: "Dark mode" }, { label: "Offline" }, { label: "Red, green" }],
};

let broker;
let sessions = 0;
const apps = [];
before(async () => { broker = await Broker.start(); });
after(async () => {
  for (const app of apps) app.socket.terminate();
  await broker.stop();
});

const fresh = () => `session-${++sessions}`;
async function open(session, options) {
  const app = await ChatApp.open(broker, session, options);
  apps.push(app);
  return app;
}
// An ask of the session's agent; gives its id.
async function ask(session, questions = [FORMAT], more = {}) {
  const { status, body } = await broker.call("POST", "/v1/asks", { session, questions, ...more });
  assert.equal(status, 201, JSON.stringify(body));
  return body.id;
}
const settlement = async (id) => (await broker.settled(id)).settlement;

test("ask, answered, the stream goes on", async () => {
  const session = fresh();
  const app = await open(session);
  assert.equal(app.connected.session_id, session);
  assert.equal(app.connected.sessionId, session);
  assert.equal(app.status.waiting_for_user, false);
  assert.equal(app.status.pending_question_id, null);
  const id = await ask(session);
  const asked = await app.next("ask_user_question");
  assert.equal(asked.question_id, id);
  assert.equal(asked.questionId, id);
  assert.deepEqual(asked.questions, [FORMAT]);
  assert.equal(asked.timeout_seconds, 55);
  const waiting = await app.next("session_status");
  assert.equal(waiting.session_id, session);
  assert.equal(waiting.is_processing, false);
  assert.equal(waiting.waiting_for_user, true);
  assert.equal(waiting.pending_question_id, id);
  assert.equal(waiting.status, "waiting");
  app.respond(id, { [FORMAT.question]: "Summary" }, { cancelled: false });
  const settled = await app.next("ask_user_settled");
  assert.equal(settled.question_id, id);
  assert.equal(settled.outcome, "answered");
  assert.equal((await app.next("session_status")).waiting_for_user, false);
  const { answers, door } = await settlement(id);
  assert.deepEqual(answers, [{ selected: ["Summary"] }]);
  assert.equal(door, "chat-socket");

  // Where the app is: elsewhere it would be told of texts when they are whole.
  await broker.peer.call("POST", `/v1/sessions/${session}/events`, [
    { type: "status", status: "working" },
    { type: "text-start", part_id: "t1" },
    { type: "text-delta", part_id: "t1", text: "Here is " },
    { type: "text-delta", part_id: "t1", text: "the summary." },
    { type: "text-end", part_id: "t1" },
    { type: "tool-input-available", call_id: "c1", tool: "Read", input: { file: "a.md" } },
    { type: "tool-output", call_id: "c1", tool: "Read", output: "text" },
    { type: "finish" },
    { type: "status", status: "idle" },
  ]);
  assert.equal((await app.next("session_status")).status, "thinking");
  let chunks = "";
  while (chunks !== "Here is the summary.") chunks += (await app.next("text")).chunk;
  assert.equal((await app.next("text_end")).part_id, "t1");
  assert.deepEqual((await app.next("tool_use")).input, { file: "a.md" });
  assert.equal((await app.next("tool_result")).output, "text");
  assert.equal((await app.next("complete")).status, "success");
  await app.next("session_status", ({ status }) => status === "done");
});

test("several questions, several choices, free text, a label with a comma", async () => {
  const session = fresh();
  const app = await open(session);
  const name = { question: "Name?", header: "Name", options: [] };
  const id = await ask(session, [FORMAT, FEATURES, name]);
  await app.next("ask_user_question");
  app.respond(id, {
    [FORMAT.question]: "Detailed",
    [FEATURES.question]: "Dark mode, Red, green, and more",
    [name.question]: "Zoë\nof ☃",
  });
  await app.next("ask_user_settled");
  assert.deepEqual((await settlement(id)).answers, [
    { selected: ["Detailed"] },
    { selected: ["Dark mode", "Red, green"], other: "and more" },
    { selected: [], other: "Zoë\nof ☃" },
  ]);
  const second = await ask(session, [FEATURES]);
  await app.next("ask_user_question");
  app.send({ type: "ask_user_response",
    data: { questionId: second, answers: { [FEATURES.question]: ["Offline", "Dark mode"] } } });
  await app.next("ask_user_settled");
  assert.deepEqual((await settlement(second)).answers, [{ selected: ["Dark mode", "Offline"] }]);
});

test("a double answer is told what stands, also the same one at once", async () => {
  const session = fresh();
  const app = await open(session);
  const id = await ask(session);
  await app.next("ask_user_question");
  app.respond(id, { [FORMAT.question]: "Summary" });
  app.respond(id, { [FORMAT.question]: "Summary" });
  app.respond(id, { [FORMAT.question]: "Detailed" });
  for (let i = 0; i < 2; ++i) {
    const refused = await app.next("error");
    assert.equal(refused.question_id, id);
    assert.equal(refused.outcome, "answered");
    assert.match(refused.error, /answered by owner/);
  }
  app.respond(id, { [FORMAT.question]: "Detailed" });
  assert.equal((await app.next("error")).outcome, "answered");
  assert.deepEqual((await settlement(id)).answers, [{ selected: ["Summary"] }]);
});

test("an unknown id, and one of another session", async () => {
  const session = fresh();
  const elsewhere = fresh();
  const app = await open(session);
  app.respond("q_123", {});
  assert.match((await app.next("error")).error, /Question not found/);
  const foreign = await ask(elsewhere);
  const id = await ask(session);
  await app.next("ask_user_question");
  for (const wrong of ["q_123", foreign, `${id.slice(0, -1)}${id.endsWith("0") ? 1 : 0}`]) {
    app.respond(wrong, { [FORMAT.question]: "Summary" });
    const refused = await app.next("error");
    assert.equal(refused.error, "Question ID does not match pending question");
    assert.equal(refused.questionId, wrong);
  }
  assert.equal((await broker.pending(1, session))[0].id, id);
  assert.equal((await broker.pending(1, elsewhere))[0].id, foreign);
});

test("a timeout is announced, and a late answer is told so", async () => {
  const session = fresh();
  const app = await open(session, { query: "?timeout_seconds=1" });
  const id = await ask(session);
  assert.equal((await app.next("ask_user_question")).timeout_seconds, 1);
  const over = await app.next("ask_user_timeout");
  assert.equal(over.question_id, id);
  assert.equal(over.questionId, id);
  assert.equal(over.error, "User response timed out");
  assert.equal(over.reason, "timed_out");
  assert.equal((await app.next("session_status")).waiting_for_user, false);
  app.respond(id, { [FORMAT.question]: "Summary" });
  const late = await app.next("error");
  assert.equal(late.outcome, "timed_out");
  assert.match(late.error, /timed_out by timer/);
  assert.ok(!app.types().includes("ask_user_settled"));
});

test("a question that times out stops the turn, as a cancelled one does", async () => {
  const session = fresh();
  const app = await open(session, { query: "?timeout_seconds=1" });
  await broker.call("POST", `/v1/sessions/${session}/events`, [{ type: "status", status: "working" }]);
  await app.next("session_status", ({ status }) => status === "thinking");
  await ask(session);
  await app.next("ask_user_timeout");
  const { is_processing: works } = await app.next("session_status",
    ({ status }) => status === "done");
  assert.equal(works, false);
});

test("a session's timeout can be none, and can be changed", async () => {
  const session = fresh();
  const app = await open(session, { query: "?timeout_seconds=0" });
  const id = await ask(session);
  const asked = await app.next("ask_user_question");
  assert.equal(asked.timeout_seconds, 0);
  assert.equal(asked.deadline, undefined);
  assert.equal((await broker.call("GET", `/v1/asks/${id}`)).body.deadline, undefined);
  const again = await open(session, { query: "?timeout_seconds=600" });
  await again.next("ask_user_question");
  // Where it is asked, which may be another node.
  await until(async () => (await broker.call("GET", `/v1/sessions/${session}`)).body.ask_timeout_seconds === 600);
  await ask(session);
  assert.equal((await again.next("ask_user_question")).timeout_seconds, 600);
});

test("a session that an agent opened has no timeout", async () => {
  const session = fresh();
  await ask(session);
  const app = await open(session);
  assert.equal((await app.next("ask_user_question")).timeout_seconds, 0);
});

test("cancel", async () => {
  const session = fresh();
  const app = await open(session);
  const watcher = await open(session, { query: "?observe=1" });
  const id = await ask(session);
  const other = await ask(session);
  await app.next("ask_user_question", ({ question_id: shown }) => shown === other);
  app.respond(id, {}, { cancelled: true });
  for (const each of [app, watcher]) {
    const over = await each.next("ask_user_timeout");
    assert.equal(over.question_id, id);
    assert.equal(over.error, "User cancelled question");
    assert.equal(over.reason, "cancelled");
    assert.equal(over.outcome, "dismissed");
  }
  assert.equal((await settlement(id)).outcome, "dismissed");
  // The turn ends with it.
  const withdrawn = await app.next("ask_user_settled");
  assert.equal(withdrawn.question_id, other);
  assert.equal(withdrawn.outcome, "withdrawn");
  assert.equal((await app.next("session_status")).waiting_for_user, false);
  app.respond(id, {}, { cancelled: true });
  assert.equal((await app.next("error")).outcome, "dismissed");
});

test("an ask that may not be dismissed cannot be cancelled", async () => {
  const session = fresh();
  const app = await open(session);
  const id = await ask(session, [FORMAT], { dismissible: false });
  assert.equal((await app.next("ask_user_question")).dismissible, false);
  app.respond(id, {}, { cancelled: true });
  assert.equal((await app.next("error")).question_id, id);
  assert.equal((await broker.pending(1, session))[0].id, id);
});

test("settled elsewhere: answered, dismissed, withdrawn, aborted", async () => {
  const session = fresh();
  const app = await open(session);
  const settle = async (call, body, outcome) => {
    const id = await ask(session);
    await app.next("ask_user_question");
    await broker.call("POST", call(id), body);
    const settled = await app.next("ask_user_settled");
    assert.equal(settled.question_id, id);
    assert.equal(settled.outcome, outcome);
    assert.equal((await app.next("session_status")).waiting_for_user, false);
    return settled;
  };
  const answered = await settle((id) => `/v1/asks/${id}/answer`,
    { answers: [{ selected: ["Summary"] }], by: "ada" }, "answered");
  assert.equal(answered.by, "owner");
  assert.deepEqual(answered.answers, { [FORMAT.question]: "Summary" });
  await settle((id) => `/v1/asks/${id}/dismiss`, { by: "ada" }, "dismissed");
  await settle((id) => `/v1/asks/${id}/withdraw`, {}, "withdrawn");
  await settle(() => `/v1/sessions/${session}/abort`, {}, "withdrawn");
});

test("interrupt withdraws what is pending", async () => {
  const session = fresh();
  const app = await open(session);
  const id = await ask(session);
  await app.next("ask_user_question");
  app.send({ type: "interrupt" });
  const settled = await app.next("ask_user_settled");
  assert.equal(settled.question_id, id);
  assert.equal(settled.outcome, "withdrawn");
  assert.equal((await app.next("session_status")).status, "done");
});

test("a message is queued while an answer is waited for", async () => {
  const session = fresh();
  const app = await open(session);
  await ask(session);
  await app.next("ask_user_question");
  app.send({ type: "user_message", data: { message: "And in colour, please." } });
  assert.equal((await app.next("message_queued")).reason, "waiting_for_user");
  const queued = await until(async () => {
    const { messages } = (await broker.call("GET", `/v1/sessions/${session}/messages`)).body;
    return messages.length > 0 && messages;
  }, "the message is known");
  assert.deepEqual(queued.map(({ text }) => text), ["And in colour, please."]);
  app.send({ type: "user_message", data: {} });
  assert.match((await app.next("error")).error, /message/);
});

test("the newest connection holds the session", async () => {
  const session = fresh();
  const first = await open(session);
  const id = await ask(session);
  await first.next("ask_user_question");
  const second = await open(session);
  await first.next("session_taken");
  first.respond(id, { [FORMAT.question]: "Summary" });
  assert.equal((await first.ended()).code, 1000);
  assert.equal((await second.next("ask_user_question")).question_id, id);
  await second.barrier();
  assert.equal((await broker.pending(1, session))[0].id, id);
  second.respond(id, { [FORMAT.question]: "Detailed" });
  await second.next("ask_user_settled");
  assert.deepEqual((await settlement(id)).answers, [{ selected: ["Detailed"] }]);
});

test("an observer sees everything and changes nothing", async () => {
  const session = fresh();
  const app = await open(session);
  const watcher = await open(session, { query: "?observe=1" });
  assert.equal(watcher.connected.observe, true);
  const id = await ask(session);
  await watcher.next("ask_user_question");
  watcher.respond(id, { [FORMAT.question]: "Summary" });
  assert.match((await watcher.next("error")).error, /observes/);
  watcher.send({ type: "interrupt" });
  assert.match((await watcher.next("error")).error, /observes/);
  app.respond(id, { [FORMAT.question]: "Detailed" });
  assert.equal((await watcher.next("ask_user_settled")).outcome, "answered");
  assert.ok(!app.types().includes("session_taken"));
});

test("reconnect with the ask pending", async () => {
  const session = fresh();
  const app = await open(session);
  const seen = await ask(session);
  await app.next("ask_user_question");
  await app.close();
  const missed = await ask(session);
  const back = await open(session);
  assert.equal(back.status.waiting_for_user, true);
  assert.equal(back.status.pending_question_id, seen);
  assert.equal((await back.next("ask_user_question")).question_id, seen);
  assert.equal((await back.next("ask_user_question")).question_id, missed);
  back.respond(missed, { [FORMAT.question]: "Summary" });
  assert.equal((await back.next("ask_user_settled")).question_id, missed);
});

test("what was missed comes in order, and a stale ask does not come as live", async () => {
  const session = fresh();
  const app = await open(session);
  const seen = await ask(session);
  await app.next("ask_user_question");
  await app.close();
  await broker.call("POST", `/v1/sessions/${session}/events`,
    [{ type: "text-end", part_id: "one", text: "first" }]);
  await broker.answer(seen, [{ selected: ["Summary"] }], { by: "ada" });
  const brief = await ask(session);
  await broker.call("POST", `/v1/asks/${brief}/dismiss`, {});
  await broker.call("POST", `/v1/sessions/${session}/events`,
    [{ type: "text-end", part_id: "two", text: "second" }]);
  const pending = await ask(session);
  const back = await open(session);
  await back.next("ask_user_question");
  const replay = back.messages.slice(2)
    .filter(({ type }) => type !== "session_status")
    .map((message) => [message.type, message.question_id ?? message.chunk]);
  assert.deepEqual(replay.slice(0, 6), [
    ["text", "first"],
    ["ask_user_settled", seen],
    ["ask_user_timeout", brief],
    ["ask_user_settled", brief],
    ["text", "second"],
    ["ask_user_question", pending],
  ]);
});

test("reconnect after a timeout meanwhile", async () => {
  const session = fresh();
  const app = await open(session, { query: "?timeout_seconds=1" });
  const seen = await ask(session);
  await app.next("ask_user_question");
  await app.close();
  const missed = await ask(session);
  await settlement(seen);
  await settlement(missed);
  const back = await open(session);
  assert.equal(back.status.waiting_for_user, false);
  assert.equal((await back.next("ask_user_timeout")).question_id, seen);
  assert.equal((await back.next("ask_user_timeout")).question_id, missed);
  assert.ok(!back.types().includes("ask_user_question"));
});

test("a cursor resumes exactly after what was seen", async () => {
  const session = fresh();
  const app = await open(session);
  await broker.call("POST", `/v1/sessions/${session}/events`,
    ["one", "two", "three"].map((text) => ({ type: "text-end", part_id: text, text })));
  await app.next("text");
  const { cursor } = await app.next("text");
  await app.next("text");
  const back = await open(session, { query: `?after=${cursor}` });
  assert.equal((await back.next("text")).chunk, "three");
  const lost = await open(session, { query: "?after=rubbish" });
  await lost.barrier();
  assert.ok(!lost.types().includes("text"));
});

test("the server is killed while an ask is pending", async () => {
  const session = fresh();
  const app = await open(session, { query: "?timeout_seconds=600" });
  const id = await ask(session);
  await app.next("ask_user_question");
  await broker.kill();
  await app.ended();
  await broker.restart();
  const back = await open(session);
  assert.equal(back.status.pending_question_id, id);
  const asked = await back.next("ask_user_question");
  assert.equal(asked.question_id, id);
  assert.equal(asked.timeout_seconds, 600);
  back.respond(id, { [FORMAT.question]: "Summary" });
  assert.equal((await back.next("ask_user_settled")).outcome, "answered");
  const third = await ask(session);
  assert.equal((await back.next("ask_user_question")).question_id, third);
});

test("fifty sessions at once", async () => {
  await Promise.all(Array.from({ length: 50 }, async (_, i) => {
    const session = fresh();
    const app = await open(session);
    const id = await ask(session, [{ ...FORMAT, question: `Question ${i}?` }]);
    const asked = await app.next("ask_user_question");
    assert.equal(asked.question_id, id);
    app.respond(id, { [`Question ${i}?`]: `answer ${i}` });
    await app.next("ask_user_settled");
    assert.deepEqual((await settlement(id)).answers, [{ selected: [], other: `answer ${i}` }]);
    assert.equal(app.messages.filter(({ type }) => type === "ask_user_question").length, 1);
  }));
});

test("an answer of 200 KiB", async () => {
  const session = fresh();
  const app = await open(session);
  const id = await ask(session);
  await app.next("ask_user_question");
  const long = "0123456789abcdef".repeat(200 * 64);
  app.respond(id, { [FORMAT.question]: long });
  const settled = await app.next("ask_user_settled");
  assert.equal(settled.answers[FORMAT.question], long);
  assert.equal((await settlement(id)).answers[0].other, long);
});

test("wrong sessions and wrong tokens", async () => {
  const unknown = new ChatApp(broker, "ses_00000000000000000000000000");
  assert.equal((await unknown.ended()).code, 1008);
  assert.equal(unknown.closed.reason, "Session not found");
  for (const token of ["guess", ""]) {
    const refused = new ChatApp(broker, fresh(), { token });
    assert.equal((await refused.ended()).status, 401);
  }
  const token = await broker.newToken("bot", "agent");
  const agent = new ChatApp(broker, fresh(), { token });
  assert.equal((await agent.ended()).status, 403);
  const tooLong = new ChatApp(broker, "x".repeat(300));
  assert.equal((await tooLong.ended()).status, 400);
  const badTimeout = new ChatApp(broker, fresh(), { query: "?timeout_seconds=soon" });
  assert.equal((await badTimeout.ended()).status, 400);
});

test("a session of its own", async () => {
  const app = await open("new");
  assert.match(app.connected.session_id, /^ses_/);
  const id = await ask(app.connected.session_id);
  assert.equal((await app.next("ask_user_question")).question_id, id);
});

test("an ended session says so and closes", async () => {
  const session = fresh();
  const app = await open(session);
  const id = await ask(session);
  await app.next("ask_user_question");
  await broker.call("DELETE", `/v1/sessions/${session}`);
  const settled = await app.next("ask_user_settled");
  assert.equal(settled.question_id, id);
  assert.equal(settled.outcome, "withdrawn");
  await app.next("session_ended");
  assert.equal((await app.ended()).code, 1000);
});

test("malformed input is refused by name and changes nothing", async () => {
  const session = fresh();
  const app = await open(session);
  const id = await ask(session);
  await app.next("ask_user_question");
  const refused = async (message, pattern) => {
    app.send(message);
    const { error } = await app.next("error");
    assert.match(error, pattern);
  };
  await refused("{", /Invalid message format/);
  await refused("[]", /Invalid message format/);
  await refused({ type: 7 }, /Invalid message format/);
  await refused({ type: "ask_user_response" }, /Invalid ask_user_response.*question_id/);
  await refused({ type: "ask_user_response", data: { question_id: 7 } },
    /Invalid ask_user_response/);
  await refused({ type: "ask_user_response", data: { question_id: id, answers: [] } },
    /Invalid ask_user_response/);
  await refused({ type: "ask_user_response", data: { question_id: id, cancelled: "yes" } },
    /Invalid ask_user_response/);
  await refused({ type: "ask_user_response", data: { question_id: id, answers: {} } }, /answer/);
  await refused({ type: "ask_user_response",
    data: { question_id: id, answers: { "Another question?": "Summary" } } }, /Another question/);
  await refused({ type: "ask_user_response",
    data: { question_id: id, answers: { [FORMAT.question]: 7 } } }, /Invalid ask_user_response/);
  assert.equal((await broker.pending(1, session))[0].id, id);
  app.socket.send(Buffer.from([0xff, 0x00]), { binary: true });
  assert.equal((await app.ended()).code, 1003);
});
