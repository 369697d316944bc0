// SPDX-License-Identifier: Apache-2.0
// Real agents under `parley run acp`: what they want to do is permitted by a person, their models ask, are
// stopped, killed and resumed. Each test holds its cell of docs/agents.md against what it saw.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { PROGRAM, until } from "../support/broker.mjs";
import { COPILOT, GEMINI, OPENCODE, QUESTION, QWEN, find, install, tooSlow } from "./support/clients.mjs";
import { acpDocumented } from "./support/docs.mjs";
import { World, installed } from "./support/world.mjs";

const PATIENCE_MS = 240_000;
const WORDS = "use src/ in its place";
const RESUMED = "go on from there";
const asking = { name: "ask_user", args: QUESTION };
const shell = (name) => ({ name, isAgents: true,
  args: { command: "touch made", description: "make a file" } });
const PLAN = { name: "exit_plan_mode", isAgents: true, args: { plan: "1. Look\n2. Leap" } };

const AGENTS = [
  { client: GEMINI, args: ["-m", "gemini-2.5-pro", "--acp"], shell: shell("run_shell_command"),
    question: { ...asking, name: "ask_person" },
    asks: "by Parley's `ask_person`, without a permission for it",
    plan: "not tested: its plan is a file that its model writes first" },
  // It takes no server on standard streams from its client.
  { client: COPILOT, args: ["--acp"], shell: shell("bash"), question: asking, isInstalled: true,
    asks: "by Parley's `ask_user`, once installed, without a permission for it", plan: "asks about none" },
  { client: QWEN, args: ["--acp"], shell: shell("run_shell_command"),
    question: { name: "ask_user_question", isAgents: true, args: QUESTION },
    asks: "its own; Parley's tools are behind its tool search",
    plan: "an ask with the plan and its own options" },
  { client: OPENCODE, args: ["acp"], shell: shell("bash"), question: asking,
    settings: { model: "ours/test", small_model: "ours/test", enabled_providers: ["ours"],
      permission: { bash: "ask", edit: "ask", "parley_*": "ask" } },
    asks: "by Parley's `ask_user`, without a permission for it", plan: "asks about none" },
];

// A home in which the agent's model makes this call, and the agent under `parley run acp` in it.
async function start(t, agent, wanted) {
  const { client } = agent;
  const model = await client.model(wanted.args);
  model.wanted = wanted;
  const w = await World.start(t, model);
  w.further = { TERM: "xterm-256color", ...client.variables(model) };
  if (agent.isInstalled) await install(w, client);
  await client.settings(w, model);
  if (agent.settings) {
    const file = join(w.home, client.config);
    const known = JSON.parse(await readFile(file, "utf8"));
    await writeFile(file, JSON.stringify({ ...known, ...agent.settings }));
  }
  return w;
}

function run(w, { client, args }, ...words) {
  const child = spawn(PROGRAM, ["run", "acp", ...words, "--", ...client.command, ...args],
    { cwd: w.project, env: w.variables, stdio: ["ignore", "pipe", "pipe"] });
  const seen = { child, errors: "", output: "" };
  child.stderr.on("data", (data) => { seen.errors += data; });
  child.stdout.on("data", (data) => { seen.output += data; });
  seen.ended = once(child, "close").then(([code]) => code);
  return seen;
}

// Gemini CLI may be waited for until the next minute.
const told = (w, words, seen) => until(() => {
  assert.equal(seen.child.exitCode ?? 0, 0, seen.errors);
  return w.model.requests.some((request) => JSON.stringify(request).includes(words));
}, `the model is told ${words}`, 120_000);
const settled = (w, id) => until(async () => {
  const { body } = await w.broker.call("GET", `/v1/asks/${id}`);
  return body.state !== "pending" && body;
}, `${id} is settled`);

// The option of the agent's own that is described so.
const option = (ask, words) => ask.questions[0].options
  .find(({ description }) => description.includes(words)).label;

