// SPDX-License-Identifier: Apache-2.0
// `parley hook claude` as Claude Code runs it: what the model is told, to the letter.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { until } from "../support/broker.mjs";
import { calls, text, tool } from "./support/model.mjs";
import { CLIS, MCP, QUESTION, world } from "./support/world.mjs";

const ASK = calls(tool("toolu_1", "AskUserQuestion", QUESTION));
const ANSWERED = 'Your questions have been answered: "Which database?"="SQLite". '
  + "You can now continue with these answers in mind.";
const install = (w, ...args) =>
  w.parley("hook", "claude", "--install", "--scope", "project", ...args);

for (const cli of Object.keys(CLIS)) {
  test(`PreToolUse, ${cli} CLI: the answer is what the model is told`, async (t) => {
    const w = await world(t, ASK, { cli });
    await install(w, "--before-dialog");
    const claude = w.claude("go");
    const [ask] = await w.broker.pending();
    assert.equal(ask.agent, "claude");
    assert.equal(ask.tool.call_id, "toolu_1");
    // It says there which version it is.
    const { body: { name } } = await w.broker.call("GET", `/v1/sessions/${ask.session}`);
    await w.transcript(name);
    await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
    const result = await w.model.result("toolu_1");
    assert.equal(result.content, ANSWERED);
    assert.notEqual(result.is_error, true);
    const { code, output } = await claude.ended;
    assert.equal(code, 0);
    assert.equal(output.trim(), "All done.");
    // This CLI takes the answers; it is not told them twice.
    assert.ok(!w.model.texts().some((words) => words.includes("hook additional context")));
  });
}

test("several choices, own words and a note arrive as they were given", async (t) => {
  const questions = [
    { ...QUESTION.questions[0], question: "Which features?", multiSelect: true,
      options: [{ label: "Dark mode", description: "" }, { label: "Red, green", description: "" }] },
    { ...QUESTION.questions[0], question: "Which name?" },
  ];
  const w = await world(t, calls(tool("toolu_1", "AskUserQuestion", { questions })));
  await install(w, "--before-dialog");
  w.claude("go");
  const [ask] = await w.broker.pending();
  await w.broker.answer(ask.id, [
    { selected: ["Dark mode", "Red, green"] }, { selected: [], other: "Ada's", note: "for now" }]);
  const { content } = await w.model.result("toolu_1");
  assert.match(content, /^The user answered: /);
  assert.ok(content.includes('"Which features?"="Dark mode, \\"Red, green\\""')
    || content.includes('"Which features?"="Dark mode, "Red, green""'), content);
  assert.ok(content.includes('"Which name?"="Ada\'s" notes: for now'), content);
});

test("a dismissal is told with its reason", async (t) => {
  const w = await world(t, ASK);
  await install(w, "--before-dialog");
  w.claude("go");
  const [ask] = await w.broker.pending();
  await w.broker.call("POST", `/v1/asks/${ask.id}/dismiss`, { reason: "ask Grace" });
  const result = await w.model.result("toolu_1");
  assert.equal(result.is_error, true);
  assert.match(result.content, /^PreToolUse:AskUserQuestion hook error: .*ask Grace/);
});

test("on timeout: deny tells the model, empty lets it go on without answers", async (t) => {
  for (const [what, expected] of [
    ["deny", /hook error: .*answered/], ["empty", /^The user did not answer the questions\.$/]]) {
    const w = await world(t, ASK);
    await install(w, "--before-dialog", "--timeout", "200ms", "--on-timeout", what);
    w.claude("go");
    assert.match((await w.model.result("toolu_1")).content, expected);
    // The list of another node may be a little behind.
    await until(async () => {
      const { body } = await w.broker.call("GET", "/v1/asks");
      return body.asks[0]?.state === "timed_out";
    }, "the ask has timed out");
  }
});

