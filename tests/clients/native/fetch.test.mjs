// SPDX-License-Identifier: Apache-2.0
// The native door with nothing but fetch.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Broker } from "../support/broker.mjs";

const QUESTION = { question: "Tea or coffee?", options: ["Tea", "Coffee"] };

let broker;
before(async () => { broker = await Broker.start(); });
after(() => broker.stop());

test("an asker that waits gets the answer", async () => {
  const waiting = broker.call("POST", "/v1/asks?wait=30", { questions: [QUESTION], session: "a" });
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

test("a wrong token is refused", async () => {
  const { status, body } = await broker.call("GET", "/v1/asks", undefined, "guess");
  assert.equal(status, 401);
  assert.equal(body.status, 401);
});
