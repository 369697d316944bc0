// SPDX-License-Identifier: Apache-2.0
// `parley run opencode` with the real OpenCode: what it asks waits here and in its own windows, and
// whoever answers first decides. The windows are calls of its own interface, but in one test.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { Screen } from "../claude/support/screen.mjs";
import { PROGRAM, until } from "../support/broker.mjs";
import { PATIENCE_MS, answered, ask, client, settlement, skip, slow, start, told, world }
  from "./support/opencode_run.mjs";
import { OpencodeServer } from "./support/opencode_server.mjs";

test("OpenCode that we start: asked, answered, done; nothing of it is left", { skip, timeout: 300_000 },
  async (t) => {
    const w = await world(t);
    const run = start(w, ["--json", "color first"]);
    const { id, agent } = await ask(w, "Which color first?");
    assert.equal(agent, "opencode");
    await w.broker.answer(id, [{ selected: ["Blue"] }]);
    const { code, out, errors } = await run.ended;
    assert.equal(code, 0, errors + out);
    assert.equal(w.model.told("color first"), answered("first", "Blue"));
    const lines = out.trim().split("\n").map((line) => JSON.parse(line));
    assert.equal(lines.at(-1).result, "All done.", out);
    const url = /serves at (http\S+?)"/.exec(out)[1];
    await assert.rejects(fetch(url), "its server has ended");
  });

test("what is not there is said", { skip, timeout: 60_000 }, async (t) => {
  const w = await world(t);
  w.further.PATH = "/usr/bin:/bin";
  const { code, errors } = await start(w, ["go"]).ended;
  assert.equal(code, 1);
  assert.match(errors, /opencode.*npm install -g opencode-ai/s);
  const ours = await start(w, ["--url", w.broker.url], { OPENCODE_SERVER_PASSWORD: w.broker.token }).ended;
  assert.equal(ours.code, 1);
  assert.match(ours.errors, /is a Parley broker/);
  const open = await start(w, ["--url", w.broker.url]).ended;
  assert.equal(open.code, 1);
  assert.match(open.errors, /wants a password: set OPENCODE_SERVER_PASSWORD/);
  const unknown = await start(w, ["--resume", "nonesuch", "go"]).ended;
  assert.equal(unknown.code, 1);
  assert.match(unknown.errors, /Parley has run no session nonesuch with OpenCode/);
  const usage = await start(w, ["--url", w.broker.url, "--json"]).ended;
  assert.equal(usage.code, 2);
});

