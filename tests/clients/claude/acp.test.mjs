// SPDX-License-Identifier: Apache-2.0
// Claude Code as an agent of the Agent Client Protocol, by the adapter that editors use: of the real agents
// the one that sends forms (elicitation/create), for its own questions and for those of its MCP servers.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { acpDocumented } from "../agents/support/docs.mjs";
import { PROGRAM } from "../support/broker.mjs";
import { calls, text, tool } from "./support/model.mjs";
import { MCP, QUESTION, world } from "./support/world.mjs";

const require = createRequire(import.meta.url);
const FOLDER = dirname(require.resolve("@agentclientprotocol/claude-agent-acp/package.json"));
const { version } = require("@agentclientprotocol/claude-agent-acp/package.json");
const ROW = `Claude Code, by claude-agent-acp ${version}`;
const SEVERAL = { questions: [...QUESTION.questions, { question: "Which extras?", header: "Extras", multiSelect: true,
  options: [{ label: "Search", description: "" }, { label: "Export", description: "as CSV" }] }] };

const run = (w, ...words) => w.spawn(PROGRAM,
  ["run", "acp", ...words, "--", process.execPath, join(FOLDER, "dist/index.js")],
  { variables: { CLAUDE_CODE_EXECUTABLE: w.cli } });
const asking = (questions) => calls(text("Let me ask."), tool("toolu_1", "AskUserQuestion", questions));

test("its question is a form, and the model has the answer; the broker is killed meanwhile", async (t) => {
  const w = await world(t, asking(QUESTION));
  const seen = run(w, "go");
  const [{ id, questions: [asked], context }] = await w.broker.pending();
  assert.equal(asked.question, "Which database?");
  assert.deepEqual(asked.options, QUESTION.questions[0].options);
  assert.equal(context, undefined, "it is said once");
  await w.broker.kill();
  await w.broker.restart();
  await w.broker.answer(id, [{ selected: ["SQLite"] }]);
  const { code, errors } = await seen.ended;
  assert.equal(code, 0, errors);
  assert.equal((await w.model.result("toolu_1")).content, 'Your questions have been answered: "Which database?"="SQLite". '
    + "You can now continue with these answers in mind.");
  acpDocumented(ROW, "question", "its own, as a form");
  acpDocumented(ROW, "broker killed", "waits on");
});

test("several at once, one in the person's own words", async (t) => {
  const w = await world(t, asking(SEVERAL));
  const seen = run(w, "go");
  const [{ id }] = await w.broker.pending();
  await w.broker.answer(id, [{ selected: [], other: "DuckDB, in one file" }, { selected: ["Search", "Export"] }]);
  assert.equal((await seen.ended).code, 0);
  assert.match((await w.model.result("toolu_1")).content,
    /"Which database\?"="DuckDB, in one file", "Which extras\?"="Search, Export"/);
});

test("a form of its MCP server with typed fields is filled in", async (t) => {
  const w = await world(t, calls(tool("toolu_1", "mcp__asker__paint", {})));
  const { mcpServers } = JSON.parse(MCP[1]);
  await writeFile(join(w.home, ".claude.json"), JSON.stringify({ mcpServers }));
  await mkdir(join(w.home, ".claude"));
  await writeFile(join(w.home, ".claude/settings.json"),
    JSON.stringify({ permissions: { allow: ["mcp__asker__paint"] } }));
  const seen = run(w, "go");
  const [{ id, questions }] = await w.broker.pending();
  assert.deepEqual(questions.map(({ header }) => header), ["color", "Coats"]);
  await w.broker.answer(id, [{ selected: ["green"] }, { selected: [], other: "2" }]);
  assert.equal((await seen.ended).code, 0);
  const { content } = await w.model.result("toolu_1");
  assert.deepEqual(JSON.parse(content[0].text ?? content), { action: "accept", content: { color: "green", coats: 2 } });
  acpDocumented(ROW, "form", "of its MCP servers");
});

test("what it wants to do is permitted with one of its own options", async (t) => {
  const w = await world(t, calls(tool("toolu_1", "Bash", { command: "echo it is there", description: "say so" })));
  await writeFile(join(w.home, ".claude.json"), "{}");
  await mkdir(join(w.home, ".claude"));
  await writeFile(join(w.home, ".claude/settings.json"), JSON.stringify({ permissions: { ask: ["Bash"] } }));
  const seen = run(w, "go");
  const [{ id, permission, questions: [{ options }] }] = await w.broker.pending();
  assert.equal(permission.input.command, "echo it is there");
  await w.broker.answer(id, [{ selected: [options.find(({ description }) => description.includes("This call")).label] }]);
  assert.equal((await seen.ended).code, 0);
  assert.match((await w.model.result("toolu_1")).content, /it is there/);
  acpDocumented(ROW, "permission", "its own options");
});
