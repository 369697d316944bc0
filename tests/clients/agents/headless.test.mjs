// SPDX-License-Identifier: Apache-2.0
// Agent programs without a terminal, set up by `parley mcp --install CLIENT --write`: what their
// models are told, word by word, when a person answers elsewhere, dismisses, takes long, when the
// broker or the program is killed.
import assert from "node:assert/strict";
import { test } from "node:test";

import { until } from "../support/broker.mjs";
import { CLAUDE, CLINE, CODEX, COPILOT, GEMINI, OPENCODE, QWEN, find, headless, start,
  tooSlow } from "./support/clients.mjs";
import { documented } from "./support/docs.mjs";

const ANSWERED = 'User has answered your questions: "Which database?"="SQLite". '
  + "You can now continue with the user's answers in mind.";
const DISMISSED = "The user dismissed your questions without answering them. "
  + 'Reason: "ask me tomorrow". Do not assume an answer.';
// Some clients hand the model the text, some the structure, some both; each in JSON of its own.
const says = (words, text) => words.replaceAll("\\", "").includes(text.replaceAll("\\", ""));
const PATIENCE_MS = 120_000;
const answer = (w, ask) => w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);

for (const each of [CLAUDE, CODEX, COPILOT, GEMINI, QWEN, OPENCODE, CLINE]) {
  const client = await find(each);
  const { skip, title } = client;
  const told = async (w) => until(() => w.model.heard().at(-1), "the model is told", 60_000);

  test(`${title}: the broker is killed, the call is held twice, a person answers`,
    { skip, timeout: PATIENCE_MS }, async (t) => {
      const w = await start(t, client, { install: ["--wait", "2s"] });
      const ended = headless(w, client);
      const ask = await w.asked();
      await w.broker.kill();
      await w.broker.restart();
      await until(() => w.model.heard().length > 0, "the call ends as pending", 60_000);
      assert.ok(says(w.model.heard()[0], `The question stays open as ${ask.id}.`));
      await answer(w, ask);
      await ended;
      assert.ok(says(await told(w), ANSWERED), await told(w));
      documented(title, "answered elsewhere", "the tool's result is the answer");
      documented(title, "long wait", "`pending`, then `wait_answer` brings it");
      documented(title, "broker killed", "waits on");
    });

  test(`${title}: dismissed with words, where only HOME tells of the broker`,
    { skip, timeout: PATIENCE_MS }, async (t) => {
      const w = await start(t, client, { variables: { XDG_RUNTIME_DIR: "" } });
      const ended = headless(w, client);
      const ask = await w.asked();
      await w.broker.call("POST", `/v1/asks/${ask.id}/dismiss`, { reason: "ask me tomorrow" });
      await ended;
      assert.ok(says(await told(w), DISMISSED), await told(w));
      documented(title, "dismissed with words", "in the person's words");
      documented(title, "environment kept back", "finds the broker");
    });

  test(`${title}: killed, its question is taken back; resumed, it goes on`,
    { skip: tooSlow(client), timeout: PATIENCE_MS }, async (t) => {
      const w = await start(t, client);
      const first = headless(w, client);
      const ask = await w.asked();
      first.child.kill("SIGKILL");
      await assert.rejects(first);
      const state = async (id) => (await w.broker.call("GET", `/v1/asks/${id}`)).body.state;
      await until(async () => (await state(ask.id)) === "withdrawn", "the question is taken back");
      if (!client.resumed)
        return documented(title, "killed and resumed", "withdrawn; resumes in its terminal alone");
      const before = w.model.requests.length;
      const again = headless(w, client, client.resumed);
      let isOver = false;
      const over = again.finally(() => { isOver = true; });
      // What the client had not written down yet, its model calls again.
      const anew = await until(async () => {
        const { asks } = (await w.broker.call("GET", "/v1/asks?state=pending")).body;
        return asks[0] ?? isOver;
      }, "it asks anew, or is done", 60_000);
      if (anew !== true) await answer(w, anew);
      await over;
      assert.ok(w.model.requests.length > before);
      assert.ok(JSON.stringify(w.model.requests.at(-1)).includes("go on"));
      documented(title, "killed and resumed", "withdrawn; it goes on");
    });
}
