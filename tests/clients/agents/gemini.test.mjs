// SPDX-License-Identifier: Apache-2.0
// Gemini CLI without a terminal, set up by `parley mcp --install gemini --write`: it leaves out every
// tool called ask_user, and everything of a server that it does not trust.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

import { PROGRAM } from "../support/broker.mjs";
import { GeminiApi } from "./support/gemini_api.mjs";
import { World, installed } from "./support/world.mjs";

const run = promisify(execFile);
const { file: GEMINI, missing } = await installed("@google/gemini-cli/bundle/gemini.js");
const skip = missing ?? false;

const QUESTION = { questions: [{
  question: "Which database?", header: "Database", multiSelect: false,
  options: [{ label: "PostgreSQL", description: "The usual" },
    { label: "SQLite", description: "One file" }],
}] };

test("gemini -p: the tool is there by its other name, and the model has the answer", { skip },
  async (t) => {
    const model = await GeminiApi.start("ask_person", QUESTION);
    const w = await World.start(t, model);
    w.further = { GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: model.url,
      GEMINI_CLI_TRUST_WORKSPACE: "true", TERM: "xterm-256color" };
    await run(PROGRAM, ["mcp", "--install", "gemini", "--write"], { env: w.variables });
    const settings = join(w.home, ".gemini/settings.json");
    await writeFile(settings, JSON.stringify({ ...JSON.parse(await readFile(settings, "utf8")),
      security: { auth: { selectedType: "gemini-api-key" } } }));
    const ended = run(process.execPath, [GEMINI, "-m", "gemini-2.5-pro", "-p", "go"],
      { cwd: w.project, env: w.variables });
    ended.child.stdin.end();
    const ask = await w.asked();
    await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
    const { stdout } = await ended;
    assert.match(stdout, /All done\./);
    assert.deepEqual(await model.told(), { output: "<untrusted_context>\n"
      + 'User has answered your questions: "Which database?"="SQLite". '
      + "You can now continue with the user's answers in mind.\n</untrusted_context>" });
    assert.deepEqual(model.offered().filter((name) => name.includes("parley")).sort(),
      ["mcp_parley_ask_person", "mcp_parley_notify_user", "mcp_parley_wait_answer"]);
  });