describe("beside OpenCode's own windows", { skip, timeout: 800_000 }, () => {
  let w;
  let server;
  let joined;
  const cleanups = [];
  const join_ = () => {
    joined = start(w, ["--url", server.url], server.variables);
    return until(() => joined.errors.includes("joined OpenCode"), "it joins", PATIENCE_MS);
  };

  before(async () => {
    w = await world({ after: (cleanup) => cleanups.push(cleanup) });
    server = await OpencodeServer.start(w, client.command[0]);
    await join_();
  });
  after(async () => {
    joined?.child.kill("SIGKILL");
    for (const cleanup of cleanups) await cleanup();
  });

  test("answered here, the model has it and the list there is empty", async () => {
    const session = await server.prompt("color here");
    const { id, session: name } = await ask(w, "Which color here?");
    assert.equal(name, `opencode-${session}`);
    await w.broker.answer(id, [{ selected: ["Red"], note: "for now" }]);
    assert.equal(await told(w, "color here"), answered("here", "Red, note: for now"));
    assert.deepEqual(await server.waiting("question", session), []);
  });

  test("answered there, it is withdrawn here with what was answered", async () => {
    const session = await server.prompt("color there");
    const { id } = await ask(w, "Which color there?");
    const [{ id: request }] = await server.waiting("question", session);
    await server.call("POST", `/question/${request}/reply`, { answers: [["Blue"]] });
    const { outcome, note } = await settlement(w, id);
    assert.deepEqual([outcome, note], ["withdrawn", "answered in OpenCode itself: Blue"]);
    assert.equal(await told(w, "color there"), answered("there", "Blue"));
  });

  test("dismissed here, it is rejected there, and the words are the next message", async () => {
    const session = await server.prompt("color never");
    const { id } = await ask(w, "Which color never?");
    await w.broker.call("POST", `/v1/asks/${id}/dismiss`, { reason: "ask me tomorrow" });
    await until(() => w.model.prompts().some((prompt) => prompt.includes("ask me tomorrow")),
      "the words reach the model", PATIENCE_MS);
    await until(() => server.isIdle(session), "the session rests", PATIENCE_MS);
    assert.equal(w.model.told("color never"), undefined);
  });

  test("rejected there, it is withdrawn here", async () => {
    const session = await server.prompt("color rejected");
    const { id } = await ask(w, "Which color rejected?");
    const [{ id: request }] = await server.waiting("question", session);
    await server.call("POST", `/question/${request}/reject`);
    assert.equal((await settlement(w, id)).note, "dismissed in OpenCode itself");
  });

  test("a permission: once, denied with words, always", async () => {
    await server.prompt("run echo one");
    const first = await ask(w, "echo one");
    assert.equal(first.permission.summary, "echo one");
    assert.match(first.context, /`bash` for:\n\n {4}echo one/);
    assert.match(first.questions[0].options[1].description, /bash for echo \*/);
    await w.broker.answer(first.id, [{ selected: ["Allow once"] }]);
    assert.equal(await told(w, "run echo one"), "one\n");
    await server.prompt("run echo two");
    const second = await ask(w, "echo two");
    await w.broker.answer(second.id, [{ selected: ["Deny"], note: "use ls instead" }]);
    assert.match(await told(w, "run echo two"), /rejected.*: use ls instead$/);
    await server.prompt("run echo three");
    await w.broker.answer((await ask(w, "echo three")).id, [{ selected: ["Allow for this session"] }]);
    assert.equal(await told(w, "run echo three"), "three\n");
    await server.prompt("run echo four");
    assert.equal(await told(w, "run echo four"), "four\n");
  });

  test("a permission decided there is withdrawn here", async () => {
    const session = await server.prompt("run ls -d .");
    const { id } = await ask(w, "ls -d .");
    const [{ id: request }] = await server.waiting("permission", session);
    await server.call("POST", `/permission/${request}/reply`, { reply: "reject" });
    assert.equal((await settlement(w, id)).note, "decided in OpenCode itself: reject");
  });

  test("stopped there, it is withdrawn here, and what OpenCode left open is cleared", async () => {
    const session = await server.prompt("color stopped");
    const { id } = await ask(w, "Which color stopped?");
    await server.call("POST", `/session/${session}/abort`);
    assert.equal((await settlement(w, id)).note, "its turn ended in OpenCode");
    await until(async () => (await server.waiting("question", session)).length === 0,
      "OpenCode's list is empty", PATIENCE_MS);
  });

  test("stopped here, the turn is stopped there", async () => {
    const session = await server.prompt("color halted");
    const { id } = await ask(w, "Which color halted?");
    await w.broker.call("POST", `/v1/sessions/opencode-${session}/abort`);
    assert.equal((await settlement(w, id)).outcome, "withdrawn");
    await until(() => server.isIdle(session), "OpenCode rests", PATIENCE_MS);
    await until(async () => (await server.waiting("question", session)).length === 0,
      "OpenCode's list is empty", PATIENCE_MS);
  });

  test("both at once: one decides, and the model has that one", async () => {
    for (let round = 0; round < 5; round += 1) {
      const prompt = `color race${round}`;
      const session = await server.prompt(prompt);
      const { id } = await ask(w, `Which color race${round}?`);
      const [{ id: request }] = await server.waiting("question", session);
      const [, there] = await Promise.all([
        w.broker.answer(id, [{ selected: ["Blue"] }]),
        server.call("POST", `/question/${request}/reply`, { answers: [["Red"]] })]);
      const label = there.status === 200 ? "Red" : "Blue";
      assert.equal(await told(w, prompt), answered(`race${round}`, label));
      const { outcome } = await settlement(w, id);
      if (outcome !== "answered" || label === "Blue") continue;
      await until(async () => {
        const { body } = await w.broker.call("GET", `/v1/sessions/opencode-${session}/events`);
        return JSON.stringify(body).includes("did not get this answer");
      }, "people are told", PATIENCE_MS);
    }
  });

  test("another folder's questions come too, and their answers get there", async () => {
    const folder = join(w.broker.folder, "elsewhere");
    await mkdir(folder);
    await server.prompt("color afar", folder);
    const { id, session } = await ask(w, "Which color afar?");
    await w.broker.answer(id, [{ selected: ["Blue"] }]);
    assert.equal(await told(w, "color afar"), answered("afar", "Blue"));
    const { body } = await w.broker.call("GET", `/v1/sessions/${session}`);
    assert.equal(body.directory, folder);
  });

  test("a sub-agent asks in the session that began it, and says who it is", async () => {
    const session = await server.prompt("sub run pwd");
    const { id, session: name, context } = await ask(w, "pwd");
    assert.equal(name, `opencode-${session}`);
    assert.match(context, /sub-agent “a sub-agent/);
    await w.broker.answer(id, [{ selected: ["Allow once"] }]);
    assert.match(await told(w, "sub run pwd"), /All done/);
  });

  test("killed and begun anew, it finds what waits", async () => {
    const session = await server.prompt("color again");
    const { id } = await ask(w, "Which color again?");
    joined.child.kill("SIGKILL");
    await joined.ended;
    await join_();
    await w.broker.answer(id, [{ selected: ["Red"] }]);
    assert.equal(await told(w, "color again"), answered("again", "Red"));
    assert.deepEqual(await server.waiting("question", session), []);
  });

  test("the broker is killed and restarted meanwhile", async () => {
    await server.prompt("color durable");
    const { id } = await ask(w, "Which color durable?");
    await w.broker.kill();
    await w.broker.restart();
    await w.broker.answer(id, [{ selected: ["Red"] }]);
    assert.equal(await told(w, "color durable"), answered("durable", "Red"));
  });

  test("OpenCode is killed: what it asked is withdrawn; its next start is joined", { skip: slow }, async () => {
    await server.prompt("color lost");
    const { id } = await ask(w, "Which color lost?");
    await server.kill();
    assert.equal((await settlement(w, id)).note, "OpenCode has ended, or cannot be reached");
    assert.match(joined.errors, /is away \(.*\); trying again/);
    const before_ = joined.errors.split("joined OpenCode").length;
    await server.restart();
    await until(() => joined.errors.split("joined OpenCode").length > before_, "it joins again",
      PATIENCE_MS);
    await server.prompt("color found");
    await w.broker.answer((await ask(w, "Which color found?")).id, [{ selected: ["Blue"] }]);
    assert.equal(await told(w, "color found"), answered("found", "Blue"));
  });

  test("a session of our own there: driven, spoken to, stopped, resumed", { skip: slow }, async () => {
    const run = start(w, ["--url", server.url, "--json", "color driven"], server.variables);
    const { id, session } = await ask(w, "Which color driven?");
    const { asks } = (await w.broker.call("GET", "/v1/asks?state=pending")).body;
    assert.equal(asks.length, 1, "who joined leaves it to who drives");
    await w.broker.answer(id, [{ selected: ["Blue"] }]);
    const { code, errors } = await run.ended;
    assert.equal(code, 0, errors);
    const nobody = await start(w, ["--url", server.url, "--agent", "nobody", "go"],
      server.variables).ended;
    assert.match(nobody.errors, /has no agent nobody to speak to; it has: .*build/);
    const again = start(w, ["--url", server.url, "--json", "--resume", session, "color resumed"],
      server.variables);
    await ask(w, "Which color resumed?");
    await w.broker.call("POST", `/v1/sessions/${session}/abort`);
    assert.equal((await again.ended).code, 130);
    const messages = w.model.turns.filter(({ prompt }) => prompt === "color resumed");
    assert.equal(messages.length, 1);
  });

  test("stopped, it takes back what it asked, and OpenCode waits on", async () => {
    const session = await server.prompt("color left");
    const { id } = await ask(w, "Which color left?");
    joined.child.kill("SIGINT");
    assert.equal((await joined.ended).code, 130);
    assert.match((await settlement(w, id)).note, /waits on in OpenCode itself/);
    assert.equal((await server.waiting("question", session)).length, 1);
  });
});

