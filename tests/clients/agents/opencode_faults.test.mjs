// SPDX-License-Identifier: Apache-2.0
// The real OpenCode behind a proxy that loses requests, answers and folders: nothing is said twice, no
// run waits for ever, and what cannot be done is said.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { until } from "../support/broker.mjs";
import { FaultyProxy } from "./support/faulty_proxy.mjs";
import { PATIENCE_MS, answered, ask, client, settlement, skip, slow, start, told, world }
  from "./support/opencode_run.mjs";
import { OpencodeServer } from "./support/opencode_server.mjs";

const PROMPT = /^POST \/session\/[^/]+\/prompt_async/;
const REPLY = /^POST \/question\/[^/]+\/reply/;
const STATUS = /^GET \/session\/status/;
const MANY = 1000;

describe("OpenCode whose answers get lost", { skip, timeout: 280_000 }, () => {
  let w;
  let server;
  let proxy;
  const cleanups = [];
  const t = { after: (cleanup) => cleanups.push(cleanup) };
  const drive = (...args) => start(w, ["--url", proxy.url, "--json", ...args], server.variables);
  const times = (said) => w.model.turns.filter(({ prompt, result }) => prompt === said && result === null)
    .length;

  before(async () => {
    w = await world(t);
    server = await OpencodeServer.start(w, client.command[0]);
    proxy = await FaultyProxy.start(t, server.port);
  });
  after(async () => {
    for (const cleanup of cleanups) await cleanup();
  });

  test("each request is lost once or twice, and the run is as without", async () => {
    proxy.fail({ which: PROMPT, how: "500", times: 1 }, { which: PROMPT, how: "cut", times: 1 },
      { which: REPLY, how: "500", times: 2 }, { which: /^GET/, how: "500", times: 2 },
      { which: STATUS, how: "cut", times: 3 }, { which: /^POST \/session\?/, how: "500", times: 1 });
    const run = drive("color shaky");
    await w.broker.answer((await ask(w, "Which color shaky?")).id, [{ selected: ["Blue"] }]);
    const { code, out, errors } = await run.ended;
    assert.equal(code, 0, errors + out);
    assert.equal(w.model.told("color shaky"), answered("shaky", "Blue"));
    assert.equal(JSON.parse(out.trim().split("\n").at(-1)).result, "All done.");
    assert.ok(proxy.count(PROMPT) > 2 && proxy.count(REPLY) > 2, proxy.seen.join("\n"));
  });

  test("taken without an answer: the message and the answer arrive once", async () => {
    proxy.fail({ which: PROMPT, how: "done", times: 1 }, { which: REPLY, how: "done", times: 1 });
    const run = drive("color silent");
    await w.broker.answer((await ask(w, "Which color silent?")).id, [{ selected: ["Red"] }]);
    const { code, out, errors } = await run.ended;
    assert.equal(code, 0, errors + out);
    assert.equal(times("color silent"), 1);
    assert.equal(proxy.count(PROMPT), 1);
    assert.equal(w.model.told("color silent"), answered("silent", "Red"));
    assert.doesNotMatch(out, /did not get this answer/);
  });

  test("a server that takes no message: said, and the message waits for the next run", async () => {
    proxy.fail({ which: PROMPT, how: "500", times: MANY });
    const { code, errors } = await drive("--session", "kept", "Keep this.").ended;
    assert.equal(code, 1);
    assert.match(errors, /does not take the message: a fault of the test; it waits for the next run/);
    proxy.fail();
    const again = await drive("--resume", "kept", "And this.").ended;
    assert.equal(again.code, 0, again.errors);
    const said = w.model.prompts().filter((prompt) => /Keep this\./.test(prompt));
    assert.equal(said.length, 1);
    assert.match(said[0], /Keep this\.\s*And this\./);
  });

  test("a server that does not say whether it works: the run ends, and says so", { skip: slow }, async () => {
    const run = drive("color unsaid");
    const { id } = await ask(w, "Which color unsaid?");
    proxy.fail({ which: STATUS, how: "500", times: MANY });
    await w.broker.answer(id, [{ selected: ["Red"] }]);
    const { code, errors } = await run.ended;
    assert.equal(code, 1);
    assert.match(errors, /does not say how its turn stands: a fault of the test/);
    proxy.fail();
  });

  test("a server that takes no answer: the turn is stopped, and that is said", { skip: slow }, async () => {
    proxy.fail({ which: REPLY, how: "500", times: MANY });
    const run = drive("color refused");
    await w.broker.answer((await ask(w, "Which color refused?")).id, [{ selected: ["Red"] }]);
    const { code, out } = await run.ended;
    assert.equal(code, 130, out);
    assert.match(out, /does not take the answer \(a fault of the test\): its turn is stopped/);
    proxy.fail();
  });

  test("idle told late, in the next turn: what that asks stays open", async () => {
    const run = drive("color late");
    const { id, session } = await ask(w, "Which color late?");
    const { body } = await w.broker.call("GET", `/v1/sessions/${session}/events`);
    const own = /names this session (ses_\w+)/.exec(JSON.stringify(body))[1];
    proxy.fail();
    proxy.tell({ directory: w.project,
      payload: { type: "session.status", properties: { sessionID: own, status: { type: "idle" } } } });
    await until(() => proxy.count(STATUS) >= 2, "both ask whether it works", PATIENCE_MS);
    assert.equal((await server.waiting("question", own)).length, 1);
    await w.broker.answer(id, [{ selected: ["Blue"] }]);
    assert.equal((await run.ended).code, 0);
    assert.equal(w.model.told("color late"), answered("late", "Blue"));
  });

  test("a folder that cannot be read keeps no other from being", { skip: slow }, async () => {
    const folder = join(w.broker.folder, "elsewhere");
    await mkdir(folder);
    await server.prompt("color dark", folder);
    await server.prompt("color light");
    proxy.fail({ which: new RegExp(`^GET /(question|permission).*${encodeURIComponent(folder)}`),
      how: "500", times: 6 });
    const joined = start(w, ["--url", proxy.url], server.variables);
    const { id } = await ask(w, "Which color light?");
    await until(() => joined.errors.includes("cannot be read"), "that is said", PATIENCE_MS);
    assert.match(joined.errors, /what OpenCode asks in \S+elsewhere cannot be read \(a fault/);
    await w.broker.answer(id, [{ selected: ["Blue"] }]);
    assert.equal(await told(w, "color light"), answered("light", "Blue"));
    const dark = await ask(w, "Which color dark?");
    await w.broker.answer(dark.id, [{ selected: ["Red"] }]);
    assert.equal(await told(w, "color dark"), answered("dark", "Red"));
    assert.equal((await settlement(w, dark.id)).outcome, "answered");
    joined.child.kill("SIGINT");
    await joined.ended;
  });
});
