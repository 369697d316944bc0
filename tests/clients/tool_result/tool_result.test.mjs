// SPDX-License-Identifier: Apache-2.0
// POST /api/chat/tool-result: what a question card posts when it is clicked.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Broker } from "../support/broker.mjs";

const DATABASE = {
  question: "Which database?", header: "Database", multiSelect: false,
  options: [{ label: "PostgreSQL", description: "" }, { label: "SQLite", description: "" }],
};
const EXTRAS = {
  question: "Which extras?", header: "Extras", multiSelect: true,
  options: ["Dark mode", "Offline", "Red, green"],
};
const NOTES = { question: "Anything else?", header: "Notes", options: [] };

let broker;
let made = 0;
before(async () => { broker = await Broker.start(); });
after(() => broker.stop());

const fresh = () => `chat-${++made}`;
async function ask(session, call, questions = [DATABASE], more = {}) {
  const { status, body } = await broker.call("POST", "/v1/asks", {
    session, questions, tool: { message_id: "m", call_id: call }, ...more });
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}
const settlement = async (id) => (await broker.settled(id)).settlement;
const state = async (id) => (await broker.peer.call("GET", `/v1/asks/${id}`)).body.state;
const click = (sessionId, toolUseId, answers, token) =>
  broker.peer.call("POST", "/api/chat/tool-result", { sessionId, toolUseId, answers }, token);

test("a click resolves the ask of its call", async () => {
  const session = fresh();
  const { id } = await ask(session, "toolu_1");
  const { status, body } = await click(session, "toolu_1", { [DATABASE.question]: "SQLite" });
  assert.equal(status, 200);
  assert.deepEqual(body, { resolved: true });
  const settled = await settlement(id);
  assert.deepEqual(settled.answers, [{ selected: ["SQLite"] }]);
  assert.equal(settled.door, "tool-result");
});

test("several questions, several choices, free text", async () => {
  const session = fresh();
  const { id } = await ask(session, "toolu_1", [DATABASE, EXTRAS, NOTES]);
  const { body } = await click(session, "toolu_1", {
    [DATABASE.question]: "PostgreSQL",
    [EXTRAS.question]: "Offline, Red, green",
    [NOTES.question]: "none",
  });
  assert.deepEqual(body, { resolved: true });
  assert.deepEqual((await settlement(id)).answers, [
    { selected: ["PostgreSQL"] }, { selected: ["Offline", "Red, green"] },
    { selected: [], other: "none" },
  ]);
});

test("late, double and unknown clicks are not resolved, and say why", async () => {
  const session = fresh();
  await ask(session, "toolu_1");
  await click(session, "toolu_1", { [DATABASE.question]: "SQLite" });
  for (const choice of ["SQLite", "PostgreSQL"]) {
    const { status, body } = await click(session, "toolu_1", { [DATABASE.question]: choice });
    assert.equal(status, 200);
    assert.equal(body.resolved, false);
    assert.equal(body.outcome, "answered");
    assert.equal(body.decider.principal, "owner");
  }
  const unknown = await click(session, "toolu_2", { [DATABASE.question]: "SQLite" });
  assert.deepEqual(unknown.body, { resolved: false, outcome: "unknown" });

  for (const [how, outcome] of [["dismiss", "dismissed"], ["withdraw", "withdrawn"]]) {
    const { id } = await ask(session, `toolu_${how}`);
    await broker.call("POST", `/v1/asks/${id}/${how}`, {});
    const { body } = await click(session, `toolu_${how}`, { [DATABASE.question]: "SQLite" });
    assert.equal(body.resolved, false);
    assert.equal(body.outcome, outcome);
  }
  const short = await ask(session, "toolu_short", [DATABASE], { timeout_seconds: 0.05 });
  await settlement(short.id);
  const late = await click(session, "toolu_short", { [DATABASE.question]: "SQLite" });
  assert.equal(late.body.outcome, "timed_out");
});

