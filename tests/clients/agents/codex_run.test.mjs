// SPDX-License-Identifier: Apache-2.0
// `parley run codex`: the real Codex as a session of the broker, with a model of ours.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { PROGRAM, until } from "../support/broker.mjs";
import { QUESTION } from "./support/clients.mjs";
import { ASK, CODEX, COMMAND, EDIT, RUN, codexWorld, skip } from "./support/codex.mjs";
import { GLANCE, documented } from "./support/docs.mjs";

const ROW = "Codex 0.166.0, `parley run codex`";
const NAME = "Codex, `run codex`";
const LATER = { name: "ask_user", namespace: "mcp__parley",
  arguments: { ...QUESTION, blocking: false } };

const words = (text) => ({ type: "message", id: "msg_2", role: "assistant",
  content: [{ type: "output_text", text }] });

class Run {
  // `parley run codex` with these arguments; its model makes this call first.
  static async start(t, call, ...args) {
    return (await Run.prepare(t, call)).run(...args);
  }

  static async prepare(t, call) {
    const run = new Run();
    run.w = await codexWorld(t, call);
    return run;
  }

  codex = CODEX;

  get broker() {
    return this.w.broker;
  }

  get model() {
    return this.w.model;
  }

  run(...args) {
    this.output = "";
    this.errors = "";
    this.child = spawn(PROGRAM, ["run", "codex", ...args],
      { cwd: this.w.project, env: { ...this.w.variables, PARLEY_CODEX: this.codex }, stdio: ["ignore", "pipe", "pipe"] });
    this.child.stdout.on("data", (data) => { this.output += data; });
    this.child.stderr.on("data", (data) => { this.errors += data; });
    this.ended = once(this.child, "close").then(([code]) => code);
    return this;
  }

  async done() {
    assert.equal(await this.ended, 0, this.errors);
  }

  async asked() {
    return Promise.race([this.w.asked(), this.ended.then((code) => {
      throw new Error(`parley run codex ended with ${code}: ${this.errors}`);
    })]);
  }

  async settlement(ask) {
    return until(async () => (await this.broker.call("GET", `/v1/asks/${ask.id}`)).body.settlement,
      "the ask is settled");
  }

  say(session, text) {
    return this.broker.call("POST", `/v1/sessions/${session}/messages`, { text });
  }

  async heard(words) {
    return until(() => this.model.messages().some((text) => text.includes(words)),
      `the model hears ${words}; ${this.errors}`);
  }

  // What happened, from the lines of --json.
  get events() {
    return this.output.trim().split("\n").map((line) => JSON.parse(line));
  }

  get parts() {
    return this.events.flatMap(({ part }) => part ?? []);
  }
}

test("asked: the model has the answer, and nobody is hurried", { skip }, async (t) => {
  const run = await Run.start(t, ASK, "go");
  const ask = await run.asked();
  assert.equal(ask.agent, "codex");
  assert.equal(ask.context, undefined);
  const { body: session } = await run.broker.call("GET", `/v1/sessions/${ask.session_id}`);
  assert.equal(session.title, "Codex in project");
  assert.equal(session.directory, run.w.project);
  await run.broker.answer(ask.id, [{ selected: ["SQLite"], note: "for now" }]);
  assert.deepEqual(JSON.parse(await run.model.told()),
    { answers: { db: { answers: ["SQLite", "user_note: for now"] } } });
  await run.done();
  assert.equal(run.output, "All done.\n");
  documented(ROW, "answered elsewhere", "the tool's result is the answer; a late one is the next message");
});

test("dismissed: the model is told in the person's words", { skip }, async (t) => {
  const run = await Run.start(t, ASK, "--mode", "plan", "go");
  const ask = await run.asked();
  await run.broker.call("POST", `/v1/asks/${ask.id}/dismiss`, { reason: "ask me tomorrow" });
  const { answers } = JSON.parse(await run.model.told());
  assert.match(answers.db.answers[0], /dismissed .*"ask me tomorrow"/);
  await run.done();
  documented(ROW, "dismissed with words", "in the person's words");
});

test("a command runs when it is allowed; a denial's words reach the same turn", { skip }, async (t) => {
  const run = await Run.prepare(t, RUN);
  run.model.next = (output) =>
    (/rejected/i.test(output) ? undefined : { name: "exec_command", args: RUN.arguments });
  run.run("go");
  const ask = await run.asked();
  assert.equal(ask.permission.input.command, COMMAND);
  assert.equal(ask.context, "May I make a file?");
  await run.broker.answer(ask.id, [{ selected: ["Allow once"] }]);
  await until(() => existsSync(join(run.w.project, "made.txt")), "the command ran");
  const second = await until(async () => {
    const next = await run.asked();
    return next.id !== ask.id && next;
  }, "it asks again");
  await run.broker.answer(second.id, [{ selected: ["Deny"], note: "once is enough" }]);
  await run.done();
  assert.match(run.model.heard().at(-1), /rejected by user/i);
  assert.ok(run.model.messages().some((text) => text.includes("once is enough")));
  assert.match(run.errors, /Codex is told: The user did not allow .* once is enough/);
});

