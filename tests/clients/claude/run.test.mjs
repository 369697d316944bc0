// SPDX-License-Identifier: Apache-2.0
// `parley run claude`: a real Claude Code as a session of the broker.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

import { GLANCE, documented } from "../agents/support/docs.mjs";
import { until } from "../support/broker.mjs";
import { calls, news, text, tool } from "./support/model.mjs";
import { CLIS, MCP, QUESTION, world } from "./support/world.mjs";

const QUESTIONS = QUESTION.questions;
const ASK = calls(text("Let me ask."), tool("toolu_1", "AskUserQuestion", QUESTION));
const ANSWERED = 'Your questions have been answered: "Which database?"="SQLite". '
  + "You can now continue with these answers in mind.";
// The Claude Code that a `parley run claude` drives.
const childOf = ({ pid }) => {
  const { stdout } = spawnSync("pgrep", ["-P", String(pid)]);
  return Number(stdout.toString().trim().split("\n")[0]);
};

for (const cli of Object.keys(CLIS)) {
  test(`an answer, ${cli} CLI: what the model, the terminal and every door see`, async (t) => {
    const w = await world(t, ASK, { cli });
    const watch = w.watch();
    await watch.wait(({ type }) => type === "snapshot.end");
    const run = w.run("Choose a database");
    const [ask] = await w.broker.pending();
    assert.equal(ask.agent, "claude");
    await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
    const { code, output, errors } = await run.ended;
    assert.equal(code, 0, errors);
    assert.equal(output, "Let me ask.\nAll done.\n");
    assert.equal((await w.model.result("toolu_1")).content, ANSWERED);
    assert.ok(w.model.texts().includes("Choose a database"));
    const { body } = await w.broker.call("GET", `/v1/sessions/${ask.session_id}/messages`);
    assert.deepEqual(body.messages, [], "the CLI has said that it has what it was told");
    await watch.wait(({ part }) => part?.type === "finish", "the turn's end is told");
    const parts = watch.events().filter(({ type }) => type === "session.part")
      .map(({ part, ...rest }) => part ?? rest);
    const recorded = parts.find(({ type }) => type === "tool-output");
    assert.deepEqual(recorded.output, { ...QUESTION, answers: { "Which database?": "SQLite" } });
    assert.ok(parts.some(({ type }) => type === "text-delta"));
    assert.ok(watch.events().some(({ type }) => type === "session.message"));
  });
}

test("free text, and several choices", async (t) => {
  const questions = [QUESTIONS[0], { ...QUESTIONS[0], question: "Which ones?", multiSelect: true }];
  const w = await world(t, calls(tool("toolu_1", "AskUserQuestion", { questions })));
  w.run("go");
  const [ask] = await w.broker.pending();
  await w.broker.answer(ask.id, [
    { selected: [], other: "MariaDB, please" }, { selected: ["PostgreSQL", "SQLite"] }]);
  const { content } = await w.model.result("toolu_1");
  assert.ok(content.startsWith(
    'The user answered: "Which database?"="MariaDB, please", "Which ones?"="PostgreSQL, SQLite"'),
  content);
});

test("two questions at once are answered in any order", async (t) => {
  const other = { questions: [{ ...QUESTIONS[0], question: "Which region?" }] };
  const w = await world(t, calls(tool("toolu_1", "AskUserQuestion", QUESTION),
    tool("toolu_2", "AskUserQuestion", other)));
  const run = w.run("go");
  const [first, second] = await w.broker.pending(2);
  await w.broker.answer(second.id, [{ selected: ["PostgreSQL"] }]);
  await w.broker.answer(first.id, [{ selected: ["SQLite"] }]);
  const { code } = await run.ended;
  assert.equal(code, 0);
  const told = (ask, choice) => `Your questions have been answered: "${ask.questions[0].question}"=`
    + `"${choice}". You can now continue with these answers in mind.`;
  assert.equal((await w.model.result(first.tool.call_id)).content, told(first, "SQLite"));
  assert.equal((await w.model.result(second.tool.call_id)).content, told(second, "PostgreSQL"));
});

