// SPDX-License-Identifier: Apache-2.0
// The session as a UI message stream, read by the AI SDK itself.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { lastAssistantMessageIsCompleteWithToolCalls } from "ai";

import { Broker, until } from "../support/broker.mjs";
import { UiChat, chunksOf, transport, userMessage } from "../support/ui_chat.mjs";

const DATABASE = {
  question: "Which database?", header: "Database", multiSelect: false,
  options: [{ label: "PostgreSQL", description: "" }, { label: "SQLite", description: "" }],
};
const EXTRAS = {
  question: "Which extras?", header: "Extras", multiSelect: true,
  options: [{ label: "Dark mode", description: "" }, { label: "Offline", description: "" }],
};

let broker;
let made = 0;
const chats = [];
before(async () => { broker = await Broker.start(); });
after(async () => {
  for (const chat of chats) await chat.stop();
  await broker.stop();
});

function open(options) {
  const chat = new UiChat(broker, `ui-${++made}`, options);
  chats.push(chat);
  return chat;
}
const pushAt = async (node, session, items) => {
  const { status, body } = await node.call("POST", `/v1/sessions/${session}/events`, items);
  assert.equal(status, 202, JSON.stringify(body));
};
const push = (session, ...items) => pushAt(broker, session, items);
// Where the page is: what is not whole yet is seen there only.
const pushNear = (session, ...items) => pushAt(broker.peer, session, items);
const ask = async (session, call, questions = [DATABASE], more = {}) => {
  const { status, body } = await broker.call("POST", "/v1/asks", {
    session, questions, tool: { message_id: "m", call_id: call }, ...more });
  assert.equal(status, 201, JSON.stringify(body));
  return body.id;
};
const click = async (session, call, answers) => {
  const { body } = await broker.peer.call("POST", "/api/chat/tool-result",
    { sessionId: session, toolUseId: call, answers });
  return body;
};
const settlement = async (id) => (await broker.settled(id)).settlement;
// The agent has the person's message.
const heard = (session, text) => until(async () => {
  const { body } = await broker.call("GET", `/v1/sessions/${session}/messages`);
  return body.messages?.some((message) => message.text === text);
}, "the message");

test("ask, answered by tool-result, the same stream goes on", async () => {
  const chat = open();
  const turn = chat.sendMessage({ text: "Set it up" });
  await heard(chat.id, "Set it up");
  await push(chat.id, { type: "status", status: "working" },
    { type: "text-start", part_id: "t1", text: "Let me " },
    { type: "text-delta", part_id: "t1", text: "ask." }, { type: "text-end", part_id: "t1" });
  const id = await ask(chat.id, "toolu_1", [DATABASE, EXTRAS]);
  const part = await chat.part("toolu_1", ({ state }) => state === "input-available");
  assert.equal(part.type, "tool-AskUserQuestion");
  assert.deepEqual(part.input, { questions: [DATABASE, EXTRAS] });
  assert.equal(chat.status, "streaming");
  const answers = { [DATABASE.question]: "SQLite", [EXTRAS.question]: "Dark mode, Offline" };
  assert.deepEqual(await click(chat.id, "toolu_1", answers), { resolved: true });
  const done = await chat.part("toolu_1", ({ state }) => state === "output-available");
  assert.deepEqual(done.output, { answers });
  assert.equal((await settlement(id)).answers[1].selected.length, 2);
  await push(chat.id, { type: "text-end", part_id: "t2", text: "SQLite it is." },
    { type: "finish" });
  await turn;
  assert.equal(chat.status, "ready");
  assert.equal(chat.text(), "Let me ask.|SQLite it is.");
  assert.deepEqual(chat.failures, []);
});

test("free text and a dismissal, a timeout and a withdrawal are told apart", async () => {
  const chat = open();
  const turn = chat.sendMessage({ text: "Go" });
  await heard(chat.id, "Go");
  await push(chat.id, { type: "status", status: "working" });
  await ask(chat.id, "c1");
  await click(chat.id, "c1", { [DATABASE.question]: "something else" });
  const answered = await chat.part("c1", ({ state }) => state === "output-available");
  assert.equal(answered.output.answers[DATABASE.question], "something else");

  const dismissed = await ask(chat.id, "c2");
  await broker.call("POST", `/v1/asks/${dismissed}/dismiss`, { reason: "not now" });
  const timed = await ask(chat.id, "c3", [DATABASE], { timeout_seconds: 0.05 });
  await settlement(timed);
  const withdrawn = await ask(chat.id, "c4");
  await broker.call("POST", `/v1/asks/${withdrawn}/withdraw`, {});
  const texts = [];
  for (const call of ["c2", "c3", "c4"]) {
    const part = await chat.part(call, ({ state }) => state === "output-error");
    texts.push(part.errorText);
  }
  assert.match(texts[0], /not now/);
  assert.equal(new Set(texts).size, 3);
  await push(chat.id, { type: "finish" });
  await turn;
  assert.deepEqual(chat.failures, []);
});