test("without a broker, and on timeout by default, the host is asked", async (t) => {
  for (const isAway of [true, false]) {
    const w = await world(t, ASK);
    await install(w, "--before-dialog", "--timeout", "200ms");
    if (isAway) await w.broker.kill();
    await w.sdk("go", async (name, input) => ({
      behavior: "allow", updatedInput: { ...input, answers: { "Which database?": "SQLite" } },
    }));
    assert.equal((await w.model.result("toolu_1")).content, ANSWERED);
  }
});

test("a broker that is killed and restarted meanwhile makes no difference", async (t) => {
  const w = await world(t, ASK);
  await install(w, "--before-dialog");
  w.claude("go");
  const [ask] = await w.broker.pending();
  await w.broker.kill();
  await w.broker.restart();
  assert.equal((await w.broker.pending())[0].id, ask.id);
  await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
  assert.equal((await w.model.result("toolu_1")).content, ANSWERED);
});

for (const signal of ["SIGTERM", "SIGKILL"]) {
  test(`a Claude Code that ends by ${signal} takes its question along`, async (t) => {
    const w = await world(t, ASK);
    await install(w, "--before-dialog");
    const claude = w.claude("go");
    const [ask] = await w.broker.pending();
    claude.kill(signal);
    const { state, settlement } = await w.settled(ask.id);
    assert.equal(state, "withdrawn");
    assert.match(settlement.note, /^Claude Code/);
  });
}

test("PermissionRequest: the hook wins the race, and the host's dialog is closed", async (t) => {
  const w = await world(t, ASK);
  await install(w);
  let dialog = "";
  const asked = w.sdk("go", (name, input, { signal }) => new Promise((resolve, reject) => {
    dialog = "open";
    signal.addEventListener("abort", () => { dialog = "closed"; reject(new Error("closed")); });
  }));
  const [ask] = await w.broker.pending();
  await until(() => dialog === "open");
  await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
  await asked;
  assert.equal((await w.model.result("toolu_1")).content, ANSWERED);
  assert.equal(dialog, "closed");
});

test("PermissionRequest: the host wins the race, and the ask is withdrawn", async (t) => {
  const w = await world(t, ASK);
  await install(w);
  let answer;
  const asked = w.sdk("go", (name, input) => new Promise((resolve) => {
    answer = () => resolve({ behavior: "allow",
      updatedInput: { ...input, answers: { "Which database?": "SQLite" } } });
  }));
  const [ask] = await w.broker.pending();
  await until(() => answer);
  answer();
  const { state, settlement } = await w.settled(ask.id);
  assert.equal(state, "withdrawn");
  assert.match(settlement.note, /Claude Code/);
  await asked;
  assert.equal((await w.model.result("toolu_1")).content, ANSWERED);
});

test("permissions: once, denied with a reason, for the session", async (t) => {
  const write = (id, name) => tool(id, "Bash", { command: `touch ${name}`, description: name });
  const steps = [write("toolu_1", "a"), write("toolu_2", "b"), write("toolu_3", "c"),
    write("toolu_4", "c")];
  const w = await world(t, (seen) => {
    const done = seen.flatMap(({ content }) => content)
      .filter(({ type }) => type === "tool_result").length;
    return done < steps.length ? [steps[done]] : [text("All done.")];
  });
  await install(w);
  const run = w.sdk("go", () => new Promise(() => {}));
  for (const [name, answer] of [
    ["a", { selected: ["Allow once"] }], ["b", { selected: ["Deny"], note: "b is mine" }],
    ["c", { selected: ["Allow for this session"] }]]) {
    const [ask] = await w.broker.pending();
    assert.equal(ask.questions[0].question, `May Claude Code run \`touch ${name}\`?`);
    assert.deepEqual(ask.questions[0].options.map(({ label }) => label),
      ["Allow once", "Allow for this session", "Deny"]);
    assert.deepEqual(ask.permission, { tool: "Bash", summary: `touch ${name}`,
      input: { command: `touch ${name}`, description: name } });
    await w.broker.answer(ask.id, [answer]);
    await w.settled(ask.id);
  }
  await run;
  const results = w.model.results();
  assert.notEqual(results.get("toolu_1").is_error, true);
  assert.equal(results.get("toolu_2").content, "The user does not allow this. Reason: b is mine");
  assert.equal(results.get("toolu_2").is_error, true);
  assert.notEqual(results.get("toolu_4").is_error, true);
  const { body } = await w.broker.call("GET", "/v1/asks");
  assert.equal(body.asks.length, 3);
});

