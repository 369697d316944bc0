// SPDX-License-Identifier: Apache-2.0
// Measures again how long clients wait for a call, when a version of theirs has changed, by hand:
//   PARLEY_PROGRAM=build/debug/parley node tests/clients/agents/measure.mjs [SECONDS] [CLIENT…]
// Runs each real client, with the limits that it has by itself, against a tool that sleeps SECONDS
// (700), once in silence and once with progress, and prints its row: after how long its model was told
// what. That belongs into src/dialect/mcp/known_clients.cc and docs/doors/mcp.md; a test compares the two.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { PROGRAM, until } from "../support/broker.mjs";
import * as clients from "./support/clients.mjs";

const SLEEPER = fileURLToPath(new URL("support/sleeper.mjs", import.meta.url));
const [seconds = "700", ...wanted] = process.argv.slice(2);
const ALL = [clients.CODEX, clients.COPILOT, clients.GEMINI, clients.QWEN, clients.OPENCODE,
  clients.CLINE];
const START_MS = 120_000;

// The sleeper in Parley's place, with no limit set.
async function put(w, client, args) {
  const file = join(w.home, client.config);
  const command = [process.execPath, SLEEPER, ...args];
  const text = await readFile(file, "utf8");
  if (file.endsWith(".toml")) {
    await writeFile(file, text.replace(JSON.stringify(PROGRAM), JSON.stringify(command[0]))
      .replace(/^args = .*$/m, `args = ${JSON.stringify(command.slice(1))}`)
      .replace(/^tool_timeout_sec = .*$/m, ""));
    return;
  }
  const document = JSON.parse(text);
  const entry = (document.mcpServers ?? document.mcp).parley;
  delete entry.timeout;
  if (Array.isArray(entry.command)) entry.command = command;
  else Object.assign(entry, { command: command[0], args: command.slice(1) });
  await writeFile(file, JSON.stringify(document));
}

async function measure(client, manner) {
  const ends = [];
  const w = await clients.start({ after: (end) => ends.push(end) }, client);
  const tool = client.name === "gemini" ? "ask_person" : "ask_user";
  await put(w, client, [tool, seconds, manner]);
  const ended = clients.headless(w, client);
  ended.catch(() => {});
  try {
    await until(() => w.model.requests.length > 0, "the model is asked", START_MS);
    const began = Date.now();
    const heard = await until(() => w.model.heard()[0], "the call ends",
      Number(seconds) * 1000 + START_MS);
    const after = Math.round((Date.now() - began) / 1000);
    const words = typeof heard === "string" ? heard : JSON.stringify(heard);
    return `${after} s: ${words.replaceAll(/\s+/g, " ").slice(0, 90)}`;
  } catch (error) {
    return error.message;
  } finally {
    ended.child.kill("SIGKILL");
    for (const end of ends) await end();
  }
}

console.log("| client | in silence | with progress |\n|---|---|---|");
await Promise.all(ALL.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
  .map(async (each) => {
    const client = await clients.find(each);
    if (client.skip) return console.log(`| ${client.title} | ${client.skip} | |`);
    const cells = await Promise.all(["silence", "progress"].map((way) => measure(client, way)));
    console.log(`| ${client.title} | ${cells.join(" | ")} |`);
  }));