test("an abort while pending ends the stream", async () => {
  const chat = open();
  const turn = chat.sendMessage({ text: "Go" });
  await heard(chat.id, "Go");
  await ask(chat.id, "c1");
  await chat.part("c1");
  await broker.call("POST", `/v1/sessions/${chat.id}/abort`, {});
  await turn;
  assert.equal(chat.parts().find(({ toolCallId }) => toolCallId === "c1").state, "output-error");
  assert.deepEqual(chat.failures, []);
});

test("the page's own tool output settles the ask, and the SDK goes on by itself", async () => {
  const chat = open({
    body: { finishOnAsk: true },
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
  });
  const turn = chat.sendMessage({ text: "Go" });
  await heard(chat.id, "Go");
  await push(chat.id, { type: "status", status: "working" });
  const id = await ask(chat.id, "c1");
  await turn;
  assert.equal(chat.status, "ready", "the stream ends where the page has to act");
  const next = chat.addToolOutput({
    tool: "AskUserQuestion", toolCallId: "c1",
    output: { answers: { [DATABASE.question]: "PostgreSQL" } },
  });
  assert.deepEqual((await settlement(id)).answers, [{ selected: ["PostgreSQL"] }]);
  assert.equal((await settlement(id)).door, "tool-result");
  await push(chat.id, { type: "text-end", part_id: "t", text: "PostgreSQL." },
    { type: "finish" });
  await next;
  await chat.rest();
  assert.deepEqual(chat.failures, []);
  assert.equal(chat.messages.length, 2, "one message of the person, one of the assistant");
  assert.equal(chat.text(), "PostgreSQL.");
  assert.equal((await chat.part("c1")).state, "output-available");
});

test("a posted output that does not fit is refused, and the ask stays pending", async () => {
  const session = `ui-${++made}`;
  const id = await ask(session, "c1");
  const assistant = (output) => ({ id: "a", role: "assistant", parts: [
    { type: "tool-AskUserQuestion", toolCallId: "c1", state: "output-available", input: {}, output },
  ] });
  for (const output of [7, { answers: { "Who?": "SQLite" } }, {}]) {
    const { status, body } = await broker.peer.call("POST", "/api/chat",
      { id: session, messages: [userMessage("Go"), assistant(output)] });
    assert.equal(status, 400, JSON.stringify(body));
    assert.ok(body.error);
  }
  assert.equal((await broker.peer.call("GET", `/v1/asks/${id}`)).body.state, "pending");
  for (const [output, label] of [
    ["SQLite", "SQLite"],
    [{ [DATABASE.question]: "PostgreSQL" }, "PostgreSQL"],
    [{ answers: [{ question: DATABASE.question, selectedOptions: ["SQLite"] }] }, "SQLite"],
  ]) {
    const other = `ui-${++made}`;
    const asked = await ask(other, "c1");
    const stream = await transport(broker).sendMessages(
      { chatId: other, messages: [assistant(output)], trigger: "submit-message" });
    assert.deepEqual((await settlement(asked)).answers, [{ selected: [label] }]);
    await stream.cancel();
  }
});

