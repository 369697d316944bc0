// SPDX-License-Identifier: Apache-2.0
// What stands around the questions: notifications, the permission prompt over MCP, what the
// children of a run may do, long waits, and the settings.
import assert from "node:assert/strict";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { PROGRAM, until } from "../support/broker.mjs";
import { Proxy } from "../support/proxy.mjs";
import { calls, text, tool } from "./support/model.mjs";
import { CLIS, QUESTION, world } from "./support/world.mjs";

const ASK = calls(text("Let me ask."), tool("toolu_1", "AskUserQuestion", QUESTION));
const ANSWERED = 'Your questions have been answered: "Which database?"="SQLite". '
  + "You can now continue with these answers in mind.";

async function settings(w, value) {
  await mkdir(join(w.project, ".claude"), { recursive: true });
  const path = join(w.project, ".claude", "settings.json");
  await writeFile(path, typeof value === "string" ? value : JSON.stringify(value));
  return path;
}

for (const type of ["command", "http"]) {
  test(`a notification of Claude Code is a notice, ${type} hook`, async (t) => {
    const w = await world(t, ASK);
    const hook = type === "command"
      ? { type, command: `${PROGRAM} hook claude` }
      : { type, url: `${w.broker.url}/hooks/claude`, allowedEnvVars: ["PARLEY_TOKEN"],
        headers: { authorization: "Bearer $PARLEY_TOKEN" } };
    await settings(w, { hooks: { Notification: [{ hooks: [hook] }] } });
    const watch = w.watch();
    await watch.wait(({ type: kind }) => kind === "snapshot.end");
    // A host that does not answer: after some seconds Claude Code says that it waits.
    w.sdk("go", () => new Promise(() => {}),
      { env: { ...w.variables, PARLEY_TOKEN: w.broker.token } }).catch(() => {});
    const notice = await watch.wait(({ type: kind }) => kind === "notice", "a notice");
    assert.match(notice.text, /^Claude/);
    assert.ok(notice.session);
  });
}

const MCP = ["--mcp-config", JSON.stringify({ mcpServers: { parley: {
  command: PROGRAM, args: ["mcp"] } } }), "--permission-prompt-tool", "mcp__parley__ask_user"];

for (const cli of Object.keys(CLIS)) {
  test(`--permission-prompt-tool with 'parley mcp', ${cli} CLI`, async (t) => {
    const steps = [tool("toolu_1", "AskUserQuestion", QUESTION),
      tool("toolu_2", "Bash", { command: "touch a", description: "a" }),
      tool("toolu_3", "Bash", { command: "touch b", description: "b" })];
    const w = await world(t, (seen) => {
      const done = seen.flatMap(({ content }) => content)
        .filter(({ type }) => type === "tool_result").length;
      return done < steps.length ? [steps[done]] : [text("All done.")];
    }, { cli });
    const claude = w.spawn(w.cli, ["-p", "go", ...MCP]);
    for (const answer of [{ selected: ["SQLite"] }, { selected: ["Allow once"] },
      { selected: ["Deny"], note: "b is mine" }]) {
      const [ask] = await w.broker.pending();
      await w.broker.answer(ask.id, [answer]);
      await w.settled(ask.id);
    }
    const { code, errors } = await claude.ended;
    assert.equal(code, 0, errors);
    const results = w.model.results();
    assert.equal(results.get("toolu_1").content, ANSWERED);
    assert.notEqual(results.get("toolu_2").is_error, true);
    assert.ok((await stat(join(w.project, "a"))).isFile());
    assert.match(results.get("toolu_3").content, /b is mine/);
    assert.equal(results.get("toolu_3").is_error, true);
  });
}

