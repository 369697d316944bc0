// SPDX-License-Identifier: Apache-2.0
// `parley join codex` beside Codex's own windows: what they ask waits in both places, and whoever
// answers first decides. Nothing is set up in Codex.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync, existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Screen } from "../claude/support/screen.mjs";
import { PROGRAM, until } from "../support/broker.mjs";
import { documented } from "./support/docs.mjs";
import { Responses } from "./support/responses.mjs";
import { World, installed } from "./support/world.mjs";

const PLATFORM = `${process.arch === "x64" ? "x86_64" : "aarch64"}-unknown-linux-musl`;
const { file: CODEX, missing } =
  await installed(`@openai/codex-linux-${process.arch}/vendor/${PLATFORM}/bin/codex`);
const skip = missing ?? false;
const slow = skip || (process.env.PARLEY_SLOW_AGENTS ? false
  : "NOT TESTED: set PARLEY_SLOW_AGENTS=1 to try it");
const ROW = "Codex 0.166.0, terminal, `parley join codex`";
const STARTS_WITHIN_MS = 60_000;

const config = (url) => `
model = "test"
model_provider = "ours"
approval_policy = "on-request"
sandbox_mode = "read-only"
[features]
default_mode_request_user_input = true
[model_providers.ours]
name = "ours"
base_url = "${url}"
env_key = "OUR_KEY"
wire_api = "responses"
[projects."PROJECT"]
trust_level = "trusted"
`;

const ASK = { name: "request_user_input", arguments: { questions: [{
  id: "db", header: "Database", question: "Which database?",
  options: [{ label: "PostgreSQL", description: "The usual" },
    { label: "SQLite", description: "One file" }],
}] } };
const COMMAND = "touch made.txt\necho 'it is there'\n";
const RUN = { name: "exec_command", arguments: { cmd: COMMAND,
  sandbox_permissions: "require_escalated", justification: "May I make a file?" } };
const EDIT = { name: "exec_command", arguments: {
  cmd: "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: hello.txt\n+hi\n+there\n"
    + "*** End Patch\nEOF\n" } };

class Joined {
  // A world with a broker; Codex calls this tool first.
  static async start(t, call) {
    const all = new Joined();
    all.t = t;
    const model = await Responses.start(call);
    all.w = await World.start(t, model, { ".codex/config.toml": config(model.url) });
    all.w.further = { OUR_KEY: "none" };
    return all;
  }

  get broker() {
    return this.w.broker;
  }

  get model() {
    return this.w.model;
  }

  get socket() {
    return join(this.w.home, ".codex/app-server-control/app-server-control.sock");
  }

  async join() {
    this.joining = spawn(PROGRAM, ["join", "codex"],
      { env: this.w.variables, stdio: ["ignore", "ignore", "pipe"] });
    this.said = "";
    this.joining.stderr.on("data", (chunk) => { this.said += chunk; });
    this.t.after(() => this.joining.kill("SIGKILL"));
    await until(() => this.said, "parley join codex says something");
  }

  async end(signal) {
    const ended = once(this.joining, "exit");
    this.joining.kill(signal);
    return ended;
  }

  async window() {
    return Screen.open(this.t, this.w, CODEX, "go");
  }

  async asked(count = 1) {
    return until(async () => {
      const { asks } = (await this.broker.call("GET", "/v1/asks?state=pending")).body;
      return asks.length === count && asks;
    }, `${count} asks of Codex; ${this.said}`, STARTS_WITHIN_MS);
  }

  async settled(id) {
    return until(async () => {
      const { body } = await this.broker.call("GET", `/v1/asks/${id}`);
      return body.settlement;
    }, "the ask is settled");
  }

  // What the model was told as the result of its call.
  async told() {
    return this.model.told();
  }