test("an edit is shown as a diff and made when it is allowed", { skip }, async (t) => {
  const run = await Run.start(t, EDIT, "--json", "go");
  const ask = await run.asked();
  assert.match(ask.permission.diff, /\+\+\+ .*hello\.txt\n\+hi\n\+there\n/);
  assert.deepEqual(ask.questions[0].options.map(({ label }) => label),
    ["Allow once", "Allow for this session", "Deny"]);
  await run.broker.answer(ask.id, [{ selected: ["Allow once"] }]);
  await run.done();
  assert.ok(existsSync(join(run.w.project, "hello.txt")));
  const part = run.parts.find(({ tool }) => tool === "apply_patch");
  assert.match(part.input.patch, /Add File: .*hello\.txt\n\+hi\n/);
});

test("a tool of an MCP server is permitted, and its form filled in", { skip }, async (t) => {
  const server = fileURLToPath(new URL("../claude/support/mcp_server.mjs", import.meta.url));
  const run = await Run.start(t, { name: "paint", namespace: "mcp__asker", arguments: {} }, "go", "--",
    "-c", `mcp_servers.asker.command="${process.execPath}"`, "-c", `mcp_servers.asker.args=["${server}"]`);
  const permission = await run.asked();
  assert.equal(permission.permission.tool, "mcp__asker__paint");
  await run.broker.answer(permission.id, [{ selected: ["Allow once"] }]);
  const form = await until(async () => {
    const next = await run.asked();
    return next.id !== permission.id && next;
  }, "the form is asked");
  const given = { color: { selected: ["green"] }, Coats: { selected: [], other: "2" } };
  await run.broker.answer(form.id, form.questions.map(({ header }) => given[header]));
  const [, { text }] = await run.model.told();
  assert.deepEqual(JSON.parse(text), { action: "accept", content: { color: "green", coats: 2 } });
  await run.done();
  documented(NAME, "form", "of its MCP servers", GLANCE);
  documented(NAME, "permission", "its own decisions; commands whole, edits as diffs", GLANCE);
});

test("its words come as they grow, with what it thought before them", { skip }, async (t) => {
  const run = await Run.prepare(t, { name: "exec_command", arguments: { cmd: "echo hi; exit 3" } });
  run.model.streams = true;
  // Its sandbox needs a namespace of users, which not every machine lets it have.
  run.run("--json", "--sandbox", "danger-full-access", "go");
  await run.done();
  const told = (type) => run.parts.filter((part) => part.type === type);
  const grown = [...told("text-start"), ...told("text-delta")].map(({ text }) => text);
  assert.equal(grown.join(""), "All done.");
  assert.deepEqual(told("text-end").map(({ text }) => text), ["> Nothing is left.", "All done."]);
  assert.deepEqual(told("tool-output").map(({ output }) => output), ["hi\n(exit status 3)"]);
  assert.match(run.errors, /Codex has used \d+ tokens/);
  const end = run.events.at(-1);
  assert.deepEqual([end.type, end.result, end.exit_code], ["run.ended", "All done.", 0]);
});

test("stopped: what is open is withdrawn, and the session takes the next message", { skip },
  async (t) => {
    const run = await Run.start(t, ASK, "--session", "shop");
    await run.say("shop", "go");
    const ask = await run.asked();
    await run.broker.call("POST", "/v1/sessions/shop/abort");
    assert.equal((await run.settlement(ask)).outcome, "withdrawn");
    await run.say("shop", "and now?");
    await run.heard("and now?");
    await run.broker.call("DELETE", "/v1/sessions/shop");
    assert.equal(await run.ended, 5);
  });

test("a turn of a command that is stopped ends it with 130", { skip }, async (t) => {
  const run = await Run.start(t, ASK, "go");
  const ask = await run.asked();
  run.child.kill("SIGINT");
  assert.equal(await run.ended, 130);
  assert.equal((await run.settlement(ask)).outcome, "withdrawn");
});

test("a message that comes while it waits is given with the next turn", { skip }, async (t) => {
  const run = await Run.start(t, ASK, "--session", "shop", "go");
  const ask = await run.asked();
  await run.say("shop", "and be quick");
  await run.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
  await run.done();
  assert.deepEqual(run.model.messages().slice(-2), ["go", "and be quick"]);
});

test("the broker is killed in the middle: the ask waits on, and its answer reaches Codex", { skip },
  async (t) => {
    const run = await Run.start(t, ASK, "go");
    const ask = await run.asked();
    await run.broker.kill();
    await run.broker.restart();
    await run.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
    await run.done();
    assert.match(await run.model.told(), /SQLite/);
    documented(ROW, "broker killed", "waits on");
  });

test("killed with a question open and resumed: withdrawn, and the same thread goes on", { skip },
  async (t) => {
    const run = await Run.start(t, ASK, "--session", "shop", "go");
    const ask = await run.asked();
    const { stdout } = spawnSync("pgrep", ["-P", String(run.child.pid)]);
    run.child.kill("SIGKILL");
    process.kill(Number(stdout.toString().trim()), "SIGKILL");
    await run.ended;
    await run.run("--resume", "shop", "go on").done();
    assert.equal((await run.settlement(ask)).outcome, "withdrawn");
    assert.ok(run.model.messages().includes("go"));
    assert.equal(run.model.messages().at(-1), "go on");
    documented(ROW, "killed and resumed", "withdrawn; it goes on, and is told what was answered meanwhile");
  });