test("its own window on a screen: the first answer takes the dialog away, or the ask",
  { skip: slow, timeout: 280_000 }, async (t) => {
    const w = await world(t);
    const server = await OpencodeServer.start(w, client.command[0]);
    const joined = start(w, ["--url", server.url], server.variables);
    await until(() => joined.errors.includes("joined OpenCode"), "it joins", PATIENCE_MS);
    Object.assign(w.further, server.variables);
    const window = await Screen.open(t, w, client.command[0], "attach", server.url);
    // A window that comes later shows no question that is open already.
    await until(async () => (await window.text()).includes(client.input), "its window", 120_000);
    const say = async (words) => {
      await window.type(words);
      await window.shows(words);
      await window.keys("Enter");
    };
    await say("color shown");
    const first = await ask(w, "Which color shown?");
    await window.shows("like a rose");
    await w.broker.answer(first.id, [{ selected: ["Red"] }]);
    await window.lacks("like a rose");
    assert.equal(await told(w, "color shown"), answered("shown", "Red"));
    await window.shows("All done.");
    await say("color typed");
    const second = await ask(w, "Which color typed?");
    await window.shows("like a rose");
    await window.press("Enter", "like a rose");
    const { outcome, note } = await settlement(w, second.id);
    assert.deepEqual([outcome, note], ["withdrawn", "answered in OpenCode itself: Blue"]);
    assert.equal(await told(w, "color typed"), answered("typed", "Blue"));
    joined.child.kill("SIGINT");
    await joined.ended;
  });