  // The processes of Codex's shared server.
  servers() {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).filter((pid) => {
      try {
        const home = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0")
          .includes(`HOME=${this.w.home}`);
        return home && /app-server/.test(readFileSync(`/proc/${pid}/cmdline`, "utf8"));
      } catch {
        return false;
      }
    }).map(Number);
  }
}

test("answered in Parley: Codex's dialog closes, and the model has the answer", { skip },
  async (t) => {
    const all = await Joined.start(t, ASK);
    await all.join();
    assert.match(all.said, /waiting for Codex/);
    const window = await all.window();
    const [ask] = await all.asked();
    await window.shows("enter to submit answer");
    assert.equal(ask.agent, "codex");
    assert.equal(ask.questions[0].question, "Which database?");
    const { body: session } = await all.broker.call("GET", `/v1/sessions/${ask.session_id}`);
    assert.equal(session.title, "Codex in project: go");
    assert.equal(session.directory, all.w.project);
    await all.broker.answer(ask.id, [{ selected: ["SQLite"], note: "for now" }]);
    await window.lacks("enter to submit answer");
    assert.deepEqual(JSON.parse(await all.told()),
      { answers: { db: { answers: ["SQLite", "user_note: for now"] } } });
    await window.shows("All done.");
    documented(ROW, "answered elsewhere", "the dialog goes; the model has the answer");
  });

test("answered in Codex: the ask is taken back, and says why", { skip }, async (t) => {
  const all = await Joined.start(t, ASK);
  await all.join();
  const window = await all.window();
  const [ask] = await all.asked();
  await window.shows("enter to submit answer");
  await window.press("Enter", "enter to submit answer");
  const settlement = await all.settled(ask.id);
  assert.equal(settlement.outcome, "withdrawn");
  assert.equal(settlement.door, "codex");
  assert.equal(settlement.note, "answered or closed in Codex itself");
  assert.deepEqual(JSON.parse(await all.told()),
    { answers: { db: { answers: ["PostgreSQL"] } } });
  documented(ROW, "answered here", "the ask is withdrawn");
});

test("dismissed in Parley: the model is told in the person's words", { skip }, async (t) => {
  const all = await Joined.start(t, ASK);
  await all.join();
  const window = await all.window();
  const [ask] = await all.asked();
  await all.broker.call("POST", `/v1/asks/${ask.id}/dismiss`, { reason: "ask me tomorrow" });
  const { answers } = JSON.parse(await all.told());
  assert.match(answers.db.answers[0], /dismissed .*"ask me tomorrow"/);
  await window.shows("All done.");
  documented(ROW, "dismissed with words", "in the person's words");
});

test("a command is shown whole, runs when it is allowed, and a denial brings its words",
  { skip }, async (t) => {
    const all = await Joined.start(t, RUN);
    all.model.next = (output) =>
      (/rejected/i.test(output) ? undefined : { name: "exec_command", args: RUN.arguments });
    await all.join();
    const window = await all.window();
    const [ask] = await all.asked();
    const input = ask.permission.input;
    assert.equal(input.command, COMMAND);
    assert.equal(ask.context, "May I make a file?");
    await all.broker.answer(ask.id, [{ selected: ["Allow once"] }]);
    await until(() => existsSync(join(all.w.project, "made.txt")), "the command ran");
    const second = await until(async () => (await all.asked())[0].id !== ask.id
      && (await all.asked())[0], "it asks again");
    await all.broker.answer(second.id, [{ selected: ["Deny"], note: "once is enough" }]);
    await window.shows("once is enough");
    await window.shows("All done.");
  });

test("an edit is shown as a diff, and made when it is allowed", { skip }, async (t) => {
  const all = await Joined.start(t, EDIT);
  await all.join();
  const window = await all.window();
  const [ask] = await all.asked();
  assert.match(ask.permission.diff, /\+\+\+ .*hello\.txt\n\+hi\n\+there\n/);
  assert.deepEqual(ask.questions[0].options.map(({ label }) => label),
    ["Allow once", "Allow for this session", "Deny"]);
  await window.shows("Yes, proceed");
  await all.broker.answer(ask.id, [{ selected: ["Allow once"] }]);
  await until(() => existsSync(join(all.w.project, "hello.txt")), "the file is there");
  await window.lacks("Yes, proceed");
});

