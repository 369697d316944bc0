// SPDX-License-Identifier: Apache-2.0
// The native client of clients/typescript before a real broker, on Node.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";

import { Broker, environment } from "../support/broker.mjs";
import { Package } from "../support/typescript_package.mjs";

const YES_NO = ["Yes", "No"];
const all = async (items) => {
  const list = [];
  for await (const item of items) list.push(item);
  return list;
};

describe("the native client", { timeout: 120_000 }, () => {
  let source, api, broker, client;
  before(async () => {
    source = await Package.copy();
    assert.equal(source.compile(), "");
    api = await source.load("index.js");
  });
  after(() => source.remove());
  beforeEach(async () => {
    broker = await Broker.start();
    client = new api.Client({ server: `unix:${broker.folder}/parley.sock` });
    await all(client.list()); // from now on it is a broker that was there
  });
  afterEach(() => broker.stop());

  const restart = async () => {
    await broker.kill();
    await broker.restart();
  };

  // Runs a script on Node that has `Client` and finds its broker by itself.
  const run = async (script, variables) => {
    const code = `import { Client, answerText } from ${JSON.stringify(join(source.folder, "dist/index.js"))};
      ${script}`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", code],
      { env: environment(variables), stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text) => { said += text; });
    child.stderr.setEncoding("utf8").on("data", (text) => { said += text; });
    await once(child, "close");
    return said.trim();
  };

  describe("asking", () => {
    test("gives a typed answer", async () => {
      const asking = client.ask("Tea or coffee?", [{ label: "Tea", description: "Green" }, "Coffee"], {
        header: "Drink", session: "kitchen", agent: "cook", urgency: "high", context: "*Hot*" });
      const [{ id }] = await broker.pending();
      await broker.answer(id, [{ selected: ["Tea"], note: "hot" }]);
      const ask = await asking;
      assert.equal(ask.state, "answered");
      assert.deepEqual(ask.settlement.answers, [{ selected: ["Tea"], note: "hot" }]);
      assert.equal(api.answerText(ask), "Tea");
      assert.deepEqual([ask.session, ask.agent, ask.urgency, ask.questions[0].header],
        ["kitchen", "cook", "high", "Drink"]);
      assert.equal(ask.settlement.decider.kind, "person");
    });

    test("goes on through a restart", async () => {
      const asking = client.ask("Tea?", YES_NO);
      const [{ id }] = await broker.pending();
      await restart();
      await broker.answer(id, [{ selected: ["Yes"] }]);
      assert.equal(api.answerText(await asking), "Yes");
      assert.equal((await all(client.list({ state: "answered" }))).length, 1);
    });

    test("asks again where the store is another one", async () => {
      const forgetful = await Broker.start([], { store: "memory:" });
      const asking = new api.Client({ server: `unix:${forgetful.folder}/parley.sock` })
        .ask("Tea?", YES_NO);
      const [{ id }] = await forgetful.pending();
      await forgetful.kill();
      await forgetful.restart();
      const [again] = await forgetful.pending();
      assert.notEqual(again.id, id);
      await forgetful.answer(again.id, [{ selected: ["No"] }]);
      assert.equal(api.answerText(await asking), "No");
      await forgetful.stop();
    });

    test("takes a key for the same ask", async () => {
      const more = { key: "tea", session: "kitchen" };
      const first = await client.open("Tea?", YES_NO, more);
      assert.equal((await client.open("Tea?", YES_NO, more)).id, first.id);
      await client.answer(first, "Yes");
      assert.equal(api.answerText(await client.ask("Tea?", YES_NO, more)), "Yes");
      await assert.rejects(client.open("Coffee?", YES_NO, more),
        (error) => error instanceof api.Refused && error.status === 409);
    });

    test("tells that there is no answer as an outcome", async () => {
      const ask = await client.ask("Tea?", YES_NO, { timeoutSeconds: 0.1 });
      assert.deepEqual([ask.state, api.answerText(ask), ask.settlement.decider.kind],
        ["timed_out", "", "timer"]);
      const byDefault = await client.ask("Tea?", YES_NO,
        { timeoutSeconds: 0.1, onTimeout: { default: [{ selected: ["No"] }] } });
      assert.deepEqual([api.answerText(byDefault), byDefault.settlement.decider.kind], ["No", "timer"]);
      const pending = await client.open("Tea?");
      await client.dismiss(pending, "not now");
      assert.equal((await client.wait(pending)).settlement.note, "not now");
    });

    test("takes forms and permissions", async () => {
      const ask = await client.open([
        { question: "Which days?", options: ["Sa", "Su", "Mo"], multi_select: true, min: 1, max: 2,
          default: ["Su"] },
        { question: "Remarks?", required: false },
      ], { permission: { tool: "Bash", input: { command: "make install" } } });
      assert.equal(ask.permission.summary, "make install");
      await assert.rejects(client.answer(ask, [{ selected: ["Sa", "Su", "Mo"] }, {}]),
        (error) => error.errors[0].path.startsWith("/answers/0"));
      const settled = await client.answer(ask, [{ selected: ["Sa", "Su"] }, "none"], { by: "Ada" });
      assert.deepEqual([api.answerText(settled), api.answerText(settled, 1)], ["Sa, Su", "none"]);
      assert.equal(settled.settlement.decider.claimed, "Ada");
    });

    test("names what is wrong", async () => {
      await assert.rejects(client.ask(""), (error) => error instanceof api.Refused
        && error.errors[0].path === "/questions/0/question"
        && error.message === `${error.errors[0].path}: ${error.errors[0].detail}`);
      await assert.rejects(client.ask({ question: "Tea?" }, ["Yes"]), TypeError);
    });

    test("waits for a while", async () => {
      const ask = await client.open("Tea?");
      assert.equal((await client.wait(ask, { timeoutSeconds: 0.1 })).state, "pending");
      await client.withdraw(ask, "found out");
      assert.equal((await client.wait(ask.id)).state, "withdrawn");
    });

    test("aborted, takes back what has no key", async () => {
      for (const [more, state] of [[{}, "withdrawn"], [{ key: "mine" }, "pending"]]) {
        const stop = new AbortController();
        // A session each: where there are two nodes, the list may still have the one before.
        const asking = client.ask("Tea?", YES_NO, { ...more, session: state, signal: stop.signal });
        const [{ id }] = await broker.pending(1, state);
        stop.abort();
        await assert.rejects(asking, { name: "AbortError" });
        assert.equal((await client.get(id)).state, state);
      }
      const [{ id }] = await broker.pending();
      assert.ok(id);
      await assert.rejects(client.ask("Coffee?", { signal: AbortSignal.abort() }), { name: "AbortError" });
    });
  });

  describe("answering", () => {
    test("tells who comes second what stands", async () => {
      const ask = await client.open("Tea?", YES_NO);
      await client.answer(ask.id, "Yes", { by: "Ada" });
      await assert.rejects(client.answer(ask, "No", { by: "Bob" }), (error) =>
        error instanceof api.AlreadySettled && api.answerText(error.ask) === "Yes");
    });

    test("lists page after page, and adds to a stream", async () => {
      await Promise.all(Array.from({ length: 120 }, (_, number) =>
        client.open(`Number ${number}?`, { session: "many" })));
      assert.equal((await all(client.list({ session: "many" }))).length, 120);
      assert.equal((await client.session("work", { title: "Work", agent: "bot" })).title, "Work");
      await client.push("work", { type: "text-end", part_id: "p", text: "Hello" });
      await assert.rejects(client.push("work", { type: "nonsense" }), api.Refused);
    });

    test("watching misses nothing", async () => {
      const first = await client.open("First?", { session: "s" });
      const events = client.watch();
      const next = async () => (await events.next()).value;
      assert.equal((await next()).event.ask.id, first.id);
      const { event, cursor } = await next();
      assert.deepEqual([event.type, event.cursor], ["snapshot.end", cursor]);
      const second = await client.open("Second — «zwei»?", { session: "s" });
      assert.equal((await next()).event.ask.questions[0].question, "Second — «zwei»?");
      await restart();
      await client.answer(first, "yes");
      const settled = await next();
      assert.deepEqual([settled.event.type, settled.event.ask.id], ["ask.settled", first.id]);
      await events.return();
      const resumed = client.watch({ after: cursor, session: "s" });
      assert.equal((await resumed.next()).value.event.ask.id, second.id);
      await resumed.return();
    });

    test("watching ends where the broker cannot read what it has stored", async () => {
      const problem = { type: "about:blank", status: 500, title: "Failed", detail: "row 7" };
      const broken = createServer((_, response) => {
        response.setHeader("content-type", "text/event-stream");
        response.end(`data: ${JSON.stringify({ type: "stream.failed", problem })}\n\n`);
      });
      await once(broken.listen(0, "127.0.0.1"), "listening");
      const events = new api.Client({ server: `http://127.0.0.1:${broken.address().port}` }).watch();
      assert.equal((await events.next()).value.event.type, "stream.failed");
      await assert.rejects(events.next(), (error) => error instanceof api.Refused && error.detail === "row 7");
      broken.close();
    });

    test("watching ends with its signal", async () => {
      const stop = new AbortController();
      const events = client.watch({ signal: stop.signal });
      assert.equal((await events.next()).value.event.type, "snapshot.end");
      const last = events.next();
      stop.abort();
      await assert.rejects(last, { name: "AbortError" });
    });
  });

  describe("finding the broker", () => {
    const LIST = "for await (const ask of new Client().list()) console.log(ask.id); console.log('ok');";

    test("by the default socket, the variables and the configuration", async () => {
      assert.equal(await run(LIST, broker.variables), "ok");
      assert.equal(await run(LIST, { PARLEY_SERVER: broker.url, PARLEY_TOKEN: broker.token }), "ok");
      const folder = join(broker.folder, "config");
      await mkdir(join(folder, "parley"), { recursive: true });
      await writeFile(join(folder, "parley/config.toml"),
        `# mine\nserver = "${broker.url}" # here\ntoken = '${broker.token}'\n[serve]\nserver = "no"\n`);
      assert.equal(await run(LIST, { XDG_CONFIG_HOME: folder }), "ok");
    });

    test("by the mark of one that listens elsewhere", async () => {
      const state = join(broker.folder, "state");
      await mkdir(join(state, "parley"), { recursive: true, mode: 0o700 });
      await writeFile(join(state, "parley/socket"), `${broker.folder}/parley.sock\n`, { mode: 0o600 });
      const nowhere = join(broker.folder, "nowhere");
      assert.equal(await run(LIST, { XDG_RUNTIME_DIR: nowhere, XDG_STATE_HOME: state }), "ok");
    });

    test("and says what is wrong where there is none", async () => {
      assert.match(await run(LIST, { HOME: join(broker.folder, "nobody") }), /Unreachable.*'parley serve'/);
      assert.match(await run(LIST, { PARLEY_SERVER: "ftp://x" }), /expected http\(s\):/);
      assert.match(await run(LIST, { PARLEY_SERVER: broker.url, PARLEY_TOKEN: "wrong" }), /Refused: /);
      assert.match(await run(LIST, { PARLEY_SERVER: "https://127.0.0.1:1", PARLEY_CA: "/no/file" }),
        /\/no\/file cannot be read/);
    });

    test("and knows something else for what it is", async () => {
      const other = createServer((_, response) => response.end("<html>hello"));
      await once(other.listen(0, "127.0.0.1"), "listening");
      const elsewhere = new api.Client({ server: `http://127.0.0.1:${other.address().port}` });
      await assert.rejects(all(elsewhere.list()), /no Parley broker/);
      await assert.rejects(elsewhere.watch().next(), /no Parley broker/);
      other.close();
    });

    test("waits for one that is to come, if told so", async () => {
      await broker.kill();
      const patient = new api.Client({ server: broker.url, token: broker.token, firstSeconds: 60 });
      const listed = all(patient.list());
      await broker.restart();
      assert.deepEqual(await listed, []);
      await broker.kill();
      const hasty = new api.Client({ server: broker.url, patienceSeconds: 0 });
      await assert.rejects(hasty.get("que_x"), api.Unreachable);
    });

    test("by https only with an authority that signed for it", async () => {
      const files = new URL("../../app/certificates/", import.meta.url).pathname;
      await broker.kill();
      broker.options = ["--tls-cert", `${files}server.pem`, "--tls-key", `${files}server.key`];
      await broker.restart();
      const { token, url: server } = broker;
      assert.deepEqual(await all(new api.Client({ server, token, ca: `${files}authority.pem` }).list()), []);
      await assert.rejects(all(new api.Client({ server, token, firstSeconds: 60 }).list()),
        /is not trusted: .*PARLEY_CA/);
    });
  });

  test("does what the first example of its README says", async () => {
    const readme = await source.read("README.md");
    const [, example] = /```js\n(.*?)```/s.exec(readme);
    const script = example.replace(/import .* from "parley-client";/, "");
    const running = run(script, broker.variables);
    const [{ id }] = await broker.pending();
    await broker.answer(id, [{ selected: ["SQLite"] }]);
    assert.equal(await running, "SQLite");
  });
});