test("a page that comes back gets its message from the start", async () => {
  const chat = open();
  const left = chat.sendMessage({ text: "Go" });
  await heard(chat.id, "Go");
  await pushNear(chat.id, { type: "status", status: "working" },
    { type: "text-end", part_id: "t1", text: "One." },
    { type: "text-start", part_id: "t2", text: "Tw" });
  const pending = await ask(chat.id, "c1");
  const settled = await ask(chat.id, "c2");
  const timed = await ask(chat.id, "c3", [DATABASE], { timeout_seconds: 0.5 });
  await chat.part("c3");
  const id = chat.messages.at(-1).id;
  await chat.stop();
  await left;
  await broker.answer(settled, [{ selected: ["SQLite"] }]);
  await settlement(timed);

  const back = new UiChat(broker, chat.id, { messages: chat.messages });
  chats.push(back);
  const turn = back.resumeStream();
  await back.part("c2", ({ state }) => state === "output-available");
  await back.part("c3", ({ state }) => state === "output-error");
  assert.equal((await back.part("c1")).state, "input-available");
  assert.equal(back.messages.length, 2);
  assert.equal(back.messages.at(-1).id, id);
  assert.equal(back.text(), "One.|Tw");
  await pushNear(chat.id, { type: "text-delta", part_id: "t2", text: "o." },
    { type: "text-end", part_id: "t2" });
  await broker.answer(pending, [{ selected: ["SQLite"] }]);
  await pushNear(chat.id, { type: "finish" });
  await turn;
  assert.equal(back.text(), "One.|Two.");
  assert.deepEqual(back.failures, []);
  const rested = await transport(broker).reconnectToStream({ chatId: chat.id });
  assert.equal(rested, null, "there is nothing to resume");
});

test("the server is killed while an ask is pending, and the page comes back", async () => {
  const chat = open();
  const broken = chat.sendMessage({ text: "Go" }).catch(() => {});
  await heard(chat.id, "Go");
  await ask(chat.id, "c1");
  await chat.part("c1");
  await broker.kill();
  await broken;
  await broker.restart();
  const back = new UiChat(broker, chat.id, { messages: [userMessage("Go")] });
  chats.push(back);
  const turn = back.resumeStream();
  const part = await back.part("c1", ({ state }) => state === "input-available");
  assert.deepEqual(part.input, { questions: [DATABASE] });
  assert.deepEqual(await click(chat.id, "c1", { [DATABASE.question]: "SQLite" }),
    { resolved: true });
  await back.part("c1", ({ state }) => state === "output-available");
  await push(chat.id, { type: "finish" });
  await turn;
  assert.deepEqual(back.failures, []);
});

test("tool input only grows, comes whole once, and is never declared invalid once begun",
  async () => {
    const session = `ui-${++made}`;
    const stream = await transport(broker).sendMessages(
      { chatId: session, messages: [userMessage("Go")], trigger: "submit-message" });
    const reading = chunksOf(stream);
    await heard(session, "Go");
    await pushNear(session, { type: "status", status: "working" },
      { type: "tool-input-start", call_id: "x", tool: "NobodyKnowsThisTool" },
      { type: "tool-input-delta", call_id: "x", text: "{\"path\": \"/a" },
      { type: "tool-input-delta", call_id: "x", text: "/b\"}" },
      { type: "tool-input-error", call_id: "x", tool: "NobodyKnowsThisTool", error: "no tool" },
      { type: "tool-input-available", call_id: "x", tool: "NobodyKnowsThisTool",
        input: { path: "/other" } },
      { type: "tool-input-available", call_id: "x", tool: "NobodyKnowsThisTool",
        input: { path: "/third" } },
      { type: "tool-input-delta", call_id: "x", text: "late" },
      { type: "tool-output", call_id: "x", output: { ok: true } },
      { type: "tool-output", call_id: "x", output: { ok: false } },
      { type: "tool-input-start", call_id: "y", tool: "Bash", text: "}, not JSON" },
      { type: "tool-input-available", call_id: "y" },
      { type: "tool-output", call_id: "y", error: "it failed" },
      { type: "tool-input-error", call_id: "z", tool: "Gone", error: "no such tool" },
      { type: "finish" });
    const chunks = await reading;
    const of = (call) => chunks.filter(({ toolCallId }) => toolCallId === call);
    assert.deepEqual(of("x").map(({ type }) => type), ["tool-input-start", "tool-input-delta",
      "tool-input-delta", "tool-input-available", "tool-output-available"]);
    assert.equal(of("x")[0].toolName, "NobodyKnowsThisTool");
    assert.deepEqual(of("x")[3].input, { path: "/other" }, "the structured input is the record");
    assert.deepEqual(of("x")[4].output, { ok: true });
    assert.equal(of("y").find(({ type }) => type === "tool-input-available").input, "}, not JSON");
    assert.equal(of("y").at(-1).errorText, "it failed");
    assert.equal(of("z").at(-1).errorText, "no such tool");
    assert.ok(!chunks.some(({ type }) => type === "tool-input-error"));
    assert.equal(chunks.at(-1).type, "finish");
  });

