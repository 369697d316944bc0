// SPDX-License-Identifier: Apache-2.0
// `parley run llm`: a model behind an API as a session of the broker.
import assert from "node:assert/strict";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { until } from "../support/broker.mjs";
import { Model } from "./support/model.mjs";
import { KEY, World, ask, question } from "./support/world.mjs";

const APIS = ["anthropic", "openai"];
const blue = [{ selected: ["Blue"] }];

// Asks once, and is done when it knows.
const asking = (reply = {}) => ({ results }) => (results.length === 0
  ? { text: "Let me ask. ", calls: [ask("c_0", question("Which colour?"))], ...reply }
  : { text: `So: ${results[0].result}` });

for (const api of APIS) {
  test(`${api}: asked, answered, told; one byte at a time`, async (t) => {
    const w = await World.start(t, api, asking({ piece: 1 }));
    const run = w.run("--system", "Be brief", "--session", "s", "Paint it", "--json");
    const asked = await w.asked();
    assert.equal(asked.questions[0].question, "Which colour?");
    assert.equal(asked.tool.call_id, "c_0");
    await w.broker.answer(asked.id, blue);
    const ended = await run.ended;
    assert.equal(ended.code, 0, ended.errors);
    const last = JSON.parse(ended.output.trim().split("\n").at(-1));
    assert.match(last.result, /^So: User has answered your questions: "Which colour\?"="Blue"/);
    assert.deepEqual(last.usage, { input_tokens: 200, cached_tokens: 170, output_tokens: 40 });
    const first = w.model.requests[0];
    assert.equal(first.headers[api === "anthropic" ? "x-api-key" : "authorization"],
      api === "anthropic" ? KEY : `Bearer ${KEY}`);
    assert.equal(api === "anthropic" ? first.body.system : first.body.messages[0].content, "Be brief");
    const tools = first.body.tools.map((tool) => tool.name ?? tool.function.name);
    assert.deepEqual(tools, ["AskUserQuestion", "wait_answer"]);
    assert.deepEqual(w.last.said.map((one) => Object.keys(one)[0]), ["user", "model", "call", "call"]);
    assert.deepEqual((await w.parts("s")).map(({ type }) => type),
      ["text-end", "tool-input-available", "tool-output", "text-end", "finish"]);
  });

  test(`${api}: several calls at once, all answered in their order; faults and unknown tools told back`,
    async (t) => {
      const w = await World.start(t, api, ({ results }) => (results.length === 0 ? { calls: [
        ask("c_0", question("One?")),
        ask("c_1", { questions: [{ question: "", header: "h", options: [], multiSelect: 3 }] }),
        ask("c_2", question("Two?")), { id: "c_3", name: "rm", input: {} }] } : { text: "Done." }));
      const run = w.run("go");
      const asks = await w.asked(2);
      await w.broker.answer(asks.find(({ questions }) => questions[0].question === "Two?").id,
        [{ selected: ["Green"] }]);
      await w.broker.answer(asks.find(({ questions }) => questions[0].question === "One?").id, blue);
      const ended = await run.ended;
      assert.equal(ended.code, 0, ended.errors);
      assert.deepEqual(w.last.results.map(({ call }) => call), ["c_0", "c_1", "c_2", "c_3"]);
      const [one, bad, two, unknown] = w.last.results.map(({ result }) => result);
      assert.match(one, /"One\?"="Blue"/);
      assert.match(two, /"Two\?"="Green"/);
      for (const fault of ["/questions/0/question", "/questions/0/options", "/questions/0/multiSelect"])
        assert.ok(bad.includes(fault), bad);
      assert.match(unknown, /There is no tool "rm"\. Your tools are AskUserQuestion and wait_answer/);
      assert.equal((await w.broker.call("GET", "/v1/asks")).body.asks.length, 2, "no ask for bad input");
    });
}

for (const api of APIS)
  test(`${api}: a reply that is cut in the middle of a call is told so, and not paid for again and again`,
    async (t) => {
      const input = '{"questions":[{"question":"Whi';
      const w = await World.start(t, api, ({ users }) => (users.length > 1 ? { text: "Shorter." }
        : { calls: [{ ...ask("", {}), input }], stop: api === "anthropic" ? "max_tokens" : "length" }));
      const ended = await w.run("--session", "s", "go").ended;
      assert.equal(ended.code, 1);
      assert.match(ended.errors, /cut at --max-tokens in the middle of a call, 2 times in a row/);
      assert.equal(w.model.requests.length, 2);
      assert.match(w.last.results[0].result, /your reply reached the limit of its length/);
      const next = await w.run("--resume", "s", "be brief").ended;
      assert.match(next.output, /Shorter\./);
    });

