// SPDX-License-Identifier: Apache-2.0
// The bytes of the tRPC door where @trpc/client does not look closely, and where other clients do.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { WebSocket } from "ws";
import { Broker, until } from "../support/broker.mjs";
import { DATABASE, TRANSPORTS, UNKNOWN } from "./support.mjs";

describe("tRPC on the wire", () => {
  let broker;
  const call = async (target, options = {}) => {
    const response = await fetch(`${broker.url}/trpc${target}`, {
      ...options, headers: { authorization: `Bearer ${broker.token}`, ...options.headers } });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text,
             body: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : null };
  };
  const post = (target, body, headers = {}) => call(target, {
    method: "POST", body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers } });
  const input = (value) => `input=${encodeURIComponent(JSON.stringify(value))}`;
  before(async () => { broker = await Broker.start(); });
  after(() => broker.stop());

  test("a query, alone and as a batch", async () => {
    const one = await call(`/message.pending?${input({ sessionId: "s" })}`);
    assert.deepEqual([one.status, one.body], [200, { result: { data: [] } }]);
    assert.equal(one.headers.get("content-type"), "application/json");
    const many = await call(
      `/message.pending,message.pending?batch=1&${input({ 0: { sessionId: "s" } })}`);
    assert.equal(many.status, 207);
    assert.deepEqual(many.body[0], { result: { data: [] } });
    assert.equal(many.body[1].error.data.code, "BAD_REQUEST");
    assert.equal(many.body[1].error.data.path, "message.pending");
    const escaped = await call(`/message.pending%2Cmessage.pending?batch=1&${
      input({ 0: { sessionId: "s" }, 1: { sessionId: "s" } })}`);
    assert.deepEqual([escaped.status, escaped.body.length], [200, 2]);
  });

  test("two answers in one batch: one is taken, 207", async () => {
    const ask = (await broker.call("POST", "/v1/asks",
      { session: "two", questions: [DATABASE] })).body;
    const answer = { sessionId: "two", questionId: ask.id, answers: { q0: "SQLite" } };
    const both = await post("/message.answerAsk,message.answerAsk?batch=1",
      { 0: answer, 1: answer });
    assert.equal(both.status, 207);
    assert.deepEqual(both.body[0], { result: { data: { success: true } } });
    const { error } = both.body[1];
    assert.deepEqual([error.message, error.code, error.data.code, error.data.httpStatus],
      [UNKNOWN, -32009, "CONFLICT", 409]);
  });

  test("the errors of the official server", async () => {
    const cases = [
      [call("/message.nope"), 404, -32004, 'No procedure found on path "message.nope"'],
      [call("/"), 404, -32004, 'No procedure found on path ""'],
      [call("/message.answerAsk"), 405, -32005,
        'Unsupported GET-request to mutation procedure at path "message.answerAsk"'],
      [post("/message.pending", {}), 405, -32005,
        'Unsupported POST-request to query procedure at path "message.pending"'],
      [call("/message.answerAsk", { method: "POST" }), 415, -32015, "Missing content-type header"],
      [post("/message.answerAsk", "x", { "content-type": "text/plain" }), 415, -32015,
        'Unsupported content-type "text/plain'],
      [call("/message.pending?batch=1&input=[]"), 400, -32600,
        '"input" needs to be an object when doing a batch call'],
      [post("/message.pending,message.answerAsk?batch=1", {}), 400, -32600,
        "Cannot mix procedure types in call: query, mutation"],
      [call("/message.streamResponse?batch=1"), 400, -32600, "Cannot batch subscription calls"],
      [call("/message.pending", { headers: { "trpc-accept": "application/jsonl" } }), 400, -32600,
        "Streaming requests must be batched (you can do a batch of 1)"],
      [call("/message.pending?connectionParams=[1]"), 400, -32700,
        "Invalid connection params shape"],
      [call("/message.pending?connectionParams=x"), 400, -32700, "Not JSON-parsable query params"],
    ];
    for (const [answer, status, code, message] of cases) {
      const { status: given, body } = await answer;
      const { error } = Array.isArray(body) ? body[0] : body;
      assert.deepEqual([given, error.code, error.message], [status, code, message]);
      assert.equal(error.data.stack, undefined);
    }
    assert.equal((await call("/message.answerAsk")).headers.get("allow"), "POST");
    const broken = await post("/message.answerAsk", "{");
    assert.deepEqual([broken.status, broken.body.error.data.path], [400, "message.answerAsk"]);
    assert.equal((await call("/message.pending", { method: "HEAD" })).status, 204);
    const large = await post("/message.answerAsk", "x".repeat(5 * 1024 * 1024));
    assert.deepEqual([large.status, large.body.error.data.code], [413, "PAYLOAD_TOO_LARGE"]);
  });

  test("a doubled content type is one", async () => {
    const answer = await post("/message.abort", { sessionId: "nobody" },
      { "content-type": "application/json, application/json" });
    assert.deepEqual([answer.status, answer.body.error.data.code], [404, "NOT_FOUND"]);
  });

  test("no token, and a role that is not enough", async () => {
    const none = await fetch(`${broker.url}/trpc/message.pending`);
    assert.equal(none.status, 401);
    assert.equal((await none.json()).error.data.code, "UNAUTHORIZED");
    const secret = await broker.newToken("bot", "agent");
    const agent = { authorization: `Bearer ${secret}` };
    const denied = await post("/message.answerAsk",
      { sessionId: "s", questionId: "q", answers: { q0: "x" } }, agent);
    assert.deepEqual([denied.status, denied.body.error.data.code], [403, "FORBIDDEN"]);
    const { client } = TRANSPORTS["sse and single calls"](broker, secret);
    await assert.rejects(new Promise((resolve, reject) => {
      client.message.streamResponse.subscribe({ sessionId: "s", userMessage: "Hi" },
        { onData: resolve, onError: reject });
    }), (error) => error.data.code === "FORBIDDEN");
  });

  test("a preflight is answered for allowed origins only", async () => {
    const headers = { "access-control-request-method": "POST",
                      "access-control-request-headers": "content-type,trpc-accept" };
    const own = await call("/message.pending", { method: "OPTIONS",
      headers: { ...headers, origin: broker.url } });
    assert.equal(own.status, 204);
    assert.equal(own.headers.get("access-control-allow-origin"), broker.url);
    assert.equal(own.headers.get("access-control-allow-headers"), "content-type,trpc-accept");
    const other = await call("/message.pending", { headers: { origin: "http://evil.example" } });
    assert.deepEqual([other.status, other.body.error.data.code], [403, "FORBIDDEN"]);
  });

  test("JSON lines come as each call is done", async () => {
    const ask = { sessionId: "lines", questions: [DATABASE] };
    const response = await fetch(`${broker.url}/trpc/message.ask,message.ask?batch=1`, {
      method: "POST", body: JSON.stringify({ 0: ask, 1: { ...ask, questions: [] } }),
      headers: { authorization: `Bearer ${broker.token}`, "content-type": "application/json",
                 "trpc-accept": "application/jsonl" } });
    assert.equal(response.status, 200);
    let text = "";
    const reading = (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of response.body) text += decoder.decode(chunk, { stream: true });
    })();
    await until(() => text.split("\n").length === 3, "the head and the refusal");
    const [head, refused] = text.split("\n").map((line) => line && JSON.parse(line));
    assert.deepEqual(head, { 0: [[0], [null, 0, 0]], 1: [[0], [null, 0, 1]] });
    assert.deepEqual([refused[0], refused[1]], [1, 0]);
    assert.equal(refused[2][0][0].error.data.code, "BAD_REQUEST");
    const [pending] = await broker.pending(1, "lines");
    await broker.answer(pending.id, [{ selected: ["SQLite"] }]);
    await reading;
    const last = JSON.parse(text.trimEnd().split("\n").at(-1));
    assert.deepEqual(last, [0, 0, [[{ result: { data: {
      questionId: pending.id, answers: { "Which database?": "SQLite" } } } }]]]);
  });

  test("frames of a socket", async () => {
    const socket = new WebSocket(`${broker.url.replace("http", "ws")}/trpc`,
      { headers: { authorization: `Bearer ${broker.token}` } });
    const frames = [];
    socket.on("message", (data) => frames.push(String(data)));
    const next = async (count) => {
      await until(() => frames.length >= count, `${count} frames of ${frames}`);
      return frames[count - 1].startsWith("{") ? JSON.parse(frames[count - 1]) : frames[count - 1];
    };
    await new Promise((resolve) => socket.on("open", resolve));
    socket.send("PING");
    assert.equal(await next(1), "PONG");
    socket.send("{");
    const broken = await next(2);
    assert.deepEqual([broken.id, broken.error.code], [null, -32700]);
    socket.send(JSON.stringify({ id: 1, method: "subscription",
      params: { path: "message.nope" } }));
    assert.equal((await next(3)).error.message,
      'No "subscription"-procedure on path "message.nope"');
    socket.send(JSON.stringify({ id: 4, method: "subscription",
      params: { path: "message.streamResponse", input: { sessionId: "frames" } } }));
    assert.deepEqual(await next(4), { id: 4, result: { type: "started" } });
    socket.send(JSON.stringify([
      { id: 4, method: "subscription", params: { path: "message.streamResponse", input: {} } },
      { id: 5, method: "query", params: { path: "message.pending",
        input: { sessionId: "frames" } } }]));
    assert.equal((await next(5)).error.message, "Duplicate id 4");
    assert.deepEqual(await next(6), { id: 5, result: { type: "data", data: [] } });
    socket.send(JSON.stringify({ id: 4, method: "subscription.stop" }));
    assert.deepEqual(await next(7), { id: 4, result: { type: "stopped" } });
    const closed = new Promise((resolve) => socket.on("close", resolve));
    await broker.kill("SIGTERM");
    assert.deepEqual(await next(8), { id: null, method: "reconnect" });
    await closed;
    await broker.restart();
  });

  test("a socket without a token is refused at the upgrade", async () => {
    const socket = new WebSocket(`${broker.url.replace("http", "ws")}/trpc`);
    const error = await new Promise((resolve) => socket.on("error", resolve));
    assert.match(error.message, /401/);
  });
});
