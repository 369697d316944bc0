// SPDX-License-Identifier: Apache-2.0
// Agent programs on a real screen, set up by `parley mcp --install CLIENT --write`. No permission is
// asked for before the question: Copilot CLI trusts tools that change nothing, the others are told to.
import assert from "node:assert/strict";
import { test } from "node:test";

import { until } from "../support/broker.mjs";
import { Screen } from "../claude/support/screen.mjs";
import { COPILOT, GEMINI, OPENCODE, QWEN, find, start, tooSlow } from "./support/clients.mjs";
import { documented } from "./support/docs.mjs";

const PATIENCE_MS = 300_000; // such a program may take long to start
const terminal = ({ title }) => title.replace(/`.*`/, "terminal");
const told = async (w) => until(() => w.model.heard().at(-1), "the model is told", 60_000);

async function open(t, client) {
  const w = await start(t, client);
  const screen = await Screen.open(t, w, ...client.command, ...client.terminal);
  return { w, screen, ask: await w.asked() };
}

const copilot = await find(COPILOT);

for (const client of [copilot, await find(QWEN), await find(GEMINI), await find(OPENCODE)]) {
  test(`${client.title} on a screen: answered elsewhere`,
    { skip: tooSlow(client), timeout: PATIENCE_MS }, async (t) => {
      const { w, screen, ask } = await open(t, client);
      const form = "enter accept";
      const hasForm = client === copilot;
      if (hasForm) await screen.shows(form);
      await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
      assert.match((await told(w)).replaceAll("\\", ""),
        /User has answered your questions: "Which database\?"="SQLite"\. You can now continue/);
      await screen.shows("All done.");
      if (hasForm) await screen.lacks(form);
      documented(terminal(client), "answered elsewhere", hasForm
        ? "the form goes; the tool's result is the answer" : "the tool's result is the answer");
      if (!hasForm) documented(terminal(client), "answered here", "shows no forms");
    });
}

test("Copilot's screen: the form is filled in", { skip: copilot.skip, timeout: PATIENCE_MS },
  async (t) => {
    const { w, screen, ask } = await open(t, copilot);
    await screen.shows("enter accept");
    await screen.press("Down", "❯ PostgreSQL");
    await screen.shows("❯ SQLite");
    await screen.press("Enter", "❯ SQLite");
    await screen.shows("[Database: other]");
    await screen.press("Enter", "[Database: other]");
    assert.ok((await told(w)).includes(
      '"answers":[{"question":"Which database?","selectedOptions":["SQLite"]}]'));
    const { body } = await w.broker.call("GET", `/v1/asks/${ask.id}`);
    assert.equal(body.settlement.door, "mcp");
    documented(terminal(copilot), "answered here", "the choice");
  });

test("Copilot's screen: a person declines", { skip: copilot.skip, timeout: PATIENCE_MS }, async (t) => {
  const { w, screen, ask } = await open(t, copilot);
  await screen.shows("ctrl+d decline");
  // Sooner than a person can read it would be a program's.
  await until(() => Date.now() > Date.parse(ask.created_at) + 2_000, "the form was there to be read");
  await screen.press("C-d", "ctrl+d decline");
  assert.match(await told(w), /The user dismissed your questions without answering them\./);
  documented(terminal(copilot), "dismissed with words", "declined by hand: dismissed");
});