test("dismissed, timed out and withdrawn are told in words of their own", async (t) => {
  const w = await World.start(t, "anthropic", asking());
  const dismissed = w.run("go");
  await w.broker.call("POST", `/v1/asks/${(await w.asked()).id}/dismiss`, { reason: "ask Grace" });
  assert.match((await dismissed.ended).output,
    /So: The user dismissed your questions without answering them\. Reason: "ask Grace"/);
  const late = await w.run("--timeout", "100ms", "go").ended;
  assert.match(late.output, /So: Nobody answered your questions before their deadline/);
  const withdrawn = w.run("go");
  await w.broker.call("POST", `/v1/asks/${(await w.asked()).id}/withdraw`, { reason: "never mind" });
  assert.match((await withdrawn.ended).output,
    /So: Your questions were withdrawn before anyone answered them\. Reason: "never mind"/);
});

test("a question that does not block: the model goes on, and the answer is its next message", async (t) => {
  const w = await World.start(t, "openai", ({ users, results }) => {
    if (users.length > 1) return { text: `Late: ${users.at(-1)}` };
    return results.length === 0
      ? { calls: [ask("c_0", { ...question("Which colour?"), blocking: false })] } : { text: "Meanwhile." };
  });
  const run = w.spawn("run", "llm", ...w.modelOptions, "--session", "s", "--json");
  run.child.stdin.end();
  await w.broker.call("POST", "/v1/sessions/s/messages", { text: "go" });
  const asked = await w.asked();
  await until(() => run.output.includes("Meanwhile."), "the model goes on");
  const pending = JSON.parse(w.last.results[0].result);
  assert.equal(pending.status, "pending");
  assert.equal(pending.ask_id, asked.id);
  await w.broker.answer(asked.id, blue);
  await until(() => run.output.includes("Late: "), "the model is told");
  assert.match(w.last.users.at(-1), new RegExp(`asked earlier \\(${asked.id}\\).*"Which colour\\?"="Blue"`));
  run.child.kill("SIGTERM");
  assert.equal((await run.ended).code, 130);
});

test("wait_answer waits for it; of what nobody asked it says so", async (t) => {
  const w = await World.start(t, "anthropic", ({ results }) => {
    const wait = (id, ask_id) => ({ calls: [{ id, name: "wait_answer", input: { ask_id } }] });
    if (results.length === 0)
      return { calls: [ask("c_0", { ...question("Which colour?"), blocking: false })] };
    if (results.length === 1) return wait("c_1", "que_01jd2m6x9k0000000000000001");
    if (results.length === 2) return wait("c_2", JSON.parse(results[0].result).ask_id);
    return { text: "Done." };
  });
  const run = w.run("go");
  const asked = await w.asked();
  await until(() => w.model.requests.length === 3, "it waits");
  await w.broker.answer(asked.id, blue);
  assert.equal((await run.ended).code, 0);
  assert.match(w.last.results[1].result, /You have asked nothing with the ask_id que_01jd2m6x9k/);
  assert.match(w.last.results[2].result, /"Which colour\?"="Blue"/);
  assert.equal(w.last.users.length, 1, "and it is told once");
});

for (const api of APIS)
  test(`${api}: asked again after 429, overload, an error in the stream and a lost connection`, async (t) => {
    const troubles = [
      { status: 429, headers: { "retry-after": "0" }, error: { type: "rate_limit_error", message: "slow down" } },
      { status: 529, headers: { "retry-after": "0" }, error: { type: "overloaded_error", message: "Overloaded" } },
      { text: "Half of this", event: { type: "overloaded_error", message: "Overloaded again" } },
      { text: "Half of that", cutAt: 0.5 }];
    const w = await World.start(t, api, (_, number) => troubles[number - 1] ?? { text: "The whole." });
    const run = w.run("--session", "s", "go");
    const ended = await run.ended;
    assert.equal(ended.code, 0, ended.errors);
    assert.equal(w.model.requests.length, 5);
    for (const words of ["429 slow down", "529 Overloaded", "Overloaded again", `${w.model.url}: `, "try 5 of 8"])
      assert.ok(ended.errors.includes(words), ended.errors);
    assert.deepEqual(await w.words("s"), ["The whole."], "nothing twice");
    const notices = (await w.log("s")).filter(({ type }) => type === "notice").length;
    assert.equal(notices, 4);
  });

