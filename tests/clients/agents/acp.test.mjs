// SPDX-License-Identifier: Apache-2.0
// Real agents under `parley run acp`: their models ask through Parley's own tool, which needs nobody's
// permission, and what else they do is permitted by a person.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";

import { PROGRAM, until } from "../support/broker.mjs";
import { COPILOT, GEMINI, OPENCODE, QUESTION, QWEN, find, tooSlow } from "./support/clients.mjs";
import { World } from "./support/world.mjs";

const ANSWERED = 'User has answered your questions: "Which database?"="SQLite".';
const says = (words, text) => words.replaceAll("\\", "").includes(text);
const PATIENCE_MS = 240_000;
const AGENTS = [[GEMINI, ["-m", "gemini-2.5-pro", "--acp"]], [COPILOT, ["--acp"]], [QWEN, ["--acp"]],
  [OPENCODE, ["acp"]]];
// All but Gemini CLI only where it is asked for.
const isTried = (client) => (client.name === "gemini" ? client.skip
  : tooSlow({ ...client, isSlow: true }));

for (const [each, args] of AGENTS) {
  const client = await find(each);
  const name = client.title.split(",")[0];

  test(`${name}: its model asks, and has the answer; the broker is killed meanwhile`,
    { skip: isTried(client), timeout: PATIENCE_MS }, async (t) => {
      const w = await World.start(t, await client.model(QUESTION));
      w.further = { TERM: "xterm-256color", ...client.variables(w.model) };
      await client.settings(w, w.model);
      const run = spawn(PROGRAM, ["run", "acp", "go", "--", ...client.command, ...args],
        { cwd: w.project, env: w.variables, stdio: ["ignore", "pipe", "pipe"] });
      let errors = "";
      run.stderr.on("data", (data) => { errors += data; });
      run.stdout.resume();
      const ended = once(run, "close");
      const ask = await w.asked();
      assert.equal(ask.questions[0].question, "Which database?", JSON.stringify(ask));
      await w.broker.kill();
      await w.broker.restart();
      await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
      const words = await until(() => w.model.heard().at(-1), "the model is told", 60_000);
      assert.ok(says(words, ANSWERED), words);
      const [code] = await ended;
      assert.equal(code, 0, errors);
    });
}
