// SPDX-License-Identifier: Apache-2.0
// In a terminal: Claude Code's own dialogs beside the broker's asks, and `parley run claude`.
import assert from "node:assert/strict";
import { test } from "node:test";

import { documented } from "../agents/support/docs.mjs";
import { until } from "../support/broker.mjs";
import { HomeBroker } from "../support/home_broker.mjs";
import { calls, news, text, tool } from "./support/model.mjs";
import { Screen } from "./support/screen.mjs";
import { CLIS, QUESTION, world } from "./support/world.mjs";

const ASK = calls(tool("toolu_1", "AskUserQuestion", QUESTION));
const ANSWERED = 'Your questions have been answered: "Which database?"="SQLite". '
  + "You can now continue with these answers in mind.";
const ROW = "Claude Code 2.1.325, terminal, hooks";
const install = (w) => w.parley("hook", "claude", "--install", "--scope", "project");

for (const cli of Object.keys(CLIS)) {
  test(`the dialog of the ${cli} CLI is answered first: the ask is withdrawn`, async (t) => {
    const w = await world(t, ASK, { cli });
    await install(w);
    const screen = await Screen.claude(t, w, "go");
    const [ask] = await w.broker.pending();
    await screen.shows("1. PostgreSQL");
    await screen.keys("2");
    const { state, settlement } = await w.settled(ask.id);
    assert.equal(state, "withdrawn");
    assert.match(settlement.note, /Claude Code/);
    assert.equal((await w.model.result("toolu_1")).content, ANSWERED);
    documented(ROW, "answered here", "the ask is withdrawn");
  });

  test(`the ask is answered first: the dialog of the ${cli} CLI goes`, async (t) => {
    const w = await world(t, ASK, { cli });
    await install(w);
    const screen = await Screen.claude(t, w, "go");
    const [ask] = await w.broker.pending();
    await screen.shows("1. PostgreSQL");
    await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
    assert.equal((await w.model.result("toolu_1")).content, ANSWERED);
    await screen.lacks("1. PostgreSQL");
    await screen.shows("All done.");
    documented(ROW, "answered elsewhere", "the dialog goes; the model has the answer");
  });
}

test("the broker is killed, and only HOME tells of it: the hook waits on", async (t) => {
  const broker = await HomeBroker.start();
  t.after(() => broker.stop());
  const w = await world(t, ASK, { broker });
  w.further = { XDG_RUNTIME_DIR: "" };
  await install(w);
  const screen = await Screen.claude(t, w, "go");
  const [ask] = await broker.pending();
  await screen.shows("1. PostgreSQL");
  await broker.kill();
  await broker.restart();
  await broker.answer(ask.id, [{ selected: ["SQLite"] }]);
  assert.equal((await w.model.result("toolu_1")).content, ANSWERED);
  await screen.lacks("1. PostgreSQL");
  documented(ROW, "broker killed", "waits on");
  documented(ROW, "environment kept back", "finds the broker");
});

test("Claude Code is killed: its ask is withdrawn; resumed, it goes on", async (t) => {
  const w = await world(t, (seen) => {
    const isGoingOn = news(seen).some((block) => block.text?.includes("go on"));
    return isGoingOn ? [text("Going on.")] : [tool("toolu_1", "AskUserQuestion", QUESTION)];
  });
  await install(w);
  const screen = await Screen.claude(t, w, "go");
  const [ask] = await w.broker.pending();
  await screen.shows("1. PostgreSQL");
  await w.transcript();
  await screen.kill();
  assert.equal((await w.settled(ask.id)).state, "withdrawn");
  const again = await Screen.open(t, w, w.cli, "--continue", "go on");
  await again.shows("Going on.");
  documented(ROW, "killed and resumed", "withdrawn; it goes on. A deferred question waits on");
});

test("Esc in the dialog takes the ask back", async (t) => {
  const w = await world(t, ASK);
  await install(w);
  const screen = await Screen.claude(t, w, "go");
  const [ask] = await w.broker.pending();
  await screen.shows("1. PostgreSQL");
  await screen.keys("Escape");
  assert.equal((await w.settled(ask.id)).state, "withdrawn");
  await screen.lacks("1. PostgreSQL");
});

test("`run claude` shows the conversation, prompts in between, and takes messages", async (t) => {
  const w = await world(t, (seen) => {
    const last = news(seen);
    if (last.some(({ type }) => type === "tool_result")) return [text("All done.")];
    const wants = last.some((block) => block.text === "ask");
    return wants ? [text("Let me ask."), tool("toolu_1", "AskUserQuestion", QUESTION)]
      : [text("Hello yourself.")];
  });
  const screen = await Screen.parley(t, w, "run", "claude");
  await screen.shows(">");
  await screen.type("hello");
  await screen.keys("Enter");
  await screen.shows("Hello yourself.\n\n>");
  await screen.type("ask");
  await screen.keys("Enter");
  const asked = await screen.shows("Which database?");
  assert.match(asked, /Let me ask\.[^]*PostgreSQL[^]*SQLite/);
  await w.broker.pending();
  await screen.keys("2");
  await screen.shows("2 ● SQLite");
  // A key so soon after a prompt has come up is taken for a stray one.
  await until(async () => {
    await screen.keys("Enter");
    return !(await screen.text()).includes("2 ● SQLite");
  }, "the prompt is answered");
  const done = await screen.shows("All done.");
  assert.match(done, /Database: SQLite/);
  assert.ok(!done.includes("Which database?"));
  assert.equal((await w.model.result("toolu_1")).content, ANSWERED);
  await screen.keys("C-d");
  await screen.shows("code=130");
});

test("a prompt of `run claude` goes when somebody else has answered", async (t) => {
  const w = await world(t, ASK);
  const screen = await Screen.parley(t, w, "run", "claude", "go");
  await screen.shows("Which database?");
  const [ask] = await w.broker.pending();
  await w.broker.answer(ask.id, [{ selected: ["SQLite"] }], { by: "Grace" });
  const done = await screen.shows("code=0");
  assert.match(done, /Database: SQLite/);
  assert.match(done, /Grace/);
  assert.ok(!done.includes("Which database?"));
});