test("what asking again does not mend is said, with a fix and without the key", async (t) => {
  let reply;
  const w = await World.start(t, "anthropic", () => reply);
  const fails = async (next, ...args) => {
    reply = next;
    const before = w.model.requests.length;
    const { code, errors } = await w.run(...args, "go").ended;
    assert.equal(code, 1, errors);
    assert.equal(w.model.requests.length, before + 1, "asked once");
    assert.ok(!errors.includes(KEY), errors);
    return errors;
  };
  const denied = { status: 401, error: { type: "authentication_error", message: "invalid x-api-key" } };
  assert.match(await fails(denied), /401 invalid x-api-key; the key of ANTHROPIC_API_KEY was sent/);
  const file = join(w.broker.folder, "key");
  await writeFile(file, "other\n");
  assert.match(await fails(denied, "--key-file", file), new RegExp(`the key of ${file} was sent`));
  assert.equal(w.last.headers["x-api-key"], "other");
  assert.match(await fails({ status: 404, error: { message: "model: stand-in" } }), /--model, --base-url/);
  assert.match(await fails({ status: 400, error: { message: "prompt is too long: 3 > 2" } }), /smaller --context/);
  assert.match(await fails({ status: 429, headers: { "retry-after": "86400" }, error: { message: "later" } }),
    /wants to be asked again in 1 d, which is too long/);
  assert.match(await fails({ text: "x", event: { type: "invalid_request_error", message: "bad" } }), /bad/);
});

test("a server that refuses to be asked for counts, leaves out ids and ends without a word", async (t) => {
  const w = await World.start(t, "openai", ({ body, results }) => {
    if (body.stream_options) return { status: 400, error: "unknown field stream_options" };
    const lacks = ["ids", "usage", "done"];
    return results.length < 2 ? { text: "?", calls: [ask("", question(`Number ${results.length}?`))], lacks }
      : { text: "Done.", lacks };
  });
  const run = w.run("go");
  for (const number of [0, 1]) {
    const asked = await until(async () => (await w.broker.call("GET", "/v1/asks?state=pending")).body.asks
      .find(({ questions }) => questions[0].question === `Number ${number}?`), "asked");
    await w.broker.answer(asked.id, blue);
  }
  const ended = await run.ended;
  assert.equal(ended.code, 0, ended.errors);
  assert.deepEqual(w.last.results.map(({ call }) => call), ["call_0_0", "call_1_0"]);
});

test("a thought goes back with its signature", async (t) => {
  const w = await World.start(t, "anthropic", asking({ thought: "Colours matter.", signature: "s9" }));
  const run = w.run("go");
  await w.broker.answer((await w.asked()).id, blue);
  assert.equal((await run.ended).code, 0);
  assert.deepEqual(w.last.said[1], { thought: "Colours matter.", signature: "s9" });
  assert.doesNotMatch((await run.ended).output, /Colours matter/);
});

test("a long conversation is sent without its oldest turns, and never half of one", async (t) => {
  const w = await World.start(t, "anthropic", ({ users }) => ({ text: `Reply to ${users.at(-1).slice(0, 9)}.` }));
  const session = ["run", "llm", ...w.modelOptions, "--session", "s", "--context", "3k"];
  assert.equal((await w.spawn(...session, `message 0 ${"x".repeat(2000)}`).ended).code, 0);
  let errors = "";
  for (let i = 1; i < 6; ++i) {
    const ended = await w.spawn("run", "llm", "--resume", "s", `message ${i} ${"x".repeat(2000)}`).ended;
    assert.equal(ended.code, 0, ended.errors);
    errors += ended.errors;
  }
  assert.match(errors, /is sent the conversation without .* earlier repl/);
  assert.match(w.last.users[0], /^message 0/);
  assert.match(w.last.users[1], /left out here/);
  assert.match(w.last.users.at(-1), /^message 5/);
  assert.ok(w.last.users.length < 6);
});

test("stopped: what is open is withdrawn, and the next message goes on", async (t) => {
  const w = await World.start(t, "anthropic", ({ users, results }) => (users.length > 1
    ? { text: `Then: ${results[0].result}` } : asking()({ results })));
  const run = w.run("--session", "s", "go");
  const asked = await w.asked();
  await w.broker.call("POST", "/v1/sessions/s/abort");
  assert.equal((await w.settled(asked.id)).state, "withdrawn");
  assert.equal((await run.ended).code, 130);
  const next = await w.spawn("run", "llm", "--resume", "s", "go on").ended;
  assert.match(next.output, /Then: The user stopped this turn before anyone answered your questions/);
  assert.equal(w.model.requests.length, 2, "not asked before there was a new message");
});