test("an ask without a tool call is meant by its own id", async () => {
  const session = fresh();
  const { body: asked } = await broker.call("POST", "/v1/asks", { session, questions: [DATABASE] });
  const elsewhere = fresh();
  await ask(elsewhere, "other");
  const wrong = await click(elsewhere, asked.id, { [DATABASE.question]: "SQLite" });
  assert.deepEqual(wrong.body, { resolved: false, outcome: "unknown" });
  const { body } = await click(session, asked.id, { [DATABASE.question]: "SQLite" });
  assert.deepEqual(body, { resolved: true });
});

test("the same call id in two sessions is two asks", async () => {
  const [one, two] = [fresh(), fresh()];
  const first = await ask(one, "toolu_1");
  const second = await ask(two, "toolu_1");
  await click(two, "toolu_1", { [DATABASE.question]: "SQLite" });
  assert.equal(await state(first.id), "pending");
  assert.equal((await settlement(second.id)).outcome, "answered");
});

test("400: not JSON, missing fields, answers that are no strings", async () => {
  const post = async (text) => {
    const response = await fetch(`${broker.url}/api/chat/tool-result`, {
      method: "POST", body: text,
      headers: { authorization: `Bearer ${broker.token}`, "content-type": "application/json" },
    });
    return { status: response.status, body: await response.json() };
  };
  assert.deepEqual(await post("{"), { status: 400, body: { error: "Invalid JSON" } });
  const session = fresh();
  const { id } = await ask(session, "toolu_1");
  const whole = { sessionId: session, toolUseId: "toolu_1", answers: {} };
  for (const [field, value] of [
    ["sessionId", undefined], ["toolUseId", ""], ["answers", undefined], ["answers", []],
    ["answers", { [DATABASE.question]: ["SQLite"] }], ["answers", { [DATABASE.question]: 7 }],
  ]) {
    const { status, body } = await post(JSON.stringify({ ...whole, [field]: value }));
    assert.equal(status, 400);
    assert.match(body.error, new RegExp(`^Missing required fields: ${field}`));
  }
  for (const answers of [{}, { "Another question?": "SQLite" }]) {
    const { status, body } = await post(JSON.stringify({ ...whole, answers }));
    assert.equal(status, 400);
    assert.ok(body.error);
    assert.ok(body.errors[0].path.startsWith("/answers"));
  }
  assert.equal(await state(id), "pending");
});

test("401 without a valid token, 403 for a session that is not known and for agents", async () => {
  const session = fresh();
  await ask(session, "toolu_1");
  const body = { [DATABASE.question]: "SQLite" };
  const refused = await click(session, "toolu_1", body, "guess");
  assert.deepEqual(refused, { status: 401, body: { error: "Unauthorized" } });
  for (const unknown of ["nobody", "ses_00000000000000000000000000"]) {
    const { status, body: told } = await click(unknown, "toolu_1", body);
    assert.deepEqual({ status, told }, { status: 403, told: { error: "Forbidden" } });
  }
  const agent = await broker.newToken("bot", "agent");
  assert.equal((await click(session, "toolu_1", body, agent)).status, 403);
});

test("a click after kill -9 reaches the ask that was pending", async () => {
  const session = fresh();
  const { id } = await ask(session, "toolu_1");
  await broker.kill();
  await broker.restart();
  const { body } = await click(session, "toolu_1", { [DATABASE.question]: "PostgreSQL" });
  assert.deepEqual(body, { resolved: true });
  await broker.kill();
  await broker.restart();
  const again = await click(session, "toolu_1", { [DATABASE.question]: "SQLite" });
  assert.equal(again.body.outcome, "answered");
  assert.deepEqual((await settlement(id)).answers, [{ selected: ["PostgreSQL"] }]);
});

test("an answer of 200 KiB, and fifty sessions at once", async () => {
  const long = "0123456789abcdef".repeat(200 * 64);
  await Promise.all(Array.from({ length: 50 }, async (_, i) => {
    const session = fresh();
    const { id } = await ask(session, "toolu_1", [NOTES]);
    const text = i === 0 ? long : `note ${i}`;
    const { body } = await click(session, "toolu_1", { [NOTES.question]: text });
    assert.deepEqual(body, { resolved: true });
    assert.equal((await settlement(id)).answers[0].other, text);
  }));
});
