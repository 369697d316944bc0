// SPDX-License-Identifier: Apache-2.0
// `parley join codex` beside Codex's own windows: what they ask waits in both places, and whoever
// answers first decides. Nothing is set up in Codex.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync, existsSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { Screen } from "../claude/support/screen.mjs";
import { PROGRAM, until } from "../support/broker.mjs";
import { ASK, CODEX, COMMAND, EDIT, RUN, VERSION, codexWorld, skip } from "./support/codex.mjs";
import { documented } from "./support/docs.mjs";

const slow = skip || (process.env.PARLEY_SLOW_AGENTS ? false
  : "NOT TESTED: set PARLEY_SLOW_AGENTS=1 to try it");
const ROW = "Codex 0.166.0, terminal, `parley join codex`";
const STARTS_WITHIN_MS = 60_000;

class Joined {
  // A world with a broker; Codex calls this tool first.
  static async start(t, call) {
    const all = new Joined();
    all.t = t;
    all.w = await codexWorld(t, call);
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
    this.joining = this.spawn();
    await until(() => this.said, "parley join codex says something");
  }

  spawn() {
    const child = spawn(PROGRAM, ["join", "codex"],
      { env: this.w.variables, stdio: ["ignore", "ignore", "pipe"] });
    this.said = "";
    child.stderr.on("data", (chunk) => { this.said += chunk; });
    this.t.after(() => child.kill("SIGKILL"));
    return child;
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

// Parley is stopped while both decide, so that neither is known to it before the other.
test("decided otherwise in Codex in the same moment: Codex's counts, and the session says so", { skip },
  async (t) => {
    const all = await Joined.start(t, RUN);
    await all.join();
    const window = await all.window();
    const [ask] = await all.asked();
    await window.shows("Yes, proceed");
    all.joining.kill("SIGSTOP");
    await window.press("Enter", "Yes, proceed");
    await window.shows("All done.");
    await all.broker.answer(ask.id, [{ selected: ["Deny"] }]);
    all.joining.kill("SIGCONT");
    await until(async () => {
      const { body } = await all.broker.call("GET", `/v1/sessions/${ask.session_id}/events`);
      return body.events.some(({ event }) => event.type === "notice"
        && /in the same moment|did not get this answer/.test(event.text));
    }, "people are told");
    assert.ok(existsSync(join(all.w.project, "made.txt")));
  });

test("Parley's own tool passes by rule, also where Codex asks about every tool", { skip }, async (t) => {
  const all = await Joined.start(t, { name: "ask_user", namespace: "mcp__parley", arguments: {
    questions: [{ question: "Which database?", header: "DB", multiSelect: false,
      options: [{ label: "PostgreSQL", description: "" }, { label: "SQLite", description: "" }] }] } });
  await appendFile(join(all.w.home, ".codex/config.toml"), `[mcp_servers.parley]
command = "${PROGRAM}"
args = ["mcp"]
default_tools_approval_mode = "prompt"
`);
  await all.join();
  const window = await all.window();
  const [ask] = await all.asked();
  assert.equal(ask.permission, undefined);
  await all.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
  assert.match(await all.told(), /SQLite/);
  await window.shows("All done.");
  const { body } = await all.broker.call("GET", "/v1/sessions");
  const events = await Promise.all(body.sessions.map(({ id }) =>
    all.broker.call("GET", `/v1/sessions/${id}/events`)));
  assert.match(JSON.stringify(events.map(({ body: log }) => log)),
    /mcp__parley__ask_user passes by rule: it is Parley's own/);
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
  await until(() => all.said.includes(`joined Codex ${VERSION}`), "it has joined again");
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

test("one joins a Codex for one broker: the next says who has, and takes back nothing", { skip },
  async (t) => {
    const all = await Joined.start(t, ASK);
    await all.join();
    const window = await all.window();
    const [ask] = await all.asked();
    const [code] = await once(all.spawn(), "close");
    assert.equal(code, 1);
    assert.match(all.said, new RegExp(`process ${all.joining.pid} has joined Codex`));
    await all.broker.answer(ask.id, [{ selected: ["SQLite"] }]);
    await window.shows("All done.");
    assert.equal((await all.broker.call("GET", "/v1/asks")).body.asks.length, 1);
  });

test("serve --join codex waits while another has joined, and goes on when that ends", { skip },
  async (t) => {
    const all = await Joined.start(t, ASK);
    await all.join();
    await all.broker.kill();
    all.broker.options = ["--join", "codex"];
    await all.broker.restart();
    const window = await all.window();
    const [ask] = await all.asked();
    await all.end("SIGINT");
    assert.equal((await all.settled(ask.id)).outcome, "withdrawn");
    const [next] = await all.asked();
    await all.broker.answer(next.id, [{ selected: ["SQLite"] }]);
    await window.shows("All done.");
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