test("the key is nowhere but in the request; wrong usage is named", async (t) => {
  const w = await World.start(t, "openai", () => ({ text: "Hello." }));
  const { code, output, errors } = await w.run("--session", "s", "go").ended;
  assert.equal(code, 0, errors);
  const folder = join(w.broker.folder, "state/parley/llm");
  const kept = await readFile(join(folder, "s.jsonl"), "utf8");
  const store = await readFile(join(w.broker.folder, "parley.db"), "latin1");
  for (const text of [output, errors, kept, store]) assert.ok(!text.includes(KEY));
  const refused = async (...args) => {
    const ended = await w.spawn("run", "llm", ...args).ended;
    assert.equal(ended.code, 2, ended.errors);
    return ended.errors;
  };
  assert.match(await refused("go"), /--api is missing/);
  assert.match(await refused("--api", "openai", "go"), /--model is missing/);
  assert.match(await refused("--resume", "nobody", "go"), /give the name that the session was begun with/);
  assert.match(await refused(...w.modelOptions, "--session", "s", "go"), /go on with it by --resume s/);
  assert.match(await refused(...w.modelOptions, "--context", "much", "go"), /such as 32000 or 32k/);
  assert.match(await refused("--api", "openai", "--model", "m", "--base-url", "http://192.0.2.1/v1",
    "--key-file", join(folder, "s.jsonl"), "go"), /not sent unencrypted to another machine/);
  assert.deepEqual(await readdir(folder), ["s.jsonl"], "nothing is left of what was refused");
});

test("a broker that is killed while the model speaks, and while it waits, makes no difference", async (t) => {
  let w;
  const restart = async () => {
    await w.broker.kill();
    await w.broker.restart();
  };
  let isFirst = true;
  w = await World.start(t, "anthropic", ({ results }) => (results.length === 0
    ? { text: "Let me ask you something. ", calls: [ask("c_0", question("Which colour?"))], piece: 400,
      after: async () => { if (isFirst) { isFirst = false; await restart(); w.isBack = true; } } }
    : { text: "Done." }));
  const run = w.run("--session", "s", "go");
  await until(() => w.isBack, "the broker is back");
  const asked = await w.asked();
  await until(async () => (await w.words("s")).length === 1, "what was said has arrived");
  await restart();
  await w.broker.answer(asked.id, blue);
  const ended = await run.ended;
  assert.equal(ended.code, 0, ended.errors);
  // What the broker wrote and died before saying so is told it again.
  assert.deepEqual([...new Set(await w.words("s"))], ["Let me ask you something. ", "Done."]);
  assert.match(w.last.results[0].result, /="Blue"/);
});

test("two processes do not run one session", async (t) => {
  const w = await World.start(t, "openai", asking());
  const run = w.run("--session", "s", "go");
  await w.asked();
  const second = await w.spawn("run", "llm", "--resume", "s").ended;
  assert.equal(second.code, 2);
  assert.match(second.errors, /being run by another process already/);
  run.child.kill("SIGTERM");
  await run.ended;
  assert.equal((await w.asked()).state, "pending", "ending the run leaves the question open");
});

test("over TLS: streamed as without; a certificate that nobody vouches for is refused", async (t) => {
  const certificates = new URL("../../app/certificates/", import.meta.url);
  const read = (name) => readFile(new URL(name, certificates));
  const w = await World.start(t, "anthropic", () => ({}));
  const model = await Model.start(() => ({ text: "Hello by TLS.", piece: 7 }),
    { key: await read("server.key"), cert: await read("server.pem") });
  t.after(() => model.stop());
  w.more = { SSL_CERT_FILE: fileURLToPath(new URL("authority.pem", certificates)) };
  const options = ["run", "llm", "--api", "anthropic", "--base-url", model.url, "--model", "m", "go"];
  const trusted = await w.spawn(...options).ended;
  assert.equal(trusted.code, 0, trusted.errors);
  assert.match(trusted.output, /Hello by TLS\./);
  w.more = {};
  const run = w.spawn(...options);
  await until(() => /certificate/.test(run.errors), "it says why");
  assert.equal(model.requests.length, 1);
});
