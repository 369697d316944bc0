// SPDX-License-Identifier: Apache-2.0
// A person who takes long, with real agent programs, by hand:
//   PARLEY_PROGRAM=build/debug/parley node tests/clients/agents/long_wait.mjs [SECONDS] [CLIENT…]
// Runs each client without a terminal, once as `--install` sets it up and once with nothing but the
// command, answers after SECONDS (660), and prints for each how many calls, which are turns of its
// model, that cost and what the model had in the end. Claude Code, whose limits `--install` does not
// touch, runs in a terminal instead of the second time.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Screen } from "../claude/support/screen.mjs";
import { until } from "../support/broker.mjs";
import * as clients from "./support/clients.mjs";

const [seconds = "660", ...wanted] = process.argv.slice(2);
const ALL = [clients.CLAUDE, clients.CODEX, clients.COPILOT, clients.GEMINI, clients.QWEN, clients.OPENCODE,
  clients.CLINE];

// As a person writes it who only names the command.
async function strip(w, client) {
  const file = join(w.home, client.config);
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace(/,\s*"--wait",\s*"0"/, "")
    .replace(/^tool_timeout_sec = .*$/m, "").replace(/"timeout":\s*\d+,?/, "")
    .replace(/,(\s*})/g, "$1"));
}

const headless = (t, w, client) => clients.headless(w, client);
const terminal = (t, w, client) => Screen.open(t, w, ...client.command, ...client.terminal);
const WAYS = {
  installed: { title: "--install", run: headless },
  plain: { title: "the command alone", prepare: strip, run: headless },
  terminal: { title: "in a terminal", run: terminal },
};

async function measure(each, way) {
  const client = await clients.find(each);
  if (client.skip) return console.log(`${client.title}: ${client.skip}`);
  const ends = [];
  const t = { after: (end) => ends.push(end) };
  try {
    const w = await clients.start(t, client);
    await way.prepare?.(w, client);
    const began = Date.now();
    const runs = way.run(t, w, client);
    runs.catch(() => {});
    const ask = await w.asked();
    await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1000));
    await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
    await until(() => w.model.heard().some((words) => words.includes("SQLite")),
      "the model has the answer", 60_000).catch(() => {});
    const heard = w.model.heard();
    console.log(`${client.title}, ${way.title}: `
      + `${heard.length} calls, ${Math.round((Date.now() - began) / 1000)} s, at last: `
      + `${heard.at(-1)?.replaceAll("\n", " ").slice(0, 160)}`);
    runs.child?.kill();
  } catch (error) {
    console.log(`${client.title}: ${error.message}`);
  } finally {
    for (const end of ends) await end();
  }
}

const chosen = ALL.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
await Promise.all(chosen.flatMap((each) => [measure(each, WAYS.installed),
  measure(each, each === clients.CLAUDE ? WAYS.terminal : WAYS.plain)]));