test("Parley's own tools pass, and that is told", { skip: slow, timeout: 120_000 }, async (t) => {
  const w = await world(t, { permission: { "parley_*": "ask" },
    config: { mcp: { parley: { type: "local", command: [PROGRAM, "mcp"], enabled: true } } } });
  const run = start(w, ["--json", "own"]);
  const { code, out, errors } = await run.ended;
  assert.equal(code, 0, errors + out);
  assert.match(out, /parley_notify_user passes by rule/);
  assert.notEqual(w.model.told("own"), undefined);
});

test("an answer that no call has brought is its next message, once", { skip: slow, timeout: 120_000 },
  async (t) => {
    const w = await world(t, { permission: { "parley_*": "allow" },
      config: { mcp: { parley: { type: "local", command: [PROGRAM, "mcp"], enabled: true } } } });
    const run = start(w, ["--session", "mine", "--json"]);
    await until(() => run.out.includes("names this session"), "it has begun", PATIENCE_MS);
    await w.broker.call("POST", "/v1/sessions/mine/messages", { text: "later on" });
    const { id } = await ask(w, "Which color on?");
    assert.match(await told(w, "later on"), /stays open as/);
    await w.broker.answer(id, [{ selected: ["Red"] }]);
    const late = () => w.model.prompts().filter((prompt) => prompt.includes(`asked earlier (${id})`));
    await until(() => late().length > 0, "it is told", PATIENCE_MS);
    await until(() => run.out.includes("is told how"), "and people are", PATIENCE_MS);
    assert.equal(late().length, 1);
    assert.match(late()[0], /"Which color on\?"="Red"/);
    // In the middle of a turn the signal would stop that alone.
    const since = () => run.out.slice(run.out.indexOf("is told how"));
    await until(() => since().includes('"activity":"idle"'), "its turn is over", PATIENCE_MS);
    run.child.kill("SIGINT");
    assert.equal((await run.ended).code, 130);
  });

test("OpenCode that we start is killed: its question is withdrawn, and it is resumed",
  { skip: slow, timeout: 120_000 }, async (t) => {
    const w = await world(t);
    const run = start(w, ["--session", "mine", "color killed"]);
    const { id } = await ask(w, "Which color killed?");
    const { pid } = run.child;
    for (const child of readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" "))
      process.kill(Number(child), "SIGKILL");
    const { code, errors } = await run.ended;
    assert.equal(code, 1);
    assert.match(errors, /OpenCode ended unexpectedly/);
    assert.equal((await settlement(w, id)).outcome, "withdrawn");
    const again = start(w, ["--resume", "mine", "color back"]);
    await w.broker.answer((await ask(w, "Which color back?")).id, [{ selected: ["Red"] }]);
    const { code: after_, out } = await again.ended;
    assert.equal(after_, 0);
    assert.equal(out.match(/All done\./g).length, 1, out);
    assert.equal(w.model.told("color back"), answered("back", "Red"));
  });
