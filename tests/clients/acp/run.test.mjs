// SPDX-License-Identifier: Apache-2.0
// `parley run acp`: an agent made with the protocol's own SDK, as a session of the broker.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";

import { Screen } from "../claude/support/screen.mjs";
import { PROGRAM, until } from "../support/broker.mjs";
import { AGENT, World } from "./support/world.mjs";

const selected = (optionId) => ({ outcome: { outcome: "selected", optionId } });
const CANCELLED = { outcome: { outcome: "cancelled" } };
// What the agent said, line by line.
const said = ({ output }) => output.split("\n").filter((line) => /^["{\d-]/.test(line))
  .map((line) => JSON.parse(line));

test("a permission: the agent's own options, in its order, and what they decide", async (t) => {
  const w = await World.start(t);
  const run = w.run("command");
  const ask = await w.asked();
  assert.deepEqual(ask.questions[0].options.map(({ label }) => label),
    ["Allow for this project", "Allow", "Reject"]);
  assert.equal(ask.questions[0].question, "May Tester run `make install`?");
  assert.deepEqual(ask.permission.input, { command: "make install" });
  await w.broker.answer(ask.id, [{ selected: ["Allow for this project"] }]);
  const ended = await run.ended;
  assert.equal(ended.code, 0, ended.errors);
  assert.deepEqual(said(ended), [selected("always")]);
  const { body } = await w.broker.call("GET", `/v1/sessions/${ask.session}`);
  assert.equal(body.state, "idle");
});

test("a denial's words are the agent's next message", async (t) => {
  const w = await World.start(t);
  const run = w.run("command");
  const ask = await w.asked();
  await w.broker.answer(ask.id, [{ selected: ["Reject"], note: "not there" }]);
  const ended = await run.ended;
  assert.equal(ended.code, 0, ended.errors);
  assert.deepEqual(said(ended)[0], selected("no"));
  assert.deepEqual(said(ended)[1].heard, ["About “make install”: not there"]);
});

test("an edit is shown as a diff; a dismissal is the mildest denial, and says why", async (t) => {
  const w = await World.start(t);
  const run = w.run("edit");
  const ask = await w.asked();
  assert.equal(ask.permission.diff,
    "--- /shop.js\n+++ /shop.js\n@@ -1,2 +1,2 @@\n let a;\n-let b;\n+let c;\n");
  await w.broker.call("POST", `/v1/asks/${ask.id}/dismiss`, { reason: "ask Grace" });
  const ended = await run.ended;
  assert.deepEqual(said(ended)[0], selected("no"));
  assert.deepEqual(said(ended)[1].heard, ["About “/shop.js”: ask Grace"]);
});

test("a form with a field of every type; a number that does not fit is asked again", async (t) => {
  const w = await World.start(t);
  const run = w.run("form");
  const first = await w.asked();
  assert.deepEqual(first.questions.map(({ header }) => header),
    ["DB", "Extras", "Port", "Ratio", "Sure", "Name"]);
  assert.equal(first.questions[0].question, "Which database?");
  assert.equal(first.questions[0].options[0].description, "yours");
  assert.equal(first.questions[0].custom, true);
  const answers = (port) => [{ selected: ["SQLite"], note: "for now" },
    { selected: ["Dark mode", "Offline"] }, { selected: [], other: port },
    { selected: [], other: "0.5" }, { selected: ["Yes"] }, { selected: [], other: "Ada" }];
  await w.broker.answer(first.id, answers("80"));
  const again = await until(async () => {
    const { asks } = (await w.broker.call("GET", "/v1/asks?state=pending")).body;
    return asks.find(({ id }) => id !== first.id);
  }, "it is asked again");
  assert.match(again.context, /“?80”? does not fit: from 1024 to 65535|"80" does not fit/);
  await w.broker.answer(again.id, answers("8080"));
  const ended = await run.ended;
  assert.deepEqual(said(ended), [{ action: "accept", content: { db: "lite", db_custom: "for now",
    extras: ["dark", "off"], port: 8080, ratio: 0.5, sure: true, name: "Ada" } }]);
});

test("an address to open, and a form that is declined", async (t) => {
  const w = await World.start(t);
  const opened = w.run("link");
  const link = await w.asked();
  assert.match(link.questions[0].options[0].description, /https:\/\/sign\.example\/in/);
  await w.broker.answer(link.id, [{ selected: ["I have opened it"] }]);
  assert.deepEqual(said(await opened.ended), [{ action: "accept" }]);
  const declined = w.run("form");
  await w.broker.call("POST", `/v1/asks/${(await w.asked()).id}/dismiss`, {});
  assert.deepEqual(said(await declined.ended), [{ action: "decline" }]);
});

test("questions that Qwen Code puts into a permission are questions", async (t) => {
  const w = await World.start(t);
  const run = w.run("qwen");
  const ask = await w.asked();
  assert.equal(ask.questions[0].question, "Which database?");
  await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
  const ended = await run.ended;
  assert.deepEqual(said(ended), [{ ...selected("submit"), answers: { 0: "SQLite" } }]);
});

// The protocol cannot ask for a longer limit on calls than the agent has for all servers, so Parley's
// keeps to the limit that it knows of each.
test("the agent gets Parley's tools, which wait as long as it lets them", async (t) => {
  const w = await World.start(t);
  assert.deepEqual(said(await w.run("servers").ended), [{ servers: [["parley", "mcp"]] }]);
});

test("Parley's own tool and form pass by rule, and that is recorded", async (t) => {
  const w = await World.start(t);
  const ended = await w.run("own", "--json").ended;
  assert.match(ended.output, /mcp__parley__ask_user passes by rule/);
  const form = await w.run("ownform", "--json").ended;
  assert.match(form.output, /a form of its MCP server passes by rule/);
  assert.match(form.output, /\\"action\\":\\"cancel\\"/);
  assert.equal((await w.broker.call("GET", "/v1/asks")).body.asks.length, 0);
});

test("a permission is shown with what was told of its call before", async (t) => {
  const w = await World.start(t);
  const run = w.run("bare");
  const ask = await w.asked();
  assert.match(ask.permission.diff, /-let b;\n\+let c;/);
  await w.broker.answer(ask.id, [{ selected: ["Allow"] }]);
  assert.deepEqual(said(await run.ended), [selected("once")]);
});

test("what the agent wants no longer is withdrawn: dropped, or left at the turn's end", async (t) => {
  const w = await World.start(t);
  for (const scene of ["dropped", "left"]) {
    const ended = await w.run(scene).ended;
    assert.equal(ended.code, 0, ended.errors);
  }
  const states = await until(async () => {
    const { asks } = (await w.broker.call("GET", "/v1/asks")).body;
    return asks.length === 2 && asks.every(({ state }) => state !== "pending") && asks;
  }, "both are settled");
  assert.deepEqual(states.map(({ state }) => state), ["withdrawn", "withdrawn"]);
});

test("stopping the turn withdraws what is open and tells the agent", async (t) => {
  const w = await World.start(t);
  const run = w.run("command");
  const ask = await w.asked();
  await w.broker.call("POST", `/v1/sessions/${ask.session}/abort`);
  assert.equal((await w.settled(ask.id)).state, "withdrawn");
  assert.equal((await run.ended).code, 130);
});

test("a timeout is a denial that says it was nobody's", async (t) => {
  const w = await World.start(t);
  const ended = await w.run("command", "--timeout", "100ms").ended;
  assert.deepEqual(said(ended)[0], selected("no"));
  assert.match(said(ended)[1].heard[0], /make install/);
});

test("a plan is part of the stream; what an editor would serve is refused", async (t) => {
  const w = await World.start(t);
  assert.match((await w.run("plan").ended).output, /Plan:\n- \[x\] Look\n- \[ \] Leap\n"planned"/);
  assert.deepEqual(said(await w.run("fs").ended), [-32601]);
});

test("a broker that is killed and restarted meanwhile makes no difference", async (t) => {
  const w = await World.start(t);
  const run = w.run("command");
  const ask = await w.asked();
  await w.broker.kill();
  await w.broker.restart();
  await w.broker.answer(ask.id, [{ selected: ["Allow"] }]);
  const ended = await run.ended;
  assert.equal(ended.code, 0, ended.errors);
  assert.deepEqual(said(ended), [selected("once")]);
});

test("killed with an open question and resumed: withdrawn, the same session, nothing twice", async (t) => {
  const w = await World.start(t);
  const run = w.run("--session", "shop", "command");
  const ask = await w.asked();
  const { stdout } = spawnSync("pgrep", ["-P", String(run.child.pid)]);
  run.child.kill("SIGKILL");
  process.kill(Number(stdout.toString().trim()), "SIGKILL");
  await run.ended;
  // Whatever an agent writes into the log.
  const { status } = await w.broker.call("POST", "/v1/notices",
    { session: "shop", text: "Tester names this session own-forged" });
  assert.ok(status < 300);
  const resumed = await w.spawn("run", "acp", "--resume", "shop", "hello", "--", ...AGENT).ended;
  assert.equal(resumed.code, 0, resumed.errors);
  assert.equal((await w.settled(ask.id)).state, "withdrawn");
  assert.match(said(resumed)[0].sessionId, new RegExp(`^own-${stdout.toString().trim()}$`));
  assert.doesNotMatch(resumed.output, /said before/);
});

test("a message that the agent dies with is given again when the session is resumed", async (t) => {
  const w = await World.start(t);
  const words = `mortal ${join(w.broker.folder, "died")}`;
  const died = await w.run("--session", "shop", words).ended;
  assert.equal(died.code, 1);
  assert.match(died.errors, /ended unexpectedly \(killed by signal 9/);
  const { body } = await w.broker.call("GET", "/v1/sessions/shop/messages");
  assert.deepEqual(body.messages.map(({ text }) => text), [words]);
  const resumed = await w.spawn("run", "acp", "--resume", "shop", "hello", "--", ...AGENT).ended;
  assert.equal(resumed.code, 0, resumed.errors);
  assert.deepEqual(said(resumed).flatMap(({ heard }) => heard), [words, "hello"]);
});

test("every Ctrl-C stops its own turn; the second in one turn ends an agent that does not listen",
  async (t) => {
    const w = await World.start(t);
    const run = w.run("--session", "shop", "--json");
    const says = (text) => w.broker.call("POST", "/v1/sessions/shop/messages", { text });
    const works = (state) => until(async () => {
      const { body } = await w.broker.call("GET", "/v1/sessions/shop");
      return body.state === state;
    }, `the session is ${state}`);
    await until(() => run.output.includes("names this session"), "it has begun");
    for (let turn = 0; turn < 3; ++turn) {
      await says("command");
      await w.asked();
      run.child.kill("SIGINT");
      await works("idle");
    }
    await says("deaf");
    await works("working");
    await until(() => run.output.includes("deaf"), "it works");
    run.child.kill("SIGINT");
    await works("idle");
    run.child.kill("SIGINT");
    const ended = await run.ended;
    assert.equal(ended.code, 130, ended.errors);
    assert.match(ended.output.trim().split("\n").at(-1), /"outcome":"stopped"/);
  });

test("a late answer to what was asked without waiting is the next message", async (t) => {
  const w = await World.start(t);
  const run = w.run("--session", "shop", "--json");
  await until(() => run.output.includes("names this session"), "it has begun");
  await w.broker.call("POST", "/v1/sessions/shop/messages", { text: `background ${PROGRAM}` });
  const { id } = await w.asked();
  await until(() => run.output.includes("goes on"), "it goes on");
  await w.broker.answer(id, [{ selected: ["Yes"] }]);
  await until(() => run.output.includes(`asked earlier (${id})`), "it is told");
  await until(() => run.output.includes("is told how “Tea?”"), "and people are");
  await until(async () => (await w.broker.call("GET", "/v1/sessions/shop")).body.state === "idle",
    "its turn is over");
  const { body } = await w.broker.call("GET", "/v1/sessions/shop/events?limit=1000");
  const heard = body.events.filter(({ event }) => event.part?.text?.includes('"heard"'));
  assert.equal(heard.length, 1);
});

test("Ctrl-C at a question's prompt stops the turn, and speaks of nothing else", async (t) => {
  const w = await World.start(t);
  const screen = await Screen.parley(t, w, "run", "acp", "command", "--", ...AGENT);
  await screen.shows("3 ○ Reject");
  const { id } = await w.asked();
  await screen.press("C-c", "Reject");
  const last = await screen.shows("code=130");
  assert.doesNotMatch(last, /--key|stays open|withdraw /);
  assert.match(last, /the turn was stopped/);
  assert.equal((await w.settled(id)).state, "withdrawn");
});

test("an agent that ends, or never was one, is said", async (t) => {
  const w = await World.start(t);
  const run = w.spawn("run", "acp", "command", "--", "sh", "-c", "echo no such key >&2; exit 3");
  const { code, errors } = await run.ended;
  assert.equal(code, 1);
  assert.match(errors, /sh ended unexpectedly \(exit status 3\):\nno such key/);
  const missing = await w.spawn("run", "acp", "go", "--", "no-such-agent").ended;
  assert.match(missing.errors, /no-such-agent/);
  const mode = await w.run("command", "--mode", "yolo").ended;
  assert.match(mode.errors, /Tester has no mode yolo; it has: ask, plan/);
});

test("a session that goes on takes a mode, also where the agent lists none again", async (t) => {
  const w = await World.start(t);
  assert.equal((await w.run("--session", "shop", "hello").ended).code, 0);
  const resumed = await w.run("--resume", "shop", "--mode", "plan", "hello").ended;
  assert.equal(resumed.code, 0, resumed.errors);
  assert.match(resumed.output, /"mode":"plan"/);
  const refused = await w.run("--resume", "shop", "--mode", "yolo", "hello").ended;
  assert.match(refused.errors, /the mode was not set: .*no mode yolo/);
});
