// SPDX-License-Identifier: Apache-2.0
// `parley serve --agent llm`: a model for every session that a person speaks in and no agent has.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { PROGRAM, environment, until } from "../support/broker.mjs";
import { TRANSPORTS, listen } from "../trpc/support.mjs";
import { Hosting } from "./support/hosting.mjs";
import { KEY, ask, question } from "./support/world.mjs";

const green = [{ selected: ["Green"] }];

// Asks once in each conversation, and goes on when it knows.
const asking = ({ users, results }) => {
  if (users.length > 1) return { text: `Heard: ${users.at(-1)}` };
  return results.length === 0 ? { text: "Let me ask.", calls: [ask("c_0", question("Which colour?"))] }
    : { text: `So: ${results[0].result}` };
};

for (const api of ["anthropic", "openai"])
  test(`${api}: spoken to, asks, is answered, goes on`, async (t) => {
    const h = await Hosting.start(t, api, asking);
    const session = await h.open({ title: "Paint" });
    assert.equal((await h.say(session, "Paint it")).queued, false, "the model takes it");
    const asked = await h.asked(session);
    assert.equal(asked.agent, "llm");
    assert.equal(asked.tool.call_id, "c_0");
    await h.broker.answer(asked.id, green);
    await h.hears(session, 'So: User has answered your questions: "Which colour?"="Green"');
    await h.say(session, "Thank you");
    await h.hears(session, "Heard: Thank you");
    assert.deepEqual(h.lastOf("Paint it").said.map((one) => Object.keys(one)[0]),
      ["user", "model", "call", "call", "model", "user"]);
    assert.equal(h.model.requests.length, 3);
    assert.equal(h.model.requests[0].headers[api === "anthropic" ? "x-api-key" : "authorization"],
      api === "anthropic" ? KEY : `Bearer ${KEY}`);
    const folder = join(h.broker.folder, "state/parley/llm");
    assert.deepEqual((await readdir(folder)).sort(), ["node", `${session}.jsonl`]);
    assert.ok(!(await readFile(join(folder, `${session}.jsonl`), "utf8")).includes(KEY));
    await h.broker.call("DELETE", `/v1/sessions/${session}`);
    await until(async () => (await readdir(folder)).length === 1, "its conversation goes with it");
  });

test("two sessions at once: each model is told what was answered in its own", async (t) => {
  const h = await Hosting.start(t, "openai", asking);
  const [one, two] = [await h.open({ name: "one" }), await h.open()];
  await Promise.all([h.say("one", "first"), h.say(two, "second")]);
  await h.broker.pending(2);
  await h.broker.answer((await h.asked(two)).id, [{ selected: ["Blue"] }]);
  await h.hears(two, "Blue");
  await h.broker.answer((await h.asked(one)).id, green);
  await h.hears(one, "Green");
  assert.match(h.lastOf("first").results[0].result, /"Which colour\?"="Green"/);
  assert.match(h.lastOf("second").results[0].result, /"Which colour\?"="Blue"/);
});

test("OpenCode's prompt waits for the reply, in a session's first message too", async (t) => {
  const h = await Hosting.start(t, "anthropic", ({ users }) => ({ text: `Heard: ${users.at(-1)}` }));
  const { body: session } = await h.broker.call("POST", "/session", { title: "Paint" });
  for (const text of ["hello", "again"]) {
    const { status, body } = await h.broker.call("POST", `/session/${session.id}/message`,
      { parts: [{ type: "text", text }] });
    assert.equal(status, 200);
    assert.deepEqual(body.parts.filter(({ type }) => type === "text").map((part) => part.text), [`Heard: ${text}`]);
  }
});

test("from the chat socket", async (t) => {
  const h = await Hosting.start(t, "anthropic", () => ({ text: "Hello yourself." }));
  const url = new URL(`/api/v1/chat/ws/talk?token=${h.broker.token}`, h.broker.url);
  url.protocol = "ws:";
  const socket = new WebSocket(url);
  t.after(() => socket.close());
  let seen = "";
  socket.addEventListener("message", ({ data }) => { seen += data; });
  await new Promise((resolve) => { socket.addEventListener("open", resolve); });
  socket.send(JSON.stringify({ type: "user_message", data: { message: "hello" } }));
  await until(() => seen.includes("Hello"), "the model's words come");
  await h.hears("talk", "Hello yourself.");
  assert.ok(!seen.includes("message_queued"), seen);
});