test("Codex alone is killed: its end is said, and what it asked is withdrawn", { skip }, async (t) => {
  const run = await Run.start(t, ASK, "go");
  const ask = await run.asked();
  const { stdout } = spawnSync("pgrep", ["-P", String(run.child.pid)]);
  process.kill(Number(stdout.toString().trim()), "SIGKILL");
  assert.equal(await run.ended, 1);
  assert.match(run.errors, /Codex ended unexpectedly \(killed by signal 9/);
  assert.equal((await run.settlement(ask)).outcome, "withdrawn");
});

test("a session to which nobody had spoken goes on all the same", { skip }, async (t) => {
  const run = await Run.start(t, EDIT, "--session", "shop");
  await until(() => /names this session/.test(run.errors), "Codex has started");
  run.child.kill("SIGTERM");
  await run.ended;
  run.model.call = words("Here I am.");
  await run.run("--resume", "shop", "go").done();
  assert.match(run.errors, /begins anew/);
  assert.equal(run.output, "Here I am.\n");
});

test("an answer that no call has brought is the next message; Parley's tool needs nobody", { skip },
  async (t) => {
    const run = await Run.start(t, LATER, "--session", "shop");
    await run.say("shop", "ask");
    const ask = await run.asked();
    assert.equal(ask.questions[0].question, "Which database?");
    assert.match(await run.model.told(), /stays open as que_/);
    await until(() => run.output.includes("All done."), "the turn ends");
    await run.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
    await run.heard(`Here is the user's answer to what you asked earlier (${ask.id})`);
    assert.equal((await run.broker.call("GET", "/v1/asks")).body.asks.length, 1);
    documented(ROW, "long wait", "`pending`, then the next message brings it");
  });

test("a plan: carried out when somebody says so, and in Plan mode until then", { skip }, async (t) => {
  const run = await Run.prepare(t, ASK);
  run.model.call = words("Here it is.\n<proposed_plan>\n# Split it\n- first\n</proposed_plan>\n");
  run.run("--mode", "plan", "--session", "shop", "go");
  const first = await run.asked();
  assert.match(first.permission.plan, /# Split it/);
  await run.broker.answer(first.id, [{ selected: [], other: "smaller steps" }]);
  const second = await until(async () => {
    const next = await run.asked();
    return next.id !== first.id && next;
  }, "it asks about the next plan");
  assert.match(run.model.messages().at(-1), /About your plan, the user says: smaller steps/);
  run.model.call = words("Split.");
  await run.broker.answer(second.id, [{ selected: ["Carry it out"] }]);
  await run.done();
  assert.equal(run.model.messages().at(-1), "Implement the plan.");
  assert.match(run.output, /Split\.\n$/);
});

test("a plan that is stopped is not asked about any more", { skip }, async (t) => {
  const run = await Run.prepare(t, ASK);
  run.model.call = words("<proposed_plan>\n# Split it\n</proposed_plan>\n");
  run.run("--mode", "plan", "--session", "shop", "go");
  const ask = await run.asked();
  await run.broker.call("POST", "/v1/sessions/shop/abort");
  assert.equal(await run.ended, 130, run.errors);
  assert.equal((await run.settlement(ask)).outcome, "withdrawn");
});

test("a timeout is told as nobody's answer", { skip }, async (t) => {
  const run = await Run.start(t, ASK, "--timeout", "100ms", "go");
  await run.done();
  const { answers } = JSON.parse(await run.model.told());
  assert.match(answers.db.answers[0], /^Nobody answered your questions before their deadline/);
});

test("a model that fails: tried again, then said, with 1", { skip }, async (t) => {
  const run = await Run.prepare(t, ASK);
  run.model.isBusy = true;
  run.run("go");
  assert.equal(await run.ended, 1);
  assert.match(run.errors, /Codex tries again: /);
  assert.match(run.errors, /Codex could not finish its turn: /);
});

test("a Codex that is not there, or too old, is said with what to do", { skip }, async (t) => {
  const run = await Run.prepare(t, ASK);
  run.run("--codex", "/no/such/codex", "go");
  assert.equal(await run.ended, 1);
  assert.match(run.errors, /\/no\/such\/codex.*\nIs Codex installed\? .*npm install -g @openai\/codex/);
  const old = join(run.w.home, "old-codex");
  await writeFile(old, "#!/bin/sh\necho \"error: unrecognized subcommand '$1'\" >&2\nexit 2\n");
  await chmod(old, 0o755);
  run.run("--codex", old, "go");
  assert.equal(await run.ended, 1);
  assert.match(run.errors, /unrecognized subcommand 'app-server'\nA Codex that is too old/);
  run.run("--resume", "no-such-session", "go");
  assert.equal(await run.ended, 1);
  assert.match(run.errors, /Codex cannot go on with this session: /);
});
