// SPDX-License-Identifier: Apache-2.0
// Claude Code in its own terminal with Parley as its MCP server, set up as the README says: the call
// waits, the first answer wins, and the model gets it as the tool's result.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

import { documented } from "../agents/support/docs.mjs";
import { PROGRAM } from "../support/broker.mjs";
import { HomeBroker } from "../support/home_broker.mjs";
import { calls, news, text, tool } from "./support/model.mjs";
import { Screen } from "./support/screen.mjs";
import { QUESTION, world } from "./support/world.mjs";

const run = promisify(execFile);
const ROWS = { false: "Claude Code 2.1.325, terminal, MCP",
  true: "Claude Code 2.1.325, terminal, MCP and hooks" };
const ASK = calls(tool("toolu_1", "mcp__parley__ask_user", QUESTION));
const ANSWERED = 'User has answered your questions: "Which database?"="SQLite". '
  + "You can now continue with the user's answers in mind.";

// Claude Code beside a broker, past its welcome, with the server and its tools allowed.
async function start(t, { script = ASK, hooks = false, broker } = {}) {
  const w = await world(t, script, { broker });
  // Then only HOME tells of it.
  if (broker) w.further = { XDG_RUNTIME_DIR: "" };
  await Screen.welcome(w);
  await run(w.cli, ["mcp", "add", "parley", "--", PROGRAM, "mcp"],
    { cwd: w.project, env: w.variables });
  await mkdir(join(w.project, ".claude"), { recursive: true });
  await writeFile(join(w.project, ".claude", "settings.json"),
    JSON.stringify({ permissions: { allow: ["mcp__parley"] } }));
  if (hooks) await w.parley("hook", "claude", "--install", "--scope", "project");
  return { w, screen: await Screen.claude(t, w, "go") };
}

// The tool's result, as the model was told it.
async function told(w) {
  const { content, is_error: isError } = await w.model.result("toolu_1");
  assert.ok(!isError);
  return JSON.parse(Array.isArray(content) ? content.map((block) => block.text).join("") : content);
}

// Every text and result that the model has seen, but for what it is told about its tools.
const seen = (w) => JSON.stringify(w.model.requests.map(({ messages }) => messages));

test("answered elsewhere: the form goes, and the model has the answer as the result", async (t) => {
  const { w, screen } = await start(t);
  const [ask] = await w.broker.pending();
  await screen.shows("Accept");
  await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
  assert.deepEqual(await told(w), { status: "answered", ask_id: ask.id,
    answers: [{ question: "Which database?", selectedOptions: ["SQLite"] }], message: ANSWERED });
  await screen.shows("All done.");
  await screen.lacks("Accept");
  assert.ok(!seen(w).includes("NOT USER INPUT") && !seen(w).includes("background"));
});

for (const hooks of [false, true]) {
  test(`filled in here${hooks ? ", hooks installed" : ""}: words beside the choice are its note`,
    async (t) => {
      const { w, screen } = await start(t, { hooks });
      const [ask] = await w.broker.pending();
      await screen.shows("Accept");
      assert.equal((await screen.text()).split("requests your input")[1].match(/Which database/g).length,
        1);
      await screen.keys("Right");
      await screen.shows("❯ ◯ PostgreSQL");
      await screen.keys("Down");
      await screen.shows("❯ ◯ SQLite");
      await screen.keys("Enter");
      await screen.shows("✔ Database: SQLite");
      await screen.type("for now");
      await screen.shows("for now");
      await screen.keys("Down");
      await screen.shows("❯ Accept");
      await screen.press("Enter", "Accept");
      const { answers } = await told(w);
      assert.deepEqual(answers,
        [{ question: "Which database?", selectedOptions: ["SQLite"], notes: "for now" }]);
      assert.equal((await w.settled(ask.id)).settlement.door, "mcp");
      documented(ROWS[hooks], "answered here", "the choice; words beside it are its note");
    });
}

test("Esc closes the form, and the question waits on elsewhere", async (t) => {
  const { w, screen } = await start(t);
  const [ask] = await w.broker.pending();
  await screen.shows("Accept");
  await screen.press("Escape", "Accept");
  await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
  assert.equal((await told(w)).status, "answered");
});

test("hooks and MCP both set up: each question is asked once", async (t) => {
  const { w, screen } = await start(t, { hooks: true });
  const [ask] = await w.broker.pending();
  await screen.shows("Accept");
  assert.equal((await w.broker.pending()).length, 1);
  await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
  assert.equal((await told(w)).status, "answered");
  await screen.shows("All done.");
  assert.deepEqual((await w.broker.call("GET", "/v1/asks?state=pending")).body.asks, []);
  documented(ROWS.true, "answered elsewhere", "asked once; the form goes; the tool's result is the answer");
});

test("hooks and MCP both set up: killed, the question is taken back; resumed, it goes on", async (t) => {
  const script = (seen) => (news(seen).some((block) => block.text?.includes("go on"))
    ? [text("Going on.")] : [tool("toolu_1", "mcp__parley__ask_user", QUESTION)]);
  const { w, screen } = await start(t, { script, hooks: true });
  const [ask] = await w.broker.pending();
  await screen.shows("Accept");
  await w.transcript();
  await screen.kill();
  assert.equal((await w.settled(ask.id)).state, "withdrawn");
  const again = await Screen.open(t, w, w.cli, "--continue", "go on");
  await again.shows("Going on.");
  documented(ROWS.true, "killed and resumed", "withdrawn; it goes on");
});

for (const hooks of [false, true]) {
  test(`dismissed elsewhere, with the broker killed meanwhile${hooks ? ", hooks installed" : ""}`,
    async (t) => {
      const broker = await HomeBroker.start();
      t.after(() => broker.stop());
      const { w, screen } = await start(t, { hooks, broker });
      const [ask] = await w.broker.pending();
      await screen.shows("Accept");
      await w.broker.kill();
      await w.broker.restart();
      await w.broker.call("POST", `/v1/asks/${ask.id}/dismiss`, { reason: "ask me tomorrow" });
      const { status, message } = await told(w);
      assert.equal(status, "dismissed");
      assert.equal(message, "The user dismissed your questions without answering them. "
        + 'Reason: "ask me tomorrow". Do not assume an answer.');
      await screen.lacks("Accept");
      assert.equal((await w.broker.call("GET", "/v1/asks")).body.asks.length, 1);
      documented(ROWS[hooks], "dismissed with words", "in the person's words");
      documented(ROWS[hooks], "broker killed", "waits on");
      documented(ROWS[hooks], "environment kept back", "finds the broker");
    });
}
