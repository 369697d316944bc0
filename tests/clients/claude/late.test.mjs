// SPDX-License-Identifier: Apache-2.0
// `parley run claude`: what is answered after the call that asked it had ended reaches the model as
// the session's next message, once.
import assert from "node:assert/strict";
import { test } from "node:test";

import { PROGRAM, until } from "../support/broker.mjs";
import { news, text, tool } from "./support/model.mjs";
import { QUESTION, world } from "./support/world.mjs";

const server = (...args) => ["--", "--mcp-config", JSON.stringify({ mcpServers: {
  parley: { command: PROGRAM, args: ["mcp", ...args] } } }), "--allowedTools", "mcp__parley", "Bash"];
const answer = (id) => `Here is the user's answer to what you asked earlier (${id}). User has `
  + 'answered your questions: "Which database?"="SQLite". You can now continue with the user\'s '
  + "answers in mind.";

// A model that makes one call when it is told "ask", and says so when an answer came.
const script = (call) => (seen) => {
  const last = news(seen);
  if (last.some(({ text: words }) => words?.includes("user's answer"))) return [text("I have it.")];
  if (last.some(({ type }) => type === "tool_result")) return [text("Going on.")];
  return last.some((block) => block.text === "ask") ? [call] : [text("Heard.")];
};

async function start(t, call, ...args) {
  const w = await world(t, script(call));
  const run = w.run(...args);
  const name = (await until(() => /session (\S+)/.exec(run.errors)))[1];
  await w.broker.call("POST", `/v1/sessions/${name}/messages`, { text: "ask" });
  await until(() => run.output.includes("Going on."), "the model goes on");
  const [ask] = await w.broker.pending();
  return { w, run, name, ask };
}

// How often the model sees it in the conversation that it has now.
const told = (w, words) => w.model.requests.at(-1).messages.flatMap(({ content }) => content)
  .filter((block) => block.type === "text" && block.text.includes(words)).length;

async function answered({ w, run, name, ask }) {
  await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
  await until(() => run.output.includes("I have it."), "the answer is the next message");
  assert.equal(told(w, answer(ask.id)), 1);
  // Nor is it told again with what is said next.
  await w.broker.call("POST", `/v1/sessions/${name}/messages`, { text: "and now?" });
  await until(() => told(w, "and now?"), "the next message");
  assert.equal(told(w, answer(ask.id)), 1);
}

test("ask_user that does not block, with the broker killed meanwhile", async (t) => {
  const made = await start(t, tool("toolu_1", "mcp__parley__ask_user",
    { ...QUESTION, blocking: false }), ...server());
  await made.w.broker.kill();
  await made.w.broker.restart();
  await answered(made);
});

test("ask_user that was held long enough", async (t) => {
  await answered(await start(t, tool("toolu_1", "mcp__parley__ask_user", QUESTION),
    ...server("--wait", "100ms")));
});

test("`parley ask --background`, run by the model as a command", async (t) => {
  const command = `${PROGRAM} ask "Which database?" -o PostgreSQL -o SQLite --background`;
  await answered(await start(t, tool("toolu_1", "Bash", { command, description: "ask" }),
    ...server()));
});

for (const signal of ["SIGTERM", "SIGKILL"]) {
  test(`what is answered while nothing runs (${signal}) is told when the session is resumed, once`,
    async (t) => {
      const { w, run, name, ask } = await start(t, tool("toolu_1", "mcp__parley__ask_user",
        { ...QUESTION, blocking: false }), ...server());
      await w.transcript(name);
      run.kill(signal);
      await run.ended;
      await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
      const again = await w.run("--resume", name, ...server()).ended;
      assert.equal(again.code, 0, again.errors);
      assert.match(again.output, /I have it\./);
      assert.equal(told(w, answer(ask.id)), 1);
      // Nor is it told by the run after that.
      const last = await w.run("--resume", name, "and now?", ...server()).ended;
      assert.equal(last.code, 0, last.errors);
      assert.match(last.output, /Heard\./);
      assert.equal(told(w, answer(ask.id)), 1);
    });
}

test("a session that was ended and resumed is told what was open", async (t) => {
  const made = await start(t, tool("toolu_1", "mcp__parley__ask_user",
    { ...QUESTION, blocking: false }), ...server());
  await made.w.transcript(made.name);
  made.run.kill("SIGTERM");
  await made.run.ended;
  const { w, name, ask } = made;
  assert.equal((await w.broker.pending())[0].id, ask.id);
  const again = w.run("--resume", name, ...server());
  await until(() => /resumes this session/.test(again.errors), "it is there again");
  await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
  const { code, output } = await again.ended;
  assert.equal(code, 0);
  assert.match(output, /I have it\./);
  assert.equal(told(w, answer(ask.id)), 1);
});
