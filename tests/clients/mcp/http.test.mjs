// SPDX-License-Identifier: Apache-2.0
// The transport itself, without a client between: sessions, streams that are lost and resumed, who
// may reach it.
import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { after, before, test } from "node:test";
import { Broker, until } from "../support/broker.mjs";

const ASK = {
  name: "ask_user",
  arguments: {
    questions: [{
      question: "Tea or coffee?", header: "Drink", multiSelect: false,
      options: [{ label: "Tea", description: "" }, { label: "Coffee", description: "" }],
    }],
  },
};

let broker;
before(async () => { broker = await Broker.start(); });
after(() => broker.stop());

function send(method, { body, headers = {}, signal } = {}) {
  return fetch(`${broker.url}/mcp`, {
    method, signal,
    headers: {
      authorization: `Bearer ${broker.token}`, "content-type": "application/json",
      accept: "application/json, text/event-stream", ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
}

const META = { "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {} };
const modern = (method, name) => ({ "mcp-protocol-version": "2026-07-28", "mcp-method": method,
  ...(name && { "mcp-name": name }) });
const request = (id, method, params = {}) => ({ jsonrpc: "2.0", id, method, params });

async function initialize(protocolVersion = "2025-11-25") {
  const response = await send("POST", { body: request(1, "initialize", {
    protocolVersion, capabilities: {}, clientInfo: { name: "raw", version: "1" },
  }) });
  assert.equal(response.status, 200);
  assert.equal((await response.json()).result.protocolVersion, protocolVersion);
  return { "mcp-session-id": response.headers.get("mcp-session-id"),
    "mcp-protocol-version": protocolVersion };
}

// The events of a stream, as they come: {id, data}.
async function* events(response) {
  let text = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    let end;
    while ((end = text.indexOf("\n\n")) >= 0) {
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const field = (name) => lines.find((line) => line.startsWith(name))?.slice(name.length).trim();
      if (field("data:") !== undefined) yield { id: field("id:"), data: field("data:") };
    }
  }
}

test("a stream that is lost is resumed, and the answer is on it", async () => {
  const headers = await initialize();
  const lost = new AbortController();
  const response = await send("POST", { body: request(2, "tools/call", ASK), headers,
    signal: lost.signal });
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  const first = (await events(response).next()).value;
  assert.match(first.id, /_0$/);
  assert.equal(first.data, "");
  const [pending] = await broker.pending();
  lost.abort();
  await broker.answer(pending.id, [{ selected: ["Tea"] }]);
  const resumed = await send("GET", { headers: { ...headers, "last-event-id": first.id } });
  assert.equal(resumed.status, 200);
  const messages = [];
  for await (const event of events(resumed)) if (event.data) messages.push(JSON.parse(event.data));
  assert.equal(messages.at(-1).id, 2);
  assert.equal(messages.at(-1).result.structuredContent.status, "answered");
});

test("a stream that is resumed holds its own events only", async () => {
  const headers = await initialize();
  const both = [];
  for (const id of [2, 3]) {
    const lost = new AbortController();
    const response = await send("POST", { body: request(id, "tools/call", ASK), headers,
      signal: lost.signal });
    both.push((await events(response).next()).value.id);
    lost.abort();
  }
  for (const { id } of await broker.pending(2)) await broker.answer(id, [{ selected: ["Tea"] }]);
  const resumed = await send("GET", { headers: { ...headers, "last-event-id": both[1] } });
  const ids = [];
  for await (const { data } of events(resumed)) if (data) ids.push(JSON.parse(data).id);
  assert.deepEqual(ids, [3]);
});

test("every version is served, each in its own way", async () => {
  for (const version of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
    const headers = await initialize(version);
    const listed = await (await send("POST", { body: request(2, "tools/list"), headers })).json();
    assert.equal(listed.result.tools.length, 3);
    // Only the last of them may run a tool as a task.
    assert.equal("execution" in listed.result.tools[0], version === "2025-11-25");
  }
  const body = request(1, "server/discover", { _meta: META });
  const found = await send("POST", { body, headers: modern("server/discover") });
  assert.deepEqual((await found.json()).result.supportedVersions, ["2026-07-28"]);
  const unknown = { ...META, "io.modelcontextprotocol/protocolVersion": "2027-01-01" };
  const refused = await send("POST", { body: request(1, "tools/list", { _meta: unknown }),
    headers: { ...modern("tools/list"), "mcp-protocol-version": "2027-01-01" } });
  assert.equal(refused.status, 400);
  assert.equal((await refused.json()).error.code, -32022);
});

test("a task's end is told to whom listens for it", async () => {
  const tasks = { ...META, "io.modelcontextprotocol/clientCapabilities":
    { extensions: { "io.modelcontextprotocol/tasks": {} } } };
  const made = await send("POST", { headers: modern("tools/call", "ask_user"),
    body: request(1, "tools/call", { ...ASK, _meta: tasks }) });
  let task;
  for await (const { data } of events(made)) task = JSON.parse(data).result;
  assert.equal(task.resultType, "task");
  const listening = await send("POST", { headers: modern("subscriptions/listen"),
    body: request("l", "subscriptions/listen",
      { notifications: { taskIds: [task.taskId] }, _meta: tasks }) });
  const heard = events(listening);
  const first = JSON.parse((await heard.next()).value.data);
  assert.equal(first.method, "notifications/subscriptions/acknowledged");
  assert.deepEqual(first.params.notifications, { taskIds: [task.taskId] });
  await broker.answer(task.taskId, [{ selected: ["Tea"] }]);
  const told = JSON.parse((await heard.next()).value.data);
  assert.equal(told.method, "notifications/tasks");
  assert.equal(told.params.status, "completed");
  assert.equal(told.params.result.structuredContent.status, "answered");
  assert.equal(told.params._meta["io.modelcontextprotocol/subscriptionId"], "l");
  await heard.return();
});

test("a page of another host cannot reach it", async () => {
  for (const [host, expected] of [["evil.example", 403], [`127.0.0.1:${broker.port}`, 400]]) {
    const { status } = await new Promise((resolve, reject) => {
      const sent = httpRequest({ port: broker.port, path: "/mcp", method: "POST",
        headers: { host, authorization: `Bearer ${broker.token}`,
          "content-type": "application/json", "content-length": 2,
          accept: "application/json, text/event-stream" } },
      (response) => { response.resume(); resolve({ status: response.statusCode }); });
      sent.on("error", reject);
      sent.end("{}");
    });
    assert.equal(status, expected);
  }
});

test("a client of 2025-06-18 is sent no empty event", async () => {
  const headers = await initialize("2025-06-18");
  const response = await send("POST", { body: request(2, "tools/call", ASK), headers });
  const [pending] = await broker.pending();
  await broker.answer(pending.id, [{ selected: ["Tea"] }]);
  for await (const event of events(response)) assert.notEqual(event.data, "");
});

test("a session ends, and takes its question with it", async () => {
  const headers = await initialize();
  const response = await send("POST", { body: request(2, "tools/call", ASK), headers });
  const [pending] = await broker.pending();
  assert.equal((await send("DELETE", { headers })).status, 204);
  await until(async () =>
    (await broker.call("GET", `/v1/asks/${pending.id}`)).body.state === "withdrawn", "withdrawn");
  for await (const event of events(response)) assert.doesNotMatch(event.data, /result/);
  const after = await send("POST", { body: request(3, "ping"), headers });
  assert.equal(after.status, 404);
});

test("what is wrong with a request is said as the transport has it", async () => {
  const headers = await initialize();
  const status = async (options) => (await send("POST", options)).status;
  const body = request(2, "ping");
  assert.equal(await status({ body, headers }), 200);
  assert.equal(await status({ body, headers: { ...headers, accept: "application/json" } }), 406);
  assert.equal(await status({ body, headers: { ...headers, "content-type": "text/plain" } }), 415);
  assert.equal(await status({ body }), 400); // no session
  assert.equal(await status({ body, headers: { "mcp-session-id": "nothing" } }), 404);
  assert.equal(await status({ body: [body], headers }), 400);
  assert.equal(await status({ body, headers: { ...headers, "mcp-protocol-version": "1" } }), 400);
  assert.equal(await status({ body: { jsonrpc: "2.0", method: "notifications/initialized" },
    headers }), 202);
  assert.equal(await status({ body, headers: { ...headers, origin: "http://evil.example" } }), 403);
  assert.equal(await status({ body, headers: { ...headers, authorization: "Bearer no" } }), 401);
});

test("an agent's token asks, sees its own asks only, and is shown no form", async () => {
  const authorization = `Bearer ${await broker.newToken("bot", "agent")}`;
  const response = await send("POST", { headers: { authorization }, body: request(1, "initialize", {
    protocolVersion: "2025-11-25", capabilities: { elicitation: { form: {} } },
    clientInfo: { name: "bot", version: "1" },
  }) });
  const headers = { authorization, "mcp-session-id": response.headers.get("mcp-session-id") };
  const stream = await send("POST", { headers, body: request(2, "tools/call", ASK) });
  const [pending] = await broker.pending();
  await broker.answer(pending.id, [{ selected: ["Tea"] }]);
  for await (const event of events(stream)) assert.doesNotMatch(event.data, /elicitation/);
  const other = (await broker.call("POST", "/v1/asks", ASK.arguments)).body;
  const refused = await send("POST", { headers, body: request(3, "tools/call", {
    name: "wait_answer", arguments: { ask_id: other.id },
  }) });
  let last;
  for await (const event of events(refused)) if (event.data) last = JSON.parse(event.data);
  assert.equal(last.result.isError, true);
  await broker.call("POST", `/v1/asks/${other.id}/withdraw`, {});
});