for (const event of ["PreToolUse", "PermissionRequest"]) {
  test(`the HTTP hook, ${event}`, async (t) => {
    const w = await world(t, ASK);
    const settings = { hooks: { [event]: [{ matcher: "AskUserQuestion", hooks: [{
      type: "http", url: `${w.broker.url}/hooks/claude`, timeout: 600,
      headers: { authorization: "Bearer $PARLEY_TOKEN" }, allowedEnvVars: ["PARLEY_TOKEN"],
    }] }] } };
    await writeFile(join(w.folder, "settings.json"), JSON.stringify(settings));
    const run = w.sdk("go", () => new Promise(() => {}), {
      env: { ...w.variables, PARLEY_TOKEN: w.broker.token },
      settings: join(w.folder, "settings.json"),
    });
    const [ask] = await w.broker.pending();
    await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
    await run;
    assert.equal((await w.model.result("toolu_1")).content, ANSWERED);
  });
}

test("an HTTP hook whose Claude Code is gone takes its ask along", async (t) => {
  const w = await world(t, ASK);
  const gone = new AbortController();
  const posted = fetch(`${w.broker.url}/hooks/claude`, {
    method: "POST", signal: gone.signal,
    headers: { authorization: `Bearer ${w.broker.token}`, "content-type": "application/json" },
    body: JSON.stringify({ session_id: "s1", hook_event_name: "PreToolUse", tool_use_id: "toolu_9",
      tool_name: "AskUserQuestion", tool_input: QUESTION }),
  });
  const [ask] = await w.broker.pending();
  gone.abort();
  await assert.rejects(posted);
  assert.equal((await w.settled(ask.id)).state, "withdrawn");
});

test("a deferred question outlives Claude Code, and a resumed one goes on with it", async (t) => {
  const w = await world(t, ASK);
  await install(w, "--defer");
  const first = await w.claude("go", "--output-format", "json").ended;
  const result = JSON.parse(first.output);
  assert.equal(result.stop_reason, "tool_deferred");
  const [ask] = await w.broker.pending();
  await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
  const { code } = await w.spawn(w.cli, ["-p", "--resume", result.session_id,
    "--permission-prompt-tool", "stdio"]).ended;
  assert.equal(code, 0);
  assert.equal((await w.model.result("toolu_1")).content, ANSWERED);
});

test("a form of an MCP server is filled in, and a wrong answer is asked again", async (t) => {
  const w = await world(t, calls(tool("toolu_1", "mcp__asker__paint", {})));
  await install(w);
  w.claude("go", ...MCP);
  const [first] = await w.broker.pending();
  assert.deepEqual(first.questions.map(({ header }) => header), ["color", "Coats"]);
  await w.broker.answer(first.id, [{ selected: ["green"] }, { selected: [], other: "two" }]);
  const second = await until(async () => {
    const { body } = await w.broker.call("GET", "/v1/asks?state=pending");
    return body.asks.find(({ id }) => id !== first.id);
  });
  assert.match(second.context, /"two" is not a whole number/);
  await w.broker.answer(second.id, [{ selected: ["green"] }, { selected: [], other: "2" }]);
  const { content } = await w.model.result("toolu_1");
  assert.deepEqual(JSON.parse(content[0].text ?? content),
    { action: "accept", content: { color: "green", coats: 2 } });
});
