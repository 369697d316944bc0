// SPDX-License-Identifier: Apache-2.0
// One truth at all doors: asked through each agent's door, seen in every responder's, answered in
// one, retracted in all others by the next thing that they say about it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Broker } from "../support/broker.mjs";
import { ASKERS, RESPONDERS } from "./doors.mjs";

const QUESTION = { question: "Which database?", options: ["PostgreSQL", "SQLite"] };

let broker;
let sessions = 0;
before(async () => { broker = await Broker.start(); });
after(() => broker.stop());

async function watchAll(session) {
  const watchers = {};
  for (const [door, watch] of Object.entries(RESPONDERS))
    watchers[door] = await watch(broker, session);
  return watchers;
}

// Seen at every door.
async function seen(watchers, session) {
  const [ask] = await broker.pending(1, session);
  for (const watcher of Object.values(watchers)) {
    watcher.know?.(ask);
    await watcher.asked(ask.id);
  }
  return ask;
}

async function retracted(watchers, ask, outcome) {
  for (const [door, watcher] of Object.entries(watchers)) {
    const told = await watcher.settled(ask.id);
    if (told.outcome) assert.equal(told.outcome, outcome, door);
    assert.deepEqual(watcher.after(ask.id)[0].kind, "settled", door);
    assert.equal(watcher.after(ask.id)[0].id, ask.id, door);
  }
}

for (const [agent, asking] of Object.entries(ASKERS)) {
  for (const responder of Object.keys(RESPONDERS)) {
    test(`asked by ${agent}, answered by ${responder}`, async () => {
      const session = `cross-${++sessions}`;
      const watchers = await watchAll(session);
      const answer = asking(broker, session, QUESTION);
      const ask = await seen(watchers, session);
      assert.ok(await watchers[responder].answer(ask, "SQLite"));
      assert.equal(await answer, "SQLite");
      await retracted(watchers, ask, "answered");
      for (const watcher of Object.values(watchers)) await watcher.close();
    });
  }
}

for (const [how, outcome] of [["dismiss", "dismissed"], ["withdraw", "withdrawn"]]) {
  test(`${outcome} at one door, retracted in all`, async () => {
    const session = `cross-${++sessions}`;
    const watchers = await watchAll(session);
    await broker.call("POST", "/v1/asks", { session, questions: [QUESTION] });
    const ask = await seen(watchers, session);
    await broker.call("POST", `/v1/asks/${ask.id}/${how}`, {});
    await retracted(watchers, ask, outcome);
    for (const watcher of Object.values(watchers)) await watcher.close();
  });
}

test("timed out, retracted in all", async () => {
  const session = `cross-${++sessions}`;
  const watchers = await watchAll(session);
  await broker.call("POST", "/v1/asks", { session, questions: [QUESTION], timeout_seconds: 2 });
  const ask = await seen(watchers, session);
  await retracted(watchers, ask, "timed_out");
  for (const watcher of Object.values(watchers)) await watcher.close();
});

test("of all doors at once one wins, and the agent gets that answer", async () => {
  const session = `cross-${++sessions}`;
  const watchers = await watchAll(session);
  // A label for each door: the same answer twice by one principal would be one answer.
  const question = { ...QUESTION, options: Object.keys(RESPONDERS) };
  const answer = ASKERS.native(broker, session, question);
  const ask = await seen(watchers, session);
  const doors = Object.values(watchers);
  // The chat socket tells winner and loser alike how it ended, so it is not asked who won.
  const won = await Promise.all(doors.filter(({ name }) => name !== "chat socket")
    .map((watcher) => watcher.answer(ask, watcher.name)));
  assert.equal(won.filter(Boolean).length, 1);
  const { body } = await broker.call("GET", `/v1/asks/${ask.id}`);
  assert.equal(await answer, body.settlement.answers[0].selected[0]);
  await retracted(watchers, ask, "answered");
  for (const watcher of doors) await watcher.close();
});
