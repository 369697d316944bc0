// SPDX-License-Identifier: Apache-2.0
// Two nodes with `--agent llm` on one database: each conversation is held by one of them, which goes on
// with it after a crash, with what was answered and said at the other meanwhile.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { Hosting } from "./support/hosting.mjs";
import { ask, question } from "./support/world.mjs";

const script = ({ users, results }) => {
  if (users.length > 1) return { text: `Heard: ${users.at(-1)}` };
  return results.length === 0 ? { calls: [ask("c_0", question("Which colour?"))] } : { text: "Thank you." };
};

const holds = async (node, session) =>
  (await readdir(join(node.folder, "state/parley/llm"))).includes(`${session}.jsonl`);

test("a node that is killed goes on with its own sessions, and no other does", async (t) => {
  const h = await Hosting.start(t, "anthropic", script, ["--node-timeout", "2s"]);
  const nodes = [h.broker, h.broker.peer];
  // Each call names its node.
  for (const node of nodes) node.peer = node;
  t.after(() => Promise.all(nodes.map((node) => node.stop())));
  const session = await h.open();
  await h.say(session, "go");
  const { id } = await h.asked(session);
  const held = await Promise.all(nodes.map((node) => holds(node, session)));
  assert.deepEqual(held.toSorted(), [false, true]);
  const [own, other] = held[0] ? nodes : nodes.toReversed();
  await own.kill();
  h.broker = other;
  await h.broker.answer(id, [{ selected: ["Green"] }]);
  await h.say(session, "and more");
  await h.isTold(session, /The node .* is gone/);
  assert.equal(h.model.requests.length, 1, "the other node leaves it alone");
  await own.restart();
  await h.hears(session, "Heard: and more");
  assert.match(h.lastOf("go").results[0].result, /"Which colour\?"="Green"/);
  assert.equal(h.model.requests.length, 3);
  assert.ok(!(await holds(other, session)));
});