for (const [name, connect] of Object.entries(TRANSPORTS))
  test(`from @trpc/client over ${name}: streams, asks, is answered, goes on`, async (t) => {
    const h = await Hosting.start(t, "anthropic", asking);
    const { client, close } = connect(h.broker);
    t.after(() => close());
    const stream = await listen(client, { userMessage: "Paint it" });
    t.after(() => stream.stop());
    const { sessionId } = await stream.event("session-created");
    const { questionId, questions } = await stream.event("ask-question");
    assert.equal(questions[0].question, "Which colour?");
    const text = () => stream.events.map((event) => event.data ?? event)
      .filter(({ type }) => type === "text-delta").map((event) => event.text).join("");
    assert.equal(text(), "Let me ask.");
    await client.message.answerAsk.mutate({ sessionId, questionId, answers: { q0: "Green" } });
    await until(() => stream.isComplete, "the turn is over");
    assert.match(text(), /So: User has answered your questions: "Which colour\?"="Green"/);
    assert.match(h.lastOf("Paint it").results[0].result, /"Which colour\?"="Green"/);
    assert.ok(!stream.types.includes("message-queued"), stream.types.join());
    assert.deepEqual(stream.errors, []);
    const again = await listen(client, { sessionId, userMessage: "Thank you" });
    t.after(() => again.stop());
    await until(() => again.isComplete, "so is the next");
    assert.ok(!again.types.includes("message-queued"), again.types.join());
    await h.hears(sessionId, "Heard: Thank you");
  });

for (const signal of ["SIGKILL", "SIGTERM"])
  test(`${signal} while an ask is open: the answer reaches the model, once`, async (t) => {
    const h = await Hosting.start(t, "anthropic", asking);
    const session = await h.open();
    await h.say(session, "Paint it");
    const { id } = await h.asked(session);
    await h.broker.kill(signal);
    await h.broker.restart();
    assert.equal((await h.asked(session)).id, id);
    await h.broker.answer(id, green);
    await h.hears(session, '"Which colour?"="Green"');
    assert.equal(h.model.requests.length, 2, "what was said is not asked for again");
    assert.equal(h.lastOf("Paint it").results.length, 1);
    const [{ result }] = h.lastOf("Paint it").results;
    assert.deepEqual(await h.words(session), ["Let me ask.", `So: ${result}`]);
    await h.say(session, "Thank you");
    await h.hears(session, "Heard: Thank you");
  });

test("killed in the middle of a reply, and while it listens with a question open", async (t) => {
  let release;
  const isHeld = new Promise((resolve) => { release = resolve; });
  const h = await Hosting.start(t, "openai", ({ users, results }, count) => {
    if (users.length > 1) return { text: `Late: ${users.at(-1)}` };
    if (results.length > 0) return { text: "Meanwhile." };
    const calls = [ask("c_0", { ...question("Which colour?"), blocking: false })];
    return count === 1 ? { text: "Some words.", calls, piece: 600, after: () => isHeld } : { calls };
  });
  t.after(() => release());
  const session = await h.open();
  await h.say(session, "go");
  await until(() => h.model.requests.length === 1, "the model begins");
  await h.broker.kill();
  await h.broker.restart();
  await h.hears(session, "Meanwhile.");
  const { id } = await h.asked(session);
  await h.broker.kill();
  await h.broker.restart();
  await h.broker.answer(id, green);
  await h.hears(session, "Late: ");
  assert.match(h.lastOf("go").users.at(-1), new RegExp(`asked earlier \\(${id}\\).*="Green"`));
  assert.equal(h.lastOf("go").users.length, 2);
  assert.equal(h.model.requests.length, 4);
});

// Two calls at once, one of them wrong; then one that does not block; then its answer as a message.
// `tick` is told of each piece of a reply that is on its way.
const long = (tick) => ({ users, results }) => {
  const [name] = users[0].split(" ");
  const reply = (more) => ({ piece: 400, after: () => tick(name), ...more });
  if (users.length > 1) return reply({ text: "Thank you." });
  if (results.length === 0) return reply({ thought: "Hm.", text: "Two things first.", calls: [
    ask(`${name}_0`, question("Which colour?")), ask(`${name}_1`, { questions: [] })] });
  if (results.length === 2) return reply({ text: "And one for later.", calls: [
    ask(`${name}_2`, { ...question("Later?"), blocking: false })] });
  return reply({ text: "Meanwhile I go on." });
};

// Answers what is asked, the second when the model has gone on without; the server may be away.
async function converse(h, name, tick) {
  await h.open({ name });
  await h.say(name, `${name} go`);
  const words = () => h.words(name).catch(() => []);
  await until(async () => {
    const said = await words();
    if (said.includes("Thank you.")) return true;
    const { body } = await h.broker.call("GET", `/v1/asks?state=pending&session=${name}`)
      .catch(() => ({ body: {} }));
    for (const { id, questions } of body.asks ?? []) {
      if (questions[0].question === "Later?" && !said.includes("Meanwhile I go on.")) continue;
      await h.broker.answer(id, green).then(() => tick(name), () => undefined);
    }
    return false;
  }, `${name} comes to its end`, 60_000);
  await h.restarted;
  const plain = (value) => JSON.parse(JSON.stringify(value).replaceAll(name, "NAME")
    .replaceAll(/(que|msg)_[0-9a-z]{26}/g, "$1_X"));
  const parts = (await h.log(name)).filter(({ type, part }) => type === "session.part" && part.type !== "finish");
  return plain({ told: h.lastOf(`${name} go`).said,
    parts: [...new Set(parts.map(({ part }) => `${part.type} ${part.part_id ?? part.call_id}`))] });
}

