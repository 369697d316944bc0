// SPDX-License-Identifier: Apache-2.0
// Agent programs on a real screen, set up by `parley mcp --install CLIENT --write`. No permission is
// asked for before the question: Copilot CLI trusts tools that change nothing, the others are told to.
import assert from "node:assert/strict";
import { test } from "node:test";

import { until } from "../support/broker.mjs";
import { Screen } from "../claude/support/screen.mjs";
import { CLAUDE, CLINE, CODEX, COPILOT, GEMINI, OPENCODE, QWEN, find, resuming, start,
  tooSlow } from "./support/clients.mjs";
import { documented } from "./support/docs.mjs";

const PATIENCE_MS = 300_000; // such a program may take long to start
const ANSWERED = 'User has answered your questions: "Which database?"="SQLite". '
  + "You can now continue with the user's answers in mind.";
const DISMISSED = "The user dismissed your questions without answering them. "
  + 'Reason: "ask me tomorrow". Do not assume an answer.';
const terminal = ({ title }) => title.replace(/`.*`/, "terminal");
const told = async (w) => until(() => w.model.heard().at(-1), "the model is told", 60_000);
const answer = (w, ask) => w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);

// The program on its screen when it has asked, and shows that if it shows such things.
async function open(t, client, setup) {
  const w = await start(t, client, setup);
  const screen = await Screen.open(t, w, ...client.command, ...client.terminal);
  const ask = await w.asked();
  if (client.form) await screen.shows(client.form);
  return { w, screen, ask };
}

// What its model was told last, and that its screen has gone on.
async function ends(w, screen, client, words) {
  await until(() => w.model.heard().at(-1)?.replaceAll("\\", "").includes(words),
    `the model is told: ${words}`, 60_000).catch((error) => {
    throw new Error(`${error.message}\nbut: ${w.model.heard().join("\n")}`);
  });
  await screen.shows("All done.");
  if (client.form) await screen.lacks(client.form);
}

// Says "go on" where a program comes back without a word.
async function typeOn(screen, input) {
  await until(async () => (await screen.text()).includes(input), "it is there again", 120_000);
  await until(async () => {
    await screen.type("go on");
    return until(async () => (await screen.text()).includes("go on"), "typed", 2_000).catch(() => false);
  }, "it takes words");
  await screen.keys("Enter");
}

for (const each of [CLAUDE, CODEX, COPILOT, QWEN, GEMINI, OPENCODE, CLINE]) {
  const client = await find(each);
  const row = terminal(client);
  // One that shows no form does what headless.test.mjs shows of it.
  const options = { skip: tooSlow({ ...client, isSlow: client.isSlow || !client.form }),
    timeout: PATIENCE_MS };

  test(`${row}: the broker is killed, the call is held twice, a person answers`, options,
    async (t) => {
      const { w, screen, ask } = await open(t, client, { install: ["--wait", "2s"] });
      await w.broker.kill();
      await w.broker.restart();
      await until(() => w.model.heard().length > 0, "the call ends as pending", 60_000);
      assert.ok(w.model.heard()[0].includes(`The question stays open as ${ask.id}.`));
      await answer(w, ask);
      await ends(w, screen, client, ANSWERED);
      documented(row, "answered elsewhere", client.form
        ? "the form goes; the tool's result is the answer" : "the tool's result is the answer");
      if (!client.form) documented(row, "answered here", "shows no forms");
      documented(row, "long wait", "`pending`, then `wait_answer` brings it");
      documented(row, "broker killed", "waits on");
    });

  test(`${row}: dismissed with words, where only HOME tells of the broker`, options, async (t) => {
    const { w, screen, ask } = await open(t, client, { variables: { XDG_RUNTIME_DIR: "" } });
    await w.broker.call("POST", `/v1/asks/${ask.id}/dismiss`, { reason: "ask me tomorrow" });
    await ends(w, screen, client, DISMISSED);
    documented(row, "dismissed with words", "in the person's words");
    documented(row, "environment kept back", "finds the broker");
  });

  test(`${row}: killed, its question is taken back; resumed, it goes on`, options, async (t) => {
    const { w, screen, ask } = await open(t, client);
    await screen.kill();
    await until(async () => (await w.broker.call("GET", `/v1/asks/${ask.id}`)).body.state
      === "withdrawn", "the question is taken back");
    const again = await Screen.open(t, w, ...client.command, ...await resuming(w, client));
    if (client.input) await typeOn(again, client.input);
    const goesOn = () => JSON.stringify(w.model.requests.at(-1)).includes("go on");
    // What the client had not written down yet, its model calls again.
    await until(async () => {
      const { asks } = (await w.broker.call("GET", "/v1/asks?state=pending")).body;
      if (asks[0]) await answer(w, asks[0]);
      return goesOn() && (await again.text()).includes("All done.");
    }, "it goes on", 120_000);
    documented(row, "killed and resumed", "withdrawn; it goes on");
  });
}

const copilot = await find(COPILOT);
const options = { skip: copilot.skip, timeout: PATIENCE_MS };

test("Copilot's screen: the form is filled in", options, async (t) => {
  const { w, screen, ask } = await open(t, copilot);
  await screen.press("Down", "❯ PostgreSQL");
  await screen.shows("❯ SQLite");
  await screen.press("Enter", "❯ SQLite");
  await screen.shows("[Database: other]");
  await screen.press("Enter", "[Database: other]");
  assert.ok((await told(w)).includes(
    '"answers":[{"question":"Which database?","selectedOptions":["SQLite"]}]'));
  const { body } = await w.broker.call("GET", `/v1/asks/${ask.id}`);
  assert.equal(body.settlement.door, "mcp");
  documented(terminal(copilot), "answered here", "the choice; declined, it is dismissed");
});

test("Copilot's screen: a person declines", options, async (t) => {
  const { w, screen, ask } = await open(t, copilot);
  await screen.shows("ctrl+d decline");
  // Sooner than a person can read it would be a program's.
  await until(() => Date.now() > Date.parse(ask.created_at) + 2_000, "the form was there to be read");
  await screen.press("C-d", "ctrl+d decline");
  assert.match(await told(w), /The user dismissed your questions without answering them\./);
  documented(terminal(copilot), "answered here", "the choice; declined, it is dismissed");
});