test("an ask whose call was streamed before it is one part", async () => {
  const chat = open();
  const turn = chat.sendMessage({ text: "Go" });
  await heard(chat.id, "Go");
  await pushNear(chat.id, { type: "status", status: "working" },
    { type: "tool-input-start", call_id: "c1", tool: "AskFollowupQuestion" },
    { type: "tool-input-delta", call_id: "c1", text: "{\"questions\": [" });
  await ask(chat.id, "c1");
  await pushNear(chat.id, { type: "tool-input-available", call_id: "c1", tool: "AskFollowupQuestion",
    input: { questions: "as the model wrote it" } });
  const part = await chat.part("c1", ({ state }) => state === "input-available");
  assert.equal(part.type, "tool-AskFollowupQuestion");
  assert.deepEqual(part.input, { questions: [DATABASE] });
  await click(chat.id, "c1", { [DATABASE.question]: "SQLite" });
  await pushNear(chat.id, { type: "tool-output", call_id: "c1", output: "auto-answered" },
    { type: "finish" });
  await turn;
  assert.deepEqual((await chat.part("c1")).output, { answers: { [DATABASE.question]: "SQLite" } });
  assert.equal(chat.parts().filter(({ toolCallId }) => toolCallId === "c1").length, 1);
  assert.deepEqual(chat.failures, []);
});

test("server-side tools do not make the page send the message back", async () => {
  const sent = [];
  const chat = open({ sendAutomaticallyWhen: (state) => {
    sent.push(state.messages.at(-1).parts.length);
    return lastAssistantMessageIsCompleteWithToolCalls(state);
  } });
  const turn = chat.sendMessage({ text: "Go" });
  await heard(chat.id, "Go");
  await push(chat.id, { type: "status", status: "working" },
    { type: "tool-input-available", call_id: "r", tool: "Read", input: { file: "a" } },
    { type: "tool-output", call_id: "r", output: "text" }, { type: "finish" });
  await turn;
  assert.ok(sent.length > 0);
  assert.equal(chat.status, "ready");
  const { body } = await broker.call("GET", `/v1/sessions/${chat.id}/messages`);
  assert.equal(body.messages.length, 1);
});

test("a message while an ask is pending is queued, and the page is told", async () => {
  const session = `ui-${++made}`;
  await ask(session, "c1");
  const told = [];
  const chat = new UiChat(broker, session, { onData: (part) => told.push(part) });
  chats.push(chat);
  void chat.sendMessage({ text: "And another thing" });
  const part = await chat.part("c1");
  assert.equal(part.state, "input-available", "a page that does not know the ask is shown it");
  await until(() => told.some(({ type, data }) =>
    type === "data-queued" && data.reason === "waiting_for_user"), "word of the queue");
});

test("fifty chats at once, and a 200 KiB answer", async () => {
  const long = "0123456789abcdef".repeat(200 * 64);
  await Promise.all(Array.from({ length: 50 }, async (_, i) => {
    const chat = open();
    const turn = chat.sendMessage({ text: "Go" });
    await heard(chat.id, "Go");
    await ask(chat.id, "c1");
    await chat.part("c1");
    const answer = i === 0 ? long : `answer ${i}`;
    await click(chat.id, "c1", { [DATABASE.question]: answer });
    const part = await chat.part("c1", ({ state }) => state === "output-available");
    assert.equal(part.output.answers[DATABASE.question], answer);
    await push(chat.id, { type: "finish" });
    await turn;
    assert.deepEqual(chat.failures, []);
  }));
});

test("malformed input, wrong token, wrong session", async () => {
  const post = (body, token) => broker.peer.call("POST", "/api/chat", body, token);
  for (const body of [{}, [], { id: "x" }, { id: "x", messages: [] }, { messages: [userMessage("a")] },
    { id: "x", messages: [{ role: "user", parts: [{ type: "file" }] }] }, { id: "x", messages: 7 }]) {
    const { status, body: told } = await post(body);
    assert.equal(status, 400, JSON.stringify(body));
    assert.equal(typeof told.error, "string");
  }
  const refused = await post({ id: "x", messages: [userMessage("a")] }, "guess");
  assert.deepEqual(refused, { status: 401, body: { error: "Unauthorized" } });
  const gone = await post({ id: "ses_00000000000000000000000000", messages: [userMessage("a")] });
  assert.equal(gone.status, 404);
  const nothing = await broker.call("GET", "/api/chat/nobody/stream");
  assert.equal(nothing.status, 204);
});