test("what Claude runs asks through the same broker, as an agent, in its session", async (t) => {
  const commands = [
    `${PROGRAM} ask "Really?" -o yes -o no`,
    `${PROGRAM} answer "$(cat ask)" yes; ${PROGRAM} token list; echo "$PARLEY_SERVER"`,
  ];
  const w = await world(t, (seen) => {
    const done = seen.flatMap(({ content }) => content)
      .filter(({ type }) => type === "tool_result").length;
    return done < commands.length
      ? [tool(`toolu_${done + 1}`, "Bash", { command: commands[done], description: "x" })]
      : [text("All done.")];
  });
  // Somebody else's question, which the agent must not answer.
  const { body: other } = await w.broker.call("POST", "/v1/asks",
    { questions: [{ question: "Whose?", options: ["yes", "no"] }] });
  await writeFile(join(w.project, "ask"), other.id);
  const run = w.run("go", "--", "--allowedTools", "Bash");
  const asks = await w.broker.pending(2);
  const ask = asks.find(({ id }) => id !== other.id);
  assert.equal(ask.questions[0].question, "Really?");
  assert.match(ask.asker, /^prn_run_[0-9a-f]+$/);
  const { body: session } = await w.broker.call("GET", `/v1/sessions/${ask.session}`);
  assert.equal(session.agent, "claude");
  await w.broker.answer(ask.id, [{ selected: ["yes"] }]);
  const { code, errors } = await run.ended;
  assert.equal(code, 0, errors);
  assert.match(JSON.stringify((await w.model.result("toolu_1")).content), /yes/);
  const refused = JSON.stringify((await w.model.result("toolu_2")).content);
  assert.match(refused, /a token of role agent may not do this/);
  assert.match(refused, /unix:\/[^"]*\/parley\.sock/);
  const { body: { state } } = await w.broker.call("GET", `/v1/asks/${other.id}`);
  assert.equal(state, "pending");
  // The token is gone with the run.
  const { body: { tokens } } = await w.broker.call("GET", "/v1/tokens");
  assert.deepEqual(tokens.map(({ name }) => name).filter((name) => name.startsWith("claude-")), []);
});

test("`run claude --json` prints documents and nothing else", async (t) => {
  const w = await world(t, ASK);
  const run = w.run("go", "--json");
  const [ask] = await w.broker.pending();
  await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
  const { code, output } = await run.ended;
  assert.equal(code, 0);
  const lines = output.trim().split("\n").map((line) => JSON.parse(line));
  const { session } = lines[0];
  assert.deepEqual(lines[0], { type: "run.started", session });
  assert.deepEqual(lines.at(-1),
    { type: "run.ended", session, outcome: "done", exit_code: 0, result: "All done." });
  const types = lines.map(({ type }) => type);
  for (const type of ["session.message", "ask.opened", "ask.settled", "session.part"])
    assert.ok(types.includes(type), type);
  const parts = lines.map(({ part }) => part).filter(Boolean);
  assert.ok(parts.some(({ type, text: words }) => type === "text-end" && words === "All done."));
  assert.equal(parts.at(-1).type, "finish");
  assert.ok(lines.filter((line) => line.ask).every((line) => line.ask.session === session));
});

test("the prompt of `run claude` comes from stdin where there is none", async (t) => {
  const w = await world(t, () => [text("Heard.")]);
  const run = w.spawn(PROGRAM, ["run", "claude"], { input: "pipe" });
  run.stdin.end("Say something\nshort\n");
  const { code, output, errors } = await run.ended;
  assert.equal(code, 0, errors);
  assert.equal(output, "Heard.\n");
  assert.ok(w.model.texts().includes("Say something\nshort"));
});

// Every wait of a hook and of a run is made of short ones: a network that cuts all that is older
// than a moment costs nothing but time. Ten minutes were tried by hand (docs/doors/claude.md).
test("a wait outlives connections that are cut again and again", async (t) => {
  for (const start of [
    async (w) => {
      await w.parley("hook", "claude", "--install", "--scope", "project", "--before-dialog");
      w.claude("go");
    },
    async (w) => w.run("go"),
  ]) {
    const w = await world(t, ASK);
    const proxy = await Proxy.start(w.broker.port);
    t.after(() => proxy.stop());
    w.further = { PARLEY_SERVER: proxy.url, PARLEY_TOKEN: w.broker.token };
    await start(w);
    const [ask] = await w.broker.pending();
    for (let cuts = 0; cuts < 3; ++cuts) {
      const before = proxy.connections;
      await proxy.cut();
      await until(() => proxy.connections > before, "it comes back");
    }
    await w.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
    assert.equal((await w.model.result("toolu_1")).content, ANSWERED);
  }
});

test("a hook abstains before Claude Code's time for it is over, and takes its ask back", async (t) => {
  const w = await world(t, ASK);
  const hook = w.spawn(PROGRAM, ["hook", "claude", "--hook-timeout", "2s"], { input: "pipe" });
  hook.stdin.end(JSON.stringify({ session_id: "s1", hook_event_name: "PreToolUse",
    tool_use_id: "toolu_1", tool_name: "AskUserQuestion", tool_input: QUESTION }));
  const [ask] = await w.broker.pending();
  const { code, output } = await hook.ended;
  assert.equal(code, 0);
  assert.equal(output, "");
  const { state, settlement } = await w.settled(ask.id);
  assert.equal(state, "withdrawn");
  assert.match(settlement.note, /time .* is over/);
});

test("the doctor names a hook that cannot run", async (t) => {
  const w = await world(t, ASK);
  await settings(w, { disableAllHooks: true, hooks: { PermissionRequest: [{ matcher: "*", hooks: [{
    type: "command", command: "/no/such/parley hook claude" }] }] } });
  const { stdout } = await w.parley("doctor", "--json").catch((error) => error);
  const found = JSON.parse(stdout).findings.filter(({ subject }) => subject === "claude");
  const said = found.map(({ detail }) => detail).join("\n");
  assert.match(said, /runs \/no\/such\/parley, which is not there/);
  assert.match(said, /has no timeout/);
  assert.match(said, /disableAllHooks/);
});

test("--install keeps what is there to the byte, --uninstall gives it back", async (t) => {
  const w = await world(t, ASK);
  const before = '{"env": {"A": "1.50"},\n\t"big": 12345678901234567890, "list": [1,  2.0]}\n';
  const path = await settings(w, before);
  const parley = (...args) => w.parley("hook", "claude", "--scope", "project", ...args);
  const { stdout } = await parley("--install");
  assert.match(stdout, /\+ .*PermissionRequest/);
  const after = await readFile(path, "utf8");
  assert.ok(after.startsWith(before.slice(0, before.lastIndexOf("]}") + 1)), after);
  assert.match((await parley("--install")).stderr, /nothing was changed/);
  const doctor = JSON.parse((await w.parley("doctor", "--json")).stdout);
  const found = doctor.findings.filter(({ subject }) => subject === "claude");
  assert.deepEqual(found.map(({ grade }) => grade), ["good"]);
  await parley("--uninstall");
  const back = await readFile(path, "utf8");
  assert.deepEqual(back.replace(/\s/g, ""), before.replace(/\s/g, ""));
});

test("settings that Claude Code cannot read are left alone, and named", async (t) => {
  const w = await world(t, ASK);
  for (const broken of ['{"hooks": {}, // mine\n}', '{"hooks": []}', "[]"]) {
    const path = await settings(w, broken);
    await assert.rejects(w.parley("hook", "claude", "--install", "--scope", "project"),
      ({ code, stderr }) => code === 1 && stderr.includes(path));
    assert.equal(await readFile(path, "utf8"), broken);
  }
});