test("killed after each piece of a reply and each answer, the conversation is the same", { timeout: 280_000 },
  async (t) => {
    let seen = 0;
    let last = Infinity;
    let current;
    let h;
    const tick = (name) => {
      if (name !== current || ++seen !== last) return;
      h.restarted = h.broker.kill().then(() => h.broker.restart());
    };
    h = await Hosting.start(t, "anthropic", long(tick));
    current = "whole";
    const whole = await converse(h, current, tick);
    assert.equal(whole.told.filter(({ user }) => user).length, 2);
    const events = seen;
    assert.ok(events > 10, `${events} events`);
    for (let count = 1; count <= events; ++count) {
      seen = 0;
      last = count;
      current = `after${count}`;
      assert.deepEqual(await converse(h, current, tick), whole, `killed after ${count} of ${events} events`);
    }
  });

test("a wrong key is told in the session and in the log, without the key; the server goes on", async (t) => {
  let isRight = false;
  const h = await Hosting.start(t, "openai", (asked) => (isRight ? { text: "At last." }
    : { status: 401, error: { message: `Incorrect API key provided: ${KEY}` } }));
  const session = await h.open();
  await h.say(session, "hello");
  const { text, level } = await h.isTold(session, /401 Incorrect API key provided: …; .*OPENAI_API_KEY/);
  assert.equal(level, "error");
  await until(() => h.broker.log.includes("llm-failed"), "the log has it");
  assert.match(h.broker.log, new RegExp(`${session}: stand-in cannot be asked: 401`));
  assert.ok(!h.broker.log.includes(KEY) && !text.includes(KEY));
  assert.equal((await h.broker.call("GET", `/v1/sessions/${session}`)).body.state, "idle");
  isRight = true;
  await h.say(session, "and now?");
  await h.hears(session, "At last.");
  assert.deepEqual(h.model.requests.at(-1).users.join("\n\n"), "hello\n\nand now?");
});

test("sessions that an agent has been in are left to it", async (t) => {
  const h = await Hosting.start(t, "anthropic", asking);
  await h.open({ name: "theirs", agent: "smith" });
  await h.broker.call("POST", "/v1/asks", { session: "script", question: "Go on?", options: ["Yes", "No"] });
  await h.broker.call("POST", "/v1/asks", { question: "Go on?", options: ["Yes", "No"] });
  for (const name of ["theirs", "script", "default"]) assert.ok((await h.say(name, name)).queued);
  const session = await h.open();
  await h.say(session, "mine");
  await h.asked(session);
  assert.deepEqual(h.model.requests.map(({ users }) => users[0]), ["mine"]);
});

test("a session whose conversation was removed says so", async (t) => {
  const h = await Hosting.start(t, "anthropic", () => ({ text: "Yes." }));
  const session = await h.open();
  await h.say(session, "hello");
  await h.hears(session, "Yes.");
  await h.broker.kill();
  await rm(join(h.broker.folder, `state/parley/llm/${session}.jsonl`));
  await h.broker.restart();
  await h.say(session, "and?");
  await h.isTold(session, /No agent could begin here: the file with its conversation is gone/);
  assert.equal(h.model.requests.length, 1);
});

test("by the configuration; and what is wrong is said before anything is served", async (t) => {
  const h = await Hosting.start(t, "openai", () => ({ text: "Configured." }));
  await h.broker.kill();
  const config = join(h.broker.folder, "config/parley");
  await mkdir(config, { recursive: true });
  await writeFile(join(config, "config.toml"), `[serve]\nagent = "llm"\n[llm]\napi = "openai"\n` +
    `base_url = "${h.model.url}"\nmodel = "stand-in"\nsystem = "Be brief"\n`);
  h.broker.options = [];
  await h.broker.restart();
  await h.say("s", "hello");
  await h.hears("s", "Configured.");
  assert.equal(h.model.requests[0].body.messages[0].content, "Be brief");
  const serve = (...args) => spawnSync(PROGRAM, ["serve", "--listen", "127.0.0.1:0", "--store", "memory:", ...args],
    { env: environment({ XDG_STATE_HOME: join(h.broker.folder, "other") }), encoding: "utf8" });
  for (const [args, fault] of [
    [["--model", "m"], /--model says which model serves sessions: say --agent llm too/],
    [["--agent", "llm", "--model", "m"], /--api is missing/],
    [["--agent", "llm", "--api", "openai"], /--model is missing/],
    [["--agent", "llm", "--api", "openai", "--model", "m"], /there is no key for .*set OPENAI_API_KEY/],
    [["--agent", "llm", "--api", "openai", "--model", "m", "--base-url", "nowhere"], /--base-url nowhere/],
  ]) {
    const { status, stderr } = serve(...args);
    assert.equal(status, 2, stderr);
    assert.match(stderr, fault);
  }
});
