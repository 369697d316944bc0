// SPDX-License-Identifier: Apache-2.0
// Codex, headless and in its terminal, with Parley as its MCP server: it keeps the environment from
// it, declines forms by itself where nobody is asked, and has a form of its own where somebody is.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";

import { Screen } from "../claude/support/screen.mjs";
import { PROGRAM } from "../support/broker.mjs";
import { Responses } from "./support/responses.mjs";
import { World, installed } from "./support/world.mjs";

const PLATFORM = `${process.arch === "x64" ? "x86_64" : "aarch64"}-unknown-linux-musl`;
const { file: CODEX, missing } =
  await installed(`@openai/codex-linux-${process.arch}/vendor/${PLATFORM}/bin/codex`);
const skip = missing ?? false;

const QUESTION = { questions: [{
  question: "Which database?", header: "Database", multiSelect: false,
  options: [{ label: "PostgreSQL", description: "The usual" },
    { label: "SQLite", description: "One file" }],
}] };

// README's recipe for any client: nothing but the command.
const config = (url) => `
model = "test"
model_provider = "ours"
[model_providers.ours]
name = "ours"
base_url = "${url}"
env_key = "OUR_KEY"
wire_api = "responses"
[projects."PROJECT"]
trust_level = "trusted"
[mcp_servers.parley]
command = "${PROGRAM}"
args = ["mcp"]
`;

async function start(t) {
  const model = await Responses.start({ name: "ask_user", namespace: "mcp__parley",
    arguments: QUESTION });
  const w = await World.start(t, model, { ".codex/config.toml": config(model.url) });
  w.further = { OUR_KEY: "none" };
  return w;
}

// The result as the model has it: Codex puts a line about the time before it.
async function told(w) {
  const output = await w.model.told();
  return JSON.parse(output.slice(output.indexOf("{")));
}

test("codex exec: nobody is there to decline, and the answer comes from elsewhere", { skip },
  async (t) => {
    const w = await start(t);
    const ended = promisify(execFile)(CODEX, ["exec", "--skip-git-repo-check", "go"],
      { cwd: w.project, env: w.variables });
    ended.child.stdin.end();
    const ask = await w.asked();
    assert.equal(ask.tool.call_id, "call_1");
    await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
    const { stdout } = await ended;
    assert.match(stdout, /All done\./);
    const { status, answers } = await told(w);
    assert.equal(status, "answered");
    assert.deepEqual(answers, [{ question: "Which database?", selectedOptions: ["SQLite"] }]);
  });

test("codex exec: a person's dismissal reaches the model in their words", { skip }, async (t) => {
  const w = await start(t);
  const ended = promisify(execFile)(CODEX, ["exec", "--skip-git-repo-check", "go"],
    { cwd: w.project, env: w.variables });
  ended.child.stdin.end();
  const ask = await w.asked();
  await w.broker.call("POST", `/v1/asks/${ask.id}/dismiss`, { reason: "ask me tomorrow" });
  await ended;
  const { status, message } = await told(w);
  assert.equal(status, "dismissed");
  assert.equal(message, "The user dismissed your questions without answering them. "
    + 'Reason: "ask me tomorrow". Do not assume an answer.');
});

const terminal = (t, w) => Screen.open(t, w, CODEX, "--no-daemon", "go");

test("Codex's terminal: a choice alone is sent", { skip }, async (t) => {
  const w = await start(t);
  const screen = await terminal(t, w);
  const ask = await w.asked();
  await screen.shows("enter to submit");
  await screen.press("Down", "› 1. PostgreSQL");
  await screen.shows("› 2. SQLite");
  await screen.press("Enter", "enter to submit");
  assert.deepEqual((await told(w)).answers,
    [{ question: "Which database?", selectedOptions: ["SQLite"] }]);
  const { body } = await w.broker.call("GET", `/v1/asks/${ask.id}`);
  assert.equal(body.settlement.door, "mcp");
  await screen.shows("All done.");
});

test("Codex's terminal: answered elsewhere, the form goes and the model has the answer", { skip },
  async (t) => {
    const w = await start(t);
    const screen = await terminal(t, w);
    const ask = await w.asked();
    await screen.shows("enter to submit");
    await w.broker.answer(ask.id, [{ selected: ["SQLite"], note: "for now" }]);
    assert.deepEqual((await told(w)).answers,
      [{ question: "Which database?", selectedOptions: ["SQLite"], notes: "for now" }]);
    await screen.lacks("enter to submit");
    await screen.shows("All done.");
  });

test("Codex's terminal: Esc closes the form, and the question waits on elsewhere", { skip },
  async (t) => {
    const w = await start(t);
    const screen = await terminal(t, w);
    const ask = await w.asked();
    await screen.shows("enter to submit");
    await screen.press("Escape", "enter to submit");
    assert.equal((await w.broker.pending())[0].id, ask.id);
    await w.broker.answer(ask.id, [{ selected: ["PostgreSQL"] }]);
    assert.equal((await told(w)).status, "answered");
  });
