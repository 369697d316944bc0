// SPDX-License-Identifier: Apache-2.0
// The native door with nothing but fetch.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Broker } from "../support/broker.mjs";

const QUESTION = { question: "Tea or coffee?", options: ["Tea", "Coffee"] };

// Of the parts that are kept.
const texts = ({ events }) => events.flatMap(({ event: { part } }) => part?.text ?? []);

let broker;
before(async () => { broker = await Broker.start(); });
after(() => broker.stop());

test("an asker that waits gets the answer", async () => {
  const waiting = broker.peer.call("POST", "/v1/asks?wait=30",
    { questions: [QUESTION], session: "a" });
  const [ask] = await broker.pending(1, "a");
  const answered = await broker.answer(ask.id, [{ selected: ["Tea"] }], { by: "ada" });
  assert.equal(answered.status, 200);
  const { status, body } = await waiting;
  assert.equal(status, 200);
  assert.equal(body.state, "answered");
  assert.deepEqual(body.settlement.answers, [{ selected: ["Tea"] }]);
  assert.equal(body.settlement.decider.claimed, "ada");
  assert.equal(body.settlement.decider.name, "owner");
});

test("a pending ask survives kill -9, and an answer that was acknowledged does too", async () => {
  const asked = await broker.call("POST", "/v1/asks", { questions: [QUESTION], session: "b" });
  assert.equal(asked.status, 201);
  await broker.kill();
  await broker.restart();
  const [ask] = await broker.pending(1, "b");
  assert.equal(ask.id, asked.body.id);
  assert.equal((await broker.answer(ask.id, [{ selected: ["Coffee"] }])).status, 200);
  await broker.kill();
  await broker.restart();
  const { body } = await broker.call("GET", `/v1/asks/${ask.id}`);
  assert.deepEqual(body.settlement.answers, [{ selected: ["Coffee"] }]);
});

test("a part that spans kill -9 is refused until it is sent again from its start", async () => {
  await broker.call("POST", "/v1/sessions", { name: "s" });
  // At the node that is killed.
  const push = (...items) => broker.peer.call("POST", "/v1/sessions/s/events", items);
  const first = { type: "text-start", part_id: "t1", text: "Do NOT " };
  const call = { type: "tool-input-start", call_id: "c1", tool: "Bash", text: '{"command":"echo ' };
  assert.equal((await push(first, call)).status, 202);
  await broker.kill();
  await broker.restart();
  const rest = [{ type: "text-delta", part_id: "t1", text: "run the migration" },
    { type: "text-end", part_id: "t1" }];
  const more = { type: "tool-input-delta", call_id: "c1", text: 'rm -rf /"}' };
  const whole = { type: "tool-input-available", call_id: "c1" };
  for (const items of [rest, rest.slice(1), [more], [whole]]) {
    const { status, body } = await push(...items);
    assert.equal(status, 409);
    assert.match(body.detail, /is not open; send it again from its start$/);
    assert.equal(body.applied, 0);
  }
  assert.equal((await push(first, ...rest)).status, 202);
  const { body } = await broker.call("GET", "/v1/sessions/s/events");
  assert.deepEqual(texts(body), ["Do NOT run the migration"]);
});

test("a push has one result: the first refusal, what stays before it, nothing after it", async () => {
  await broker.call("POST", "/v1/sessions", { name: "array" });
  const push = (...items) => broker.call("POST", "/v1/sessions/array/events", items);
  const end = (part_id, text) => ({ type: "text-end", part_id, text });
  const { status, body } = await push(end("a", "one"), end("never-started"), end("b", "two"));
  assert.equal(status, 409);
  assert.equal(body.applied, 1);
  assert.equal(body.errors[0].path, "/1/part_id");
  const big = { type: "text-start", part_id: "big", text: "x".repeat(3_500_000) };
  assert.equal((await push(big)).status, 202);
  const refused = await push(
    { type: "text-delta", part_id: "big", text: "y".repeat(1_000_000) }, end("big"));
  assert.equal(refused.status, 413);
  assert.deepEqual([refused.body.applied, refused.body.errors[0].path], [0, "/0"]);
  const wrong = await push(end("c", "three"), { type: "text-ending" });
  assert.deepEqual([wrong.status, wrong.body.applied, wrong.body.errors[0].path], [400, 0, "/1/type"]);
  const { body: log } = await broker.call("GET", "/v1/sessions/array/events");
  assert.deepEqual(texts(log), ["one"]);
});

test("a wrong token is refused", async () => {
  const { status, body } = await broker.call("GET", "/v1/asks", undefined, "guess");
  assert.equal(status, 401);
  assert.equal(body.status, 401);
});
