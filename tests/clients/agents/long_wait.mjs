// SPDX-License-Identifier: Apache-2.0
// A person who takes long, with real agent programs, by hand:
//   PARLEY_PROGRAM=build/debug/parley node tests/clients/agents/long_wait.mjs [SECONDS] [CLIENT…]
// Runs each client without a terminal, once as `--install` sets it up and once with nothing but the
// command, answers after SECONDS (660), and prints for each how many calls, which are turns of its
// model, that cost and what the model had in the end.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { until } from "../support/broker.mjs";
import * as clients from "./support/clients.mjs";

const [seconds = "660", ...wanted] = process.argv.slice(2);
const ALL = [clients.CODEX, clients.COPILOT, clients.GEMINI, clients.QWEN, clients.OPENCODE];

// As a person writes it who only names the command.
async function strip(w, client) {
  const file = join(w.home, client.config);
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace(/,\s*"--wait",\s*"0"/, "")
    .replace(/^tool_timeout_sec = .*$/m, "").replace(/"timeout":\s*\d+,?/, "")
    .replace(/,(\s*})/g, "$1"));
}

async function measure(each, isPlain) {
  const client = await clients.find(each);
  if (client.skip) return console.log(`${client.title}: ${client.skip}`);
  const ends = [];
  const t = { after: (end) => ends.push(end) };
  try {
    const w = await clients.start(t, client);
    if (isPlain) await strip(w, client);
    const began = Date.now();
    const ended = clients.headless(w, client);
    ended.catch(() => {});
    const ask = await w.asked();
    await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1000));
    await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
    await until(() => w.model.heard().some((words) => words.includes("SQLite")),
      "the model has the answer", 60_000).catch(() => {});
    const heard = w.model.heard();
    console.log(`${client.title}, ${isPlain ? "the command alone" : "--install"}: `
      + `${heard.length} calls, ${Math.round((Date.now() - began) / 1000)} s, at last: `
      + `${heard.at(-1)?.replaceAll("\n", " ").slice(0, 160)}`);
    ended.child.kill();
  } catch (error) {
    console.log(`${client.title}: ${error.message}`);
  } finally {
    for (const end of ends) await end();
  }
}

const chosen = ALL.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
await Promise.all(chosen.flatMap((each) => [measure(each, false), measure(each, true)]));