test("permissions are asked with the tool's input, and a denial says why", async (t) => {
  const bash = (id, command) => tool(id, "Bash", { command, description: "x" });
  const steps = [bash("toolu_1", "touch a"), bash("toolu_2", "touch b"), bash("toolu_3", "touch b")];
  const w = await world(t, (seen) => {
    const done = seen.flatMap(({ content }) => content)
      .filter(({ type }) => type === "tool_result").length;
    return done < steps.length ? [steps[done]] : [text("All done.")];
  });
  const run = w.run("go");
  for (const [words, answer] of [["touch a", { selected: ["Deny"], note: "not there" }],
    ["touch b", { selected: ["Allow for this session"] }]]) {
    const [ask] = await w.broker.pending();
    assert.equal(ask.permission.summary, words);
    assert.deepEqual(ask.permission.input, { command: words, description: "x" });
    await w.broker.answer(ask.id, [answer]);
    await w.settled(ask.id);
  }
  assert.equal((await run.ended).code, 0);
  const results = w.model.results();
  assert.equal(results.get("toolu_1").content, "The user does not allow this. Reason: not there");
  assert.notEqual(results.get("toolu_3").is_error, true);
  assert.equal((await w.broker.call("GET", "/v1/asks")).body.asks.length, 2);
});

test("a plan is shown whole, and carried out when somebody says so", async (t) => {
  const plan = "# Split it\n- first\n";
  // Claude Code names the file that the plan is to be written to.
  const w = await world(t, (seen) => {
    const [path] = /[^\s"`\\]+\/plans\/[^\s"`\\]+\.md/.exec(JSON.stringify(seen));
    const done = seen.flatMap(({ content }) => content)
      .filter(({ type }) => type === "tool_result").length;
    return [tool("toolu_1", "Write", { file_path: path, content: plan }),
      tool("toolu_2", "ExitPlanMode", {}), text("All done.")].slice(done, done + 1);
  });
  const run = w.run("go", "--", "--permission-mode", "plan");
  const [ask] = await w.broker.pending();
  assert.equal(ask.permission.plan, plan);
  assert.equal(ask.questions[0].question, "May Claude Code go on with its plan: `Split it`?");
  await w.broker.answer(ask.id, [{ selected: ["Allow once"] }]);
  assert.match((await w.model.result("toolu_2")).content, /^User has approved your plan\./);
  assert.equal((await run.ended).code, 0);
  documented("Claude Code, `run claude`", "plan", "an ask with the plan", GLANCE);
});

test("a dismissal is told to the model, with its reason", async (t) => {
  const w = await world(t, ASK);
  const run = w.run("go");
  const [ask] = await w.broker.pending();
  await w.broker.call("POST", `/v1/asks/${ask.id}/dismiss`, { reason: "ask Grace" });
  const result = await w.model.result("toolu_1");
  assert.equal(result.is_error, true);
  assert.match(result.content, /ask Grace/);
  assert.equal((await run.ended).code, 0);
});

test("--interrupt-on-dismiss ends the turn", async (t) => {
  const w = await world(t, ASK);
  const run = w.run("go", "--interrupt-on-dismiss", "--timeout", "200ms");
  assert.equal((await run.ended).code, 130);
  // The model is not called again.
  assert.equal(w.model.requests.length, 1);
});

test("stopping the turn withdraws the question and interrupts Claude Code", async (t) => {
  const w = await world(t, ASK);
  const run = w.run("go");
  const [ask] = await w.broker.pending();
  await w.broker.call("POST", `/v1/sessions/${ask.session}/abort`);
  assert.equal((await w.settled(ask.id)).state, "withdrawn");
  assert.equal((await run.ended).code, 130);
  assert.equal(w.model.requests.length, 1);
});

test("a broker that is killed and restarted meanwhile makes no difference", async (t) => {
  const w = await world(t, ASK);
  const run = w.run("go");
  const [ask] = await w.broker.pending();
  await w.broker.kill();
  await w.broker.restart();
  await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
  const { code, errors } = await run.ended;
  assert.equal(code, 0, errors);
  assert.equal((await w.model.result("toolu_1")).content, ANSWERED);
});

test("a text in whose middle the broker is killed is recorded whole", async (t) => {
  const words = "Do NOT run the migration on production before the backup is taken, whatever I said.";
  let goOn;
  const pause = new Promise((resolve) => { goOn = resolve; });
  const w = await world(t, () => [text(words, pause)]);
  const watch = w.watch();
  await watch.wait(({ type }) => type === "snapshot.end");
  const run = w.run("go");
  await watch.wait(({ part }) => part?.text?.startsWith("Do NOT"), "the text has begun");
  await w.broker.kill();
  await w.broker.restart();
  goOn();
  const { code, errors } = await run.ended;
  assert.equal(code, 0, errors);
  const { body: { sessions } } = await w.broker.call("GET", "/v1/sessions");
  const { body } = await w.broker.call("GET", `/v1/sessions/${sessions[0].session_id}/events`);
  assert.deepEqual(body.events.flatMap(({ event: { part } }) => part?.text ?? []), [words]);
});

test("a Claude Code that is killed takes its question along, and can be resumed", async (t) => {
  // The CLI may have written the call down before it died; the same id must not come again.
  const isResumed = (seen) => news(seen).some(({ text: words }) => words?.includes("go on"));
  const w = await world(t, (seen) => (isResumed(seen) ? [text("All done.")] : ASK(seen)));
  const watch = w.watch();
  await watch.wait(({ type }) => type === "snapshot.end");
  const run = w.run("go");
  const [ask] = await w.broker.pending();
  // What is not yet on its disk, Claude Code cannot resume.
  const { body: { name } } = await w.broker.call("GET", `/v1/sessions/${ask.session}`);
  await w.transcript(name);
  process.kill(childOf(run), "SIGKILL");
  const { code, errors } = await run.ended;
  assert.equal(code, 1);
  assert.match(errors, /ended unexpectedly \(killed by signal 9/);
  assert.equal((await w.settled(ask.id)).state, "withdrawn");
  await watch.wait(({ type, text: words }) => type === "notice" && /unexpectedly/.test(words));
  const again = w.run("go on", "--resume", name);
  assert.equal((await again.ended).code, 0);
  assert.ok(w.model.texts().includes("go on"));
});

test("messages from every door reach Claude, after the open question", async (t) => {
  const w = await world(t, (seen) => {
    const last = news(seen);
    if (last.some(({ type }) => type === "tool_result")) return [text("All done.")];
    return last.some((block) => block.text === "ask") ? [tool("toolu_1", "AskUserQuestion", QUESTION)]
      : [text("Heard.")];
  });
  const run = w.run();
  const name = (await until(() => /session (\S+)/.exec(run.errors)))[1];
  const say = (words) => w.broker.call("POST", `/v1/sessions/${name}/messages`, { text: words });
  await say("hello");
  await until(() => run.output.includes("Heard."));
  await say("ask");
  const [ask] = await w.broker.pending();
  const said = await say("by the way");
  assert.equal(said.body.queued ?? said.body.is_queued, true);
  await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
  await until(() => w.model.texts().some((words) => words.includes("by the way")));
  // Ending the session ends the run.
  await w.broker.call("DELETE", `/v1/sessions/${name}`);
  assert.equal((await run.ended).code, 5);
});

test("a deferred question goes on with `run claude --resume`", async (t) => {
  const w = await world(t, calls(tool("toolu_1", "AskUserQuestion", QUESTION)));
  await w.parley("hook", "claude", "--install", "--scope", "project", "--defer");
  const first = await w.claude("go", "--output-format", "json").ended;
  const { session_id: session, stop_reason: reason } = JSON.parse(first.output);
  assert.equal(reason, "tool_deferred");
  const [ask] = await w.broker.pending();
  const run = w.run("--resume", session);
  await until(() => childOf(run));
  await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
  const { code, errors } = await run.ended;
  assert.equal(code, 0, errors);
  assert.equal((await w.model.result("toolu_1")).content, ANSWERED);
});

test("a form of an MCP server is filled in", async (t) => {
  const w = await world(t, calls(tool("toolu_1", "mcp__asker__paint", {})));
  w.run("go", "--", ...MCP);
  const [ask] = await w.broker.pending();
  await w.broker.answer(ask.id, [{ selected: ["green"] }, { selected: [], other: "2" }]);
  const { content } = await w.model.result("toolu_1");
  assert.deepEqual(JSON.parse(content[0].text ?? content),
    { action: "accept", content: { color: "green", coats: 2 } });
  documented("Claude Code, `run claude`", "form", "of its MCP servers", GLANCE);
});

test("installed hooks keep out of a driven Claude Code", async (t) => {
  const w = await world(t, ASK);
  await w.parley("hook", "claude", "--install", "--scope", "project");
  const run = w.run("go");
  const [ask] = await w.broker.pending();
  await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
  assert.equal((await run.ended).code, 0);
  assert.equal((await w.broker.call("GET", "/v1/asks")).body.asks.length, 1);
});

test("without a Claude Code the command says so", async (t) => {
  const w = await world(t, ASK);
  const { code, errors } = await w.run("go", "--claude", "/no/such/claude").ended;
  assert.equal(code, 1);
  assert.match(errors, /no\/such\/claude/);
});
