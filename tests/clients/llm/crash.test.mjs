// SPDX-License-Identifier: Apache-2.0
// Killed with -9 after each event of a conversation, the run, which is resumed, or the broker, which
// starts again: in the end the model has been told exactly what it is told when nothing happens, and
// people have seen nothing twice.
import assert from "node:assert/strict";
import { test } from "node:test";

import { until } from "../support/broker.mjs";
import { World, ask, question } from "./support/world.mjs";

const AT_ONCE = 4;

// Two calls at once, one of them wrong; then one that does not block; then its answer as a message.
// `ticks` is told, by the session's name, of each piece of a reply that is on its way.
const script = (ticks) => ({ users, results }) => {
  const [name] = users[0].split(" ");
  const reply = (more) => ({ piece: 500, after: () => ticks.get(name)?.(), ...more });
  if (users.length > 1) return reply({ text: "Thank you." });
  if (results.length === 0) return reply({ thought: "Hm.", text: "Two things first.", calls: [
    ask(`${name}_0`, question("Which colour?")), ask(`${name}_1`, { questions: [] })] });
  if (results.length === 2) return reply({ text: "And one for later.", calls: [
    ask(`${name}_2`, { ...question("Later?"), blocking: false })] });
  return reply({ text: "Meanwhile I go on." });
};

// One conversation. Its events are the lines that the run prints, of what the broker tells, and the pieces
// of replies. `isLast` is asked at each whether the victim dies there.
class Talk {
  constructor(w, ticks, name, isLast, victim = "run") {
    Object.assign(this, { w, name, isLast, victim });
    ticks.set(name, () => this.tick());
  }

  async converse() {
    await this.w.broker.call("POST", "/v1/sessions", { name: this.name });
    await this.w.broker.call("POST", `/v1/sessions/${this.name}/messages`, { text: `${this.name} go` });
    this.start(...this.w.modelOptions, "--session", this.name);
    await this.hears("Thank you.");
    await this.restarted;
    this.run?.child.kill("SIGKILL");
    this.run = undefined;
    return { told: this.plain(this.told()), parts: this.plain(await this.parts()) };
  }

  start(...args) {
    const run = this.w.spawn("run", "llm", ...args, "--json");
    this.run = run;
    run.onLine = (line) => {
      if (run === this.run && !this.tick()) this.see(JSON.parse(line));
    };
  }

  // The broker may be away.
  async hears(text) {
    await until(async () => (await this.w.words(this.name).catch(() => [])).includes(text),
      `${this.name} hears: ${text}`, 60_000);
  }

  tick() {
    if (!this.run || !this.isLast()) return false;
    if (this.victim === "broker") {
      this.restarted = this.w.broker.kill().then(() => this.w.broker.restart());
      return false;
    }
    const { child, ended } = this.run;
    this.run = undefined;
    child.kill("SIGKILL");
    void ended.then(() => this.start("--resume", this.name));
    return true;
  }

  see(event) {
    if (event.type === "ask.opened") void this.answer(event.ask);
  }

  // What was asked without waiting is answered late: a call that is made again after that brings the answer.
  async answer({ id, questions }) {
    const isLate = questions[0].question === "Later?";
    const label = isLate ? "Green" : "Blue";
    if (isLate) await this.hears("Meanwhile I go on.");
    await until(() => this.w.broker.answer(id, [{ selected: [label] }]).catch(() => false),
      `${id} is answered`, 60_000);
  }

  told() {
    return this.w.model.requests.findLast(({ users }) => users[0] === `${this.name} go`).said;
  }

  async parts() {
    return (await this.w.parts(this.name)).filter(({ type }) => type !== "finish");
  }

  // Without what differs between any two conversations.
  plain(value) {
    return JSON.parse(JSON.stringify(value).replaceAll(this.name, "NAME")
      .replaceAll(/(que|msg)_[0-9a-z]{26}/g, "$1_X"));
  }
}

const keys = (parts) => parts.map(({ type, part_id, call_id }) => `${type} ${part_id ?? call_id}`);

// One that is made again and again until the list is empty, so many at once.
async function each(list, lanes, work) {
  await Promise.all(lanes.map(async (lane) => {
    for (let next = list.shift(); next !== undefined; next = list.shift()) await work(next, lane);
  }));
}
const upTo = (count) => Array.from({ length: count }, (_, i) => i + 1);

// What the conversation is when nothing happens, and how many events it has.
async function undisturbed(w, ticks) {
  let events = 0;
  const whole = await new Talk(w, ticks, "whole", () => { ++events; return false; }).converse();
  assert.equal(whole.told.filter(({ user }) => user).length, 2);
  assert.equal(new Set(keys(whole.parts)).size, whole.parts.length);
  assert.ok(events > 20, `${events} events`);
  return { whole, events };
}

for (const api of ["anthropic", "openai"])
  test(`${api}: killed after each event`, { timeout: 280_000 }, async (t) => {
    const ticks = new Map();
    const w = await World.start(t, api, script(ticks));
    const { whole, events } = await undisturbed(w, ticks);
    await each(upTo(events), upTo(AT_ONCE), async (count) => {
      let seen = 0;
      const again = await new Talk(w, ticks, `after${count}`, () => ++seen === count).converse();
      assert.deepEqual(again.told, whole.told, `killed after ${count} of ${events} events`);
      assert.deepEqual(keys(again.parts), keys(whole.parts), `killed after ${count} of ${events} events`);
    });
  });

test("the broker is killed after each event", { timeout: 280_000 }, async (t) => {
  const ticks = new Map();
  const worlds = await Promise.all(upTo(AT_ONCE).map(() => World.start(t, "anthropic", script(ticks))));
  const { whole, events } = await undisturbed(worlds[0], ticks);
  let kills = 0; // the last events may come when the conversation is over
  await each(upTo(events), worlds, async (count, w) => {
    let seen = 0;
    const again = await new Talk(w, ticks, `after${count}`, () => ++seen === count, "broker").converse();
    const when = `the broker was killed after ${count} of ${events} events`;
    if (seen >= count) ++kills;
    assert.deepEqual(again.told, whole.told, when);
    // What it wrote and died before saying so may be told it again.
    assert.deepEqual([...new Set(keys(again.parts))], keys(whole.parts), when);
  });
  assert.ok(kills > 20, `${kills} kills`);
});