test("who joins later is asked what waits already, diffs too", { skip }, async (t) => {
  const all = await Joined.start(t, EDIT);
  const window = await all.window();
  await window.shows("Yes, proceed");
  await all.join();
  const [ask] = await all.asked();
  assert.match(ask.permission.diff, /\+hi/);
  await all.broker.answer(ask.id, [{ selected: ["Allow once"] }]);
  await window.lacks("Yes, proceed");
});

test("two windows are two sessions, each with its own answer", { skip }, async (t) => {
  const all = await Joined.start(t, ASK);
  await all.join();
  const windows = [await all.window(), await all.window()];
  const asks = await all.asked(2);
  assert.notEqual(asks[0].session_id, asks[1].session_id);
  await all.broker.answer(asks[0].id, [{ selected: ["SQLite"] }]);
  await all.broker.answer(asks[1].id, [{ selected: ["PostgreSQL"] }]);
  for (const window of windows) await window.shows("All done.");
  const told = all.model.results().map(({ output }) => output);
  assert.ok(told.some((text) => /SQLite/.test(text)) && told.some((text) => /Postgre/.test(text)));
});

test("the broker is killed in the middle: the ask waits on, and its answer reaches Codex", { skip },
  async (t) => {
    const all = await Joined.start(t, ASK);
    await all.join();
    const window = await all.window();
    const [ask] = await all.asked();
    await all.broker.kill();
    await all.broker.restart();
    assert.equal((await all.broker.pending())[0].id, ask.id);
    await all.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
    await window.shows("All done.");
    documented(ROW, "broker killed", "waits on");
  });

test("parley join is killed and started again: it is the same ask", { skip }, async (t) => {
  const all = await Joined.start(t, ASK);
  await all.join();
  const window = await all.window();
  const [ask] = await all.asked();
  await all.end("SIGKILL");
  await all.join();
  await until(() => /joined Codex 0\.166\.0/.test(all.said), "it has joined again");
  const { status } = await all.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
  assert.equal(status, 200);
  await window.shows("All done.");
  assert.match(await all.told(), /SQLite/);
});

test("parley join is stopped: what it asked is taken back, and waits on in Codex", { skip },
  async (t) => {
    const all = await Joined.start(t, ASK);
    await all.join();
    const window = await all.window();
    const [ask] = await all.asked();
    assert.deepEqual(await all.end("SIGINT"), [130, null]);
    assert.equal((await all.settled(ask.id)).note, "parley join codex was stopped");
    await window.shows("enter to submit answer");
    await all.join();
    assert.notEqual((await all.asked())[0].id, ask.id);
  });

test("Codex is killed: the ask is taken back, and the next Codex is joined", { skip: slow },
  async (t) => {
    const all = await Joined.start(t, ASK);
    await all.join();
    await all.window();
    const [ask] = await all.asked();
    for (const pid of all.servers()) process.kill(pid, "SIGKILL");
    const settlement = await all.settled(ask.id);
    assert.equal(settlement.outcome, "withdrawn");
    assert.equal(settlement.note, "Codex has ended");
    const window = await all.window();
    const [next] = await all.asked();
    await all.broker.answer(next.id, [{ selected: ["SQLite"] }]);
    await window.shows("All done.");
    documented(ROW, "killed and resumed", "withdrawn; its next start is joined");
  });

test("serve --join codex: the broker does it by itself", { skip }, async (t) => {
  const all = await Joined.start(t, ASK);
  await all.broker.kill();
  all.broker.options = ["--join", "codex"];
  await all.broker.restart();
  const window = await all.window();
  const [ask] = await all.asked();
  await all.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
  await window.shows("All done.");
});
