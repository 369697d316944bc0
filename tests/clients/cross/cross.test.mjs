// SPDX-License-Identifier: Apache-2.0
// One truth at all doors: asked through each agent's door, seen in every responder's, answered in
// one, retracted in all others by the next thing that they say about it. With $PARLEY_SHARED_STORE,
// agents are at one of two nodes that share it, and responders at the other; each door is then tried
// once instead of with every other.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Broker, SHARED_STORE } from "../support/broker.mjs";
import { ASKERS, SLOW_ASKERS } from "./askers.mjs";
import { RESPONDERS } from "./responders.mjs";
import { SCREENS } from "./screens.mjs";

const store = SHARED_STORE;
let asking;
let broker; // where responders are
let sessions = 0;
const screens = {};
before(async () => {
  asking = await Broker.start([], { store });
  broker = store ? await Broker.start([], { store, token: asking.token }) : asking;
  for (const [door, open] of Object.entries(SCREENS)) screens[door] = await open(broker);
});
after(async () => {
  for (const screen of Object.values(screens)) await screen.close();
  await broker.stop();
  if (asking !== broker) await asking.stop();
});

// A screen shows all sessions, so each question has words of its own.
const newQuestion = () =>
  ({ question: `Which database for ${++sessions}?`, header: "DB", options: ["PostgreSQL", "SQLite"] });

// Follows the session in every door; gives the watchers by door, screens among them.
async function watchAll(t, session) {
  const watchers = { ...screens };
  for (const [door, watch] of Object.entries(RESPONDERS)) {
    watchers[door] = await watch(broker, session);
    t.after(() => watchers[door].close());
  }
  return watchers;
}

// Seen at every door.
async function seen(watchers, session) {
  const [ask] = await broker.pending(1, session);
  for (const watcher of Object.values(watchers)) {
    watcher.know?.(ask);
    await watcher.asked(ask);
  }
  return ask;
}

async function retracted(watchers, ask, outcome) {
  for (const [door, watcher] of Object.entries(watchers)) {
    const told = await watcher.settled(ask);
    if (!watcher.after) continue;
    if (told.outcome) assert.equal(told.outcome, outcome, door);
    const [next] = watcher.after(ask);
    assert.equal(next.kind, "settled", door);
    assert.equal(next.id, ask.id, door);
  }
}

function crossing(agent, prepare, responder) {
  test(`asked by ${agent}, answered by ${responder}`, async (t) => {
    const asker = await prepare(asking, newQuestion());
    t.after(() => asker.close());
    const watchers = await watchAll(t, asker.session);
    const label = asker.ask();
    const ask = await seen(watchers, asker.session);
    assert.ok(await watchers[responder].answer(ask, "SQLite"));
    assert.equal(await label, "SQLite");
    await retracted(watchers, ask, "answered");
  });
}

const answering = [...Object.keys(RESPONDERS), ...Object.keys(SCREENS)];
const agents = Object.entries(ASKERS);
if (store) {
  for (let at = 0; at < Math.max(agents.length, answering.length); ++at)
    crossing(...agents[at % agents.length], answering[at % answering.length]);
} else {
  for (const [agent, prepare] of agents)
    for (const responder of answering) crossing(agent, prepare, responder);
}
const slow = ["tool-result", "chat socket", "tRPC over SSE"];
for (const [agent, prepare] of Object.entries(SLOW_ASKERS))
  for (const responder of store ? slow.slice(0, 1) : slow) crossing(agent, prepare, responder);

const askIn = (session, more = {}) =>
  asking.call("POST", "/v1/asks", { session, questions: [newQuestion()], ...more });

for (const [how, outcome] of [["dismiss", "dismissed"], ["withdraw", "withdrawn"]]) {
  test(`${outcome} at one door, retracted in all`, async (t) => {
    const watchers = await watchAll(t, outcome);
    await askIn(outcome);
    const ask = await seen(watchers, outcome);
    await broker.call("POST", `/v1/asks/${ask.id}/${how}`, {});
    await retracted(watchers, ask, outcome);
  });
}

test("timed out, retracted in all", async (t) => {
  const watchers = await watchAll(t, "timed out");
  await askIn("timed out", { timeout_seconds: 2 });
  const ask = await seen(watchers, "timed out");
  await retracted(watchers, ask, "timed_out");
});

test("of all doors at once one wins, and the agent gets that answer", async (t) => {
  // A label for each door: the same answer twice by one principal would be one answer.
  const question = { ...newQuestion(), options: Object.keys(RESPONDERS) };
  const asker = await ASKERS.native(asking, question);
  const watchers = await watchAll(t, asker.session);
  const label = asker.ask();
  const ask = await seen(watchers, asker.session);
  // The chat socket tells winner and loser alike how it ended, and a screen shows it to a person:
  // they are not asked who won.
  const won = await Promise.all(Object.values(watchers)
    .filter(({ name, after: notes }) => notes && name !== "chat socket")
    .map((watcher) => watcher.answer(ask, watcher.name)));
  assert.equal(won.filter(Boolean).length, 1);
  const { body } = await broker.call("GET", `/v1/asks/${ask.id}`);
  assert.equal(await label, body.settlement.answers[0].selected[0]);
  await retracted(watchers, ask, "answered");
});
