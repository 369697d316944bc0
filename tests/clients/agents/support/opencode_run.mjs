// SPDX-License-Identifier: Apache-2.0
// `parley run opencode` in a world of its own: a home with the real OpenCode, a model of ours, a broker.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";

import { PROGRAM, until } from "../../support/broker.mjs";
import { OPENCODE, find } from "./clients.mjs";
import { settings } from "./opencode_server.mjs";
import { Scripted } from "./scripted.mjs";
import { World } from "./world.mjs";

export const client = await find(OPENCODE);
export const skip = client.skip;
export const slow = skip || (process.env.PARLEY_SLOW_AGENTS ? false
  : "NOT TESTED: set PARLEY_SLOW_AGENTS=1 to try it");
export const PATIENCE_MS = 60_000;

const COLORS = [{ label: "Blue", description: "like the sky" }, { label: "Red", description: "like a rose" }];
const question = (text) => ({ name: "question",
  args: { questions: [{ question: text, header: "Color", options: COLORS }] } });
const PLAN = {
  color: (rest) => question(`Which color ${rest}?`),
  run: (command) => ({ name: "bash", args: { command, description: "a command" } }),
  sub: (prompt) => ({ name: "task",
    args: { description: "a sub-agent", prompt, subagent_type: "general" } }),
  own: () => ({ name: "parley_notify_user", args: { text: "half done" } }),
  later: (rest) => ({ name: "parley_ask_user", args: { blocking: false, questions: [{
    question: `Which color ${rest}?`, header: "Color", multiSelect: false, options: COLORS }] } }),
};
export const answered = (text, label) => `User has answered your questions: "Which color ${text}?"="${label}". `
  + "You can now continue with the user's answers in mind.";

// A home with OpenCode in its PATH, a model of ours, a broker.
export async function world(t, more) {
  const w = await World.start(t, await Scripted.start(PLAN));
  w.further = { ...client.variables(), ...(client.command.length
    && { PATH: `${dirname(client.command[0])}:${process.env.PATH}` }) };
  await settings(w, more);
  return w;
}

// A run of ours; its end is {code, out, errors}.
export function start(w, args, variables = {}) {
  const child = spawn(PROGRAM, ["run", "opencode", ...args],
    { cwd: w.project, env: { ...w.variables, ...variables }, stdio: ["ignore", "pipe", "pipe"] });
  const run = { child, out: "", errors: "" };
  child.stdout.on("data", (data) => { run.out += data; });
  child.stderr.on("data", (data) => { run.errors += data; });
  run.ended = once(child, "close").then(([code]) => ({ code, ...run }));
  return run;
}

export const ask = async (w, text, patience = PATIENCE_MS) => until(async () => {
  const { asks } = (await w.broker.call("GET", "/v1/asks?state=pending")).body;
  return asks.find(({ questions: [{ question: asked }] }) => asked.includes(text));
}, `OpenCode asks: ${text}`, patience);
export const settlement = async (w, id) => until(async () =>
  (await w.broker.call("GET", `/v1/asks/${id}`)).body.settlement, "the ask is settled", PATIENCE_MS);
export const told = async (w, prompt) => until(() => w.model.told(prompt), `the model is told: ${prompt}`,
  PATIENCE_MS);
