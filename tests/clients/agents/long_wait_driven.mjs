// SPDX-License-Identifier: Apache-2.0
// A person who takes long, with agents that Parley runs, by hand:
//   PARLEY_PROGRAM=build/release/parley node tests/clients/agents/long_wait_driven.mjs [SECONDS] [NAME…]
// Runs all of them at once, answers each after SECONDS (660), and prints what its model had in the end.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Broker, PROGRAM, environment, until } from "../support/broker.mjs";
import { Model } from "../llm/support/model.mjs";
import { KEY, ask, question } from "../llm/support/world.mjs";
import { GEMINI, OPENCODE, QUESTION, QWEN, find } from "./support/clients.mjs";
import { ASK, CODEX, RUN, codexWorld, missing } from "./support/codex.mjs";
import * as opencode from "./support/opencode_run.mjs";
import { World } from "./support/world.mjs";

const [seconds = "660", ...wanted] = process.argv.slice(2);
const shell = { name: "run_shell_command", isAgents: true,
  args: { command: "touch made", description: "make a file" } };

function run(w, args, variables = {}) {
  const child = spawn(PROGRAM, ["run", ...args],
    { cwd: w.project, env: { ...w.variables, ...variables }, stdio: ["ignore", "pipe", "pipe"] });
  const seen = { errors: "" };
  child.stderr.on("data", (data) => { seen.errors += data; });
  child.stdout.resume();
  seen.ended = once(child, "close").then(([code]) => code);
  return seen;
}

// An agent of the Agent Client Protocol whose model makes this call.
const acp = (agent, args, call, settings = {}) => async (t) => {
  const client = await find(agent);
  if (client.skip) return { skip: client.skip };
  const model = await client.model(call.args);
  model.wanted = call;
  // A model that is told that the question is open waits on.
  model.next = (words) => {
    const open = /stays open as (que_\w+)/.exec(words);
    return open && { name: "wait_answer", args: { ask_id: open[1] } };
  };
  const w = await World.start(t, model);
  w.further = { TERM: "xterm-256color", ...client.variables(model) };
  await client.settings(w, model);
  const file = join(w.home, client.config);
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, "utf8")), ...settings }));
  const seen = run(w, ["acp", "go", "--", ...client.command, ...args]);
  return { w, seen, had: () => (call === shell ? existsSync(join(w.project, "made")) && "the file is made"
    : model.heard().at(-1)) };
};

const codex = (call, had) => async (t) => {
  if (missing) return { skip: missing };
  const w = await codexWorld(t, call);
  const seen = run(w, ["codex", "go"], { PARLEY_CODEX: CODEX });
  return { w, seen, had: () => had(w) };
};

async function llm(t) {
  const broker = await Broker.start();
  const model = await Model.start(({ results }) => (results.length > 0 ? { text: "Thank you." }
    : { calls: [ask("c_0", question("Which database?", ["PostgreSQL", "SQLite"]))] }));
  t.after(async () => {
    await model.stop();
    await broker.stop();
  });
  const w = { broker, variables: environment({ ...broker.variables, XDG_STATE_HOME: join(broker.folder, "state"),
    ANTHROPIC_API_KEY: KEY }), asked: async () => (await broker.pending(1))[0] };
  const seen = run(w, ["llm", "--api", "anthropic", "--base-url", model.url, "--model", "stand-in", "go"]);
  return { w, seen, had: () => model.requests.at(-1)?.results[0]?.result };
}

const WAITS = {
  "gemini permission": acp(GEMINI, ["-m", "gemini-2.5-pro", "--acp"], shell),
  "gemini question": acp(GEMINI, ["-m", "gemini-2.5-pro", "--acp"], { name: "ask_person", args: QUESTION }),
  "qwen permission": acp(QWEN, ["--acp"], shell),
  "qwen question": acp(QWEN, ["--acp"], { name: "ask_user_question", isAgents: true, args: QUESTION }),
  "opencode acp question": acp(OPENCODE, ["acp"], { name: "ask_user", args: QUESTION },
    { model: "ours/test", small_model: "ours/test", enabled_providers: ["ours"] }),
  "codex question": codex(ASK, (w) => w.model.heard().at(-1)),
  "codex command": codex(RUN, (w) => existsSync(join(w.project, "made.txt")) && "the file is made"),
  "opencode question": async (t) => {
    if (opencode.skip) return { skip: opencode.skip };
    const w = await opencode.world(t);
    return { w, seen: opencode.start(w, ["color now"]), had: () => w.model.told("color now") };
  },
  "llm question": llm,
};

// The choice that lets it go on.
const choice = ({ permission, questions: [{ options }] }) => {
  const labels = options.map(({ label }) => label);
  return permission ? labels[0] : labels.at(-1);
};

async function measure(name, start) {
  const ends = [];
  try {
    const { skip, w, seen, had } = await start({ after: (end) => ends.push(end) });
    if (skip) return console.log(`${name}: ${skip}`);
    const asked = await w.asked();
    const began = Date.now();
    await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1000));
    const { status } = await w.broker.answer(asked.id, [{ selected: [choice(asked)] }]);
    const words = await until(() => !String(had() || "stays open as").includes("stays open as") && had(),
      `${name} has the answer`, 60_000);
    const code = await Promise.race([seen.ended, new Promise((resolve) => setTimeout(resolve, 60_000, "none"))]);
    console.log(`${name}: answered (${status}) after ${Math.round((Date.now() - began) / 1000)} s, ended with `
      + `${code.code ?? code}: ${String(words).replaceAll("\n", " ").slice(0, 200)}`);
  } catch (error) {
    console.log(`${name}: ${error.message}`);
  } finally {
    for (const end of ends) await end();
  }
}

await Promise.all(Object.entries(WAITS).filter(([name]) => wanted.length === 0 || wanted.includes(name))
  .map(([name, start]) => measure(name, start)));
