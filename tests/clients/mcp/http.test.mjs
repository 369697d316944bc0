// SPDX-License-Identifier: Apache-2.0
// The transport itself, without a client between: sessions, streams that are lost and resumed, who
// may reach it.
import assert from "node:assert/strict";
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
  const made = (await broker.call("POST", "/v1/tokens", { name: "bot", role: "agent" })).body;
  const authorization = `Bearer ${made.token}`;
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
