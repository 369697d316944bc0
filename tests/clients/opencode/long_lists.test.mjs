// SPDX-License-Identifier: Apache-2.0
// Lists far longer than what the broker would hold for one client: whole, and written as they are read.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import http from "node:http";
import { after, before, test } from "node:test";

import { Broker, until } from "../support/broker.mjs";
import { ask, raw, sdk } from "./support.mjs";

const MIB = 1024 * 1024;
const ASKS = 200;
const PARTS = 24;
const BOUND = 48 * MIB; // what one answer may add, of one that is several times as long

let broker;
before(async () => { broker = await Broker.start(); });
after(() => broker.stop());

const resident = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${broker.process.pid}/status`, "utf8"))[1]) * 1024;

// Begins to read, leaves the rest for as long as the broker writes, then reads to the end.
async function readLate(path) {
  const before = resident();
  const response = await new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${broker.token}` };
    http.get(broker.url + path, { headers }, resolve).on("error", reject);
  });
  response.pause();
  let last = -1;
  let same = 0;
  await until(() => {
    const now = resident();
    same = now === last ? same + 1 : 0;
    last = now;
    return same === 20;
  }, "a broker that waits for its reader");
  const grown = resident() - before;
  const chunks = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return { grown, length: text.length, list: JSON.parse(text) };
}

test("all questions, though they are many and long", async () => {
  const description = "d".repeat(15_000);
  const options = Array.from({ length: 12 }, (_, n) => ({ label: `Option ${n}`, description }));
  let last;
  for (let n = 0; n < ASKS; ++n) last = await ask(broker, "many", [{ question: `Number ${n}?`, options }]);
  // The node that is measured hears of all of them.
  assert.equal((await raw(broker, "GET", `/v1/asks/${last.id}`)).status, 200);
  const { grown, length, list } = await readLate("/question");
  assert.ok(length > 30 * MIB);
  assert.ok(grown < length / 2, `${grown} bytes more for an answer of ${length}`);
  assert.deepEqual(list.map(({ questions }) => questions[0].question),
    Array.from({ length: ASKS }, (_, n) => `Number ${n}?`));
});

test("all that was said in a session, whatever its length; limit gives the newest", async () => {
  const { data: session } = await sdk(broker).session.create({ title: "long" });
  for (let n = 0; n < PARTS; ++n) {
    const part_id = `part-${n}`;
    const { status } = await broker.call("POST", `/v1/sessions/${session.id}/events`,
      [{ type: "text-start", part_id, text: `${n} ` + "x".repeat(3 * MIB) }, { type: "text-end", part_id }]);
    assert.equal(status, 202);
  }
  await broker.call("POST", `/v1/sessions/${session.id}/events`, [{ type: "finish" }]);
  await broker.call("POST", `/v1/sessions/${session.id}/messages`, { text: "thanks" });
  const { grown, length, list } = await readLate(`/session/${session.id}/message`);
  assert.ok(length > PARTS * 3 * MIB);
  assert.ok(grown < BOUND, `${grown} bytes more for an answer of ${length}`);
  assert.deepEqual(list.map(({ info }) => info.role), ["assistant", "user"]);
  assert.deepEqual(list[0].parts.map(({ text }) => text.slice(0, 4).trim().split(" ")[0]),
    Array.from({ length: PARTS }, (_, n) => String(n)));
  const newest = await raw(broker, "GET", `/session/${session.id}/message?limit=1`);
  assert.ok(newest.text.length < 10_000);
  assert.equal(newest.body[0].parts[0].text, "thanks");
  const one = await raw(broker, "GET", `/session/${session.id}/message/${list[1].info.id}`);
  assert.deepEqual(one.body, list[1]);
});