for (const each of AGENTS) {
  const client = await find(each.client);
  const agent = { ...each, client };
  const name = client.title.split(",")[0];
  // All but the first ones of Gemini CLI only where it is asked for.
  const slow = tooSlow({ ...client, isSlow: true });
  const options = { skip: slow, timeout: PATIENCE_MS };
  const first = { skip: client.name === "gemini" ? client.skip : slow, timeout: PATIENCE_MS };

  test(`${name}: what it wants to do is permitted with one of its own options`, first, async (t) => {
    const w = await start(t, agent, agent.shell);
    const seen = run(w, agent, "go");
    const ask = await w.asked();
    assert.equal(ask.permission.input.command, "touch made", JSON.stringify(ask));
    await w.broker.answer(ask.id, [{ selected: [option(ask, "This call")] }]);
    assert.equal(await seen.ended, 0, seen.errors);
    assert.ok(existsSync(join(w.project, "made")));
    acpDocumented(name, "permission", "its own options");
    acpDocumented(name, "form", "sends none");
  });

  test(`${name}: its model asks, and has the answer; the broker is killed meanwhile`, first, async (t) => {
    const w = await start(t, agent, agent.question);
    const seen = run(w, agent, "go");
    const ask = await w.asked();
    assert.equal(ask.questions[0].question, "Which database?", JSON.stringify(ask));
    assert.equal(ask.permission, undefined);
    await w.broker.kill();
    await w.broker.restart();
    await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
    const words = await until(() => w.model.heard().at(-1), "the model is told", 60_000);
    assert.match(words, /SQLite/);
    assert.equal(await seen.ended, 0, seen.errors);
    acpDocumented(name, "question", agent.asks);
    acpDocumented(name, "broker killed", "waits on");
  });

  test(`${name}: a denial's words are its next message, and the person is told so`, options, async (t) => {
    const w = await start(t, agent, agent.shell);
    const seen = run(w, agent, "go");
    const ask = await w.asked();
    await w.broker.answer(ask.id, [{ selected: [option(ask, "words of yours")], note: WORDS }]);
    await told(w, WORDS, seen);
    assert.equal(await seen.ended, 0, seen.errors);
    assert.match(seen.errors, new RegExp(`is told with its next message: About “touch made”: ${WORDS}`));
    assert.ok(!existsSync(join(w.project, "made")));
    acpDocumented(name, "denied with words", "denied; the words are its next message");
  });

  test(`${name}: stopped, it takes its question along`, options, async (t) => {
    const w = await start(t, agent, agent.shell);
    const seen = run(w, agent, "go");
    const ask = await w.asked();
    await w.broker.call("POST", `/v1/sessions/${ask.session}/abort`);
    assert.equal((await settled(w, ask.id)).state, "withdrawn");
    assert.equal(await seen.ended, 130, seen.errors);
    assert.ok(!existsSync(join(w.project, "made")));
    acpDocumented(name, "stopped", "withdrawn, `session/cancel`");
  });

  test(`${name}: killed with an open question, it goes on with the same session`, options, async (t) => {
    const w = await start(t, agent, agent.shell);
    const seen = run(w, agent, "--session", "shop", "go");
    const ask = await w.asked();
    await w.killAgents();
    await seen.ended;
    const resumed = run(w, agent, "--resume", "shop", RESUMED);
    await told(w, RESUMED, resumed);
    assert.equal((await settled(w, ask.id)).state, "withdrawn");
    // It may want the same again, with what it had said before in its mind.
    const again = await Promise.race([w.asked().catch(() => null), resumed.ended.then(() => null)]);
    if (again) await w.broker.answer(again.id, [{ selected: [option(again, "This call")] }]);
    assert.equal(await resumed.ended, 0, resumed.errors);
    acpDocumented(name, "killed and resumed", "withdrawn; the same session goes on");
  });

  test(`${name}: beside an editor, the first answer wins, whichever it is`, options, async (t) => {
    const { missing } = await installed("@agentclientprotocol/sdk/package.json", "tests/clients/acp");
    assert.equal(missing, undefined);
    const { Editor } = await import("../acp/support/editor.mjs");
    const w = await start(t, agent, agent.shell);
    const open = () => Editor.start({ children: [] }, w.variables,
      [...client.command, ...agent.args], w.project);
    const late = await open();
    const turn = late.prompt("go");
    const request = await late.asked();
    const ask = await w.asked();
    await w.broker.answer(ask.id, [{ selected: [option(ask, "words of yours")] }]);
    await turn;
    await until(() => request.isDropped, "the editor is told");
    assert.ok(!existsSync(join(w.project, "made")));
    const early = await open();
    const next = early.prompt("go");
    const { params, answer } = await early.asked();
    const second = await w.asked();
    const { optionId } = params.options.find(({ kind }) => kind === "allow_once");
    answer({ outcome: { outcome: "selected", optionId } });
    await next;
    assert.match((await settled(w, second.id)).settlement.note, /^answered in the editor: /);
    assert.ok(existsSync(join(w.project, "made")));
  });

  const planned = { ...options, skip: agent.plan.startsWith("an ask") ? slow : agent.plan };
  test(`${name}: a plan is approved with one of its own options`, planned, async (t) => {
    const w = await start(t, agent, PLAN);
    const seen = run(w, agent, "--mode", "plan", "go");
    const ask = await w.asked();
    assert.equal(ask.permission.plan, PLAN.args.plan);
    await w.broker.answer(ask.id, [{ selected: [option(ask, "This call")] }]);
    assert.equal(await seen.ended, 0, seen.errors);
    assert.match(w.model.heard().at(-1), /approved/);
  });

  test(`${name}: its plan in docs/agents.md`, () => acpDocumented(name, "plan", agent.plan));
}
