// SPDX-License-Identifier: Apache-2.0
// Sessions, their messages, prompts and permissions through OpenCode's SDK.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Broker, until } from "../support/broker.mjs";
import { ask, COLOR, Events, raw, sdk } from "./support.mjs";

const PERMISSION = {
  question: "Run `rm -rf build`?", header: "bash", custom: false,
  options: ["Allow once", "Allow for this session", "Deny"],
};

let broker;
before(async () => { broker = await Broker.start(); });
after(() => broker.stop());

const push = (session, items) => broker.call("POST", `/v1/sessions/${session}/events`, items);
const listed = (id) => until(async () =>
  (await sdk(broker).question.list()).data.find((question) => question.id === id), "the question");

test("sessions are created, listed, read, and deleted", async () => {
  const client = sdk(broker);
  const { data: made } = await client.session.create({ title: "Colours" });
  assert.match(made.id, /^ses_/);
  assert.equal(made.title, "Colours");
  assert.ok(made.time.created > 0);
  const { data: child } = await client.session.create({ parentID: made.id });
  assert.equal(child.parentID, made.id);
  const { data: list } = await client.session.list();
  assert.deepEqual(list.slice(0, 2).map(({ id }) => id), [child.id, made.id]);
  const { data: children } = await client.session.children({ sessionID: made.id });
  assert.deepEqual(children.map(({ id }) => id), [child.id]);
  assert.deepEqual((await client.session.get({ sessionID: made.id })).data, made);
  assert.equal((await client.session.list({ limit: 1 })).data.length, 1);
  const roots = (await client.session.list({ roots: true, search: "olour" })).data;
  assert.deepEqual(roots.map(({ id }) => id), [made.id]);
  assert.equal((await raw(broker, "GET", "/session?limit=x")).status, 400);
  const elsewhere = sdk(broker, { directory: "/tmp/elsewhere" });
  await elsewhere.session.create({ title: "there" });
  const everywhere = await raw(broker, "GET", "/experimental/session?directory=/tmp/none");
  assert.ok(everywhere.body.some(({ directory }) => directory === "/tmp/elsewhere"));
  assert.equal((await client.session.delete({ sessionID: child.id })).data, true);
  assert.equal((await client.session.abort({ sessionID: child.id })).response.status, 404);
  const missing = await client.session.get({ sessionID: "ses_00000000000000000000000000" });
  assert.equal(missing.error.name, "NotFoundError");
});

test("a session is renamed, and those who watch are told", async () => {
  const { data: session } = await sdk(broker).session.create({ title: "Old" });
  const stream = await Events.open(broker);
  const { data: renamed } = await sdk(broker).session.update({ sessionID: session.id, title: "New" });
  assert.equal(renamed.title, "New");
  const told = await stream.find("session.updated", ({ info }) => info.id === session.id);
  assert.equal(told.properties.info.title, "New");
  stream.close();
  assert.equal((await sdk(broker).session.get({ sessionID: session.id })).data.title, "New");
  const path = `/session/${session.id}`;
  assert.equal((await raw(broker, "PATCH", path, '{"time":{}}')).body.title, "New");
  assert.equal((await raw(broker, "PATCH", path, '{"title":7}')).status, 400);
  assert.equal((await raw(broker, "PATCH", "/session/ses_x", '{"title":"x"}')).status, 404);
});

test("a tool's input is told as it grows", async () => {
  const { data: session } = await sdk(broker).session.create({});
  const stream = await Events.open(broker);
  // Where it is watched: elsewhere it is told when it is whole.
  await broker.peer.call("POST", `/v1/sessions/${session.id}/events`, [
    { type: "tool-input-start", call_id: "c1", tool: "read" },
    { type: "tool-input-delta", call_id: "c1", text: '{"path":' },
    { type: "tool-input-delta", call_id: "c1", text: '"a"}' },
    { type: "tool-input-available", call_id: "c1", tool: "read", input: { path: "a" } },
  ]);
  await stream.find("message.part.updated", ({ part }) => part.state?.status === "running");
  const deltas = stream.events.map(({ data }) => data)
    .filter(({ type }) => type === "message.part.delta").map(({ properties }) => properties);
  assert.deepEqual(deltas.map(({ field, delta }) => [field, delta]),
                   [["raw", '{"path":'], ["raw", '"a"}']]);
  stream.close();
});

test("a file in a prompt is told to the agent by its name", async () => {
  const { data: session } = await sdk(broker).session.create({});
  const parts = [{ type: "text", text: "Look" },
    { type: "file", mime: "image/png", filename: "wall.png", url: "data:image/png;base64,AA==" }];
  await sdk(broker).session.promptAsync({ sessionID: session.id, parts });
  const { data: [message] } = await sdk(broker).session.messages({ sessionID: session.id });
  assert.equal(message.parts[0].text, "Look\n\n[Attached: wall.png (image/png)]");
});

test("a session that works or waits is busy", async () => {
  const { id, session_id: session } = await ask(broker, "busy");
  await listed(id);
  assert.deepEqual((await sdk(broker).session.status()).data[session], { type: "busy" });
  await sdk(broker).question.reply({ requestID: id, answers: [["Blue"]] });
  assert.equal((await sdk(broker).session.status()).data[session], undefined);
});

test("what an agent and a person say is told and listed alike", async () => {
  const { data: session } = await sdk(broker).session.create({});
  const stream = await Events.open(broker);
  const said = await raw(broker, "POST", `/session/${session.id}/prompt_async`,
                         '{"parts":[{"type":"text","text":"Paint it"}]}');
  assert.equal(said.status, 204);
  await push(session.id, [
    { type: "status", status: "working" },
    { type: "text-start", part_id: "t1" },
    { type: "text-delta", part_id: "t1", text: "Let me " },
    { type: "text-delta", part_id: "t1", text: "look." },
    { type: "text-end", part_id: "t1" },
    { type: "tool-input-available", call_id: "c1", tool: "read", input: { path: "wall.txt" } },
    { type: "tool-output", call_id: "c1", output: "white" },
  ]);
  const asked = await ask(broker, session.id);
  await sdk(broker).question.reply({ requestID: asked.id, answers: [["Red"]] });
  await push(session.id, [
    { type: "text-start", part_id: "t2" }, { type: "text-delta", part_id: "t2", text: "Red it is." },
    { type: "text-end", part_id: "t2" }, { type: "finish" },
  ]);
  await stream.find("session.idle", ({ sessionID }) => sessionID === session.id);
  stream.close();

  const { data: messages } = await sdk(broker).session.messages({ sessionID: session.id });
  assert.deepEqual(messages.map(({ info }) => info.role),
                   ["user", "assistant", "assistant", "assistant"]);
  const ids = messages.map(({ info }) => info.id);
  assert.deepEqual(ids, [...ids].sort());
  const [user, first, question, last] = messages;
  assert.equal(user.parts[0].text, "Paint it");
  assert.equal(first.parts[0].text, "Let me look.");
  assert.equal(first.parts[1].tool, "read");
  assert.equal(first.parts[1].state.output, "white");
  assert.deepEqual(first.parts[1].state.input, { path: "wall.txt" });
  assert.equal(question.parts[0].tool, "question");
  assert.equal(question.parts[0].state.status, "completed");
  assert.equal(last.parts[0].text, "Red it is.");
  assert.equal(last.info.finish, "stop");

  // Folding the live events the way clients do gives the same parts.
  const parts = new Map();
  for (const { data: { type, properties } } of stream.events) {
    if (properties.sessionID !== session.id) continue;
    if (type === "message.part.updated") parts.set(properties.part.id, properties.part);
    if (type === "message.part.delta") parts.get(properties.partID).text += properties.delta;
  }
  const live = messages.flatMap((message) => message.parts.map(({ id }) => parts.get(id)));
  assert.deepEqual(live, messages.flatMap((message) => message.parts));
  const one = await sdk(broker).session.message({ sessionID: session.id, messageID: ids[1] });
  assert.deepEqual(one.data, first);
  const { data: limited } = await sdk(broker).session.messages({ sessionID: session.id, limit: 1 });
  assert.deepEqual(limited, [last]);
});

test("a prompt without an agent is kept, and the sender is told so", async () => {
  const { data: session } = await sdk(broker).session.create({});
  const { data } = await sdk(broker).session.prompt({
    sessionID: session.id, parts: [{ type: "text", text: "Hello?" }],
  });
  assert.match(data.info.error.data.message, /no agent/);
  const [kept] = await until(async () => {
    const { messages } = (await broker.call("GET", `/v1/sessions/${session.id}/messages`)).body;
    return messages.length > 0 && messages;
  }, "the message is kept");
  assert.equal(kept.text, "Hello?");
});

test("a prompt waits for the agent's turn to end", async () => {
  const { data: session } = await sdk(broker).session.create({});
  const agent = await Events.open(broker, `/v1/events?session=${session.id}&as=agent`);
  const waiting = sdk(broker).session.prompt({
    sessionID: session.id, parts: [{ type: "text", text: "Hello?" }],
  });
  const message = await until(async () => {
    const { body } = await broker.call("GET", `/v1/sessions/${session.id}/messages`);
    return body.messages[0];
  });
  await push(session.id, [{ type: "status", status: "working" }]);
  await broker.call("POST", `/v1/sessions/${session.id}/messages/taken`, { up_to: message.id });
  await push(session.id, [
    { type: "text-start", part_id: "a" }, { type: "text-delta", part_id: "a", text: "Hello." },
    { type: "text-end", part_id: "a" }, { type: "finish" },
  ]);
  const { data } = await waiting;
  agent.close();
  assert.equal(data.info.role, "assistant");
  assert.equal(data.parts[0].text, "Hello.");
});

test("malformed prompts and sessions are refused by naming what is wrong", async () => {
  const { data: session } = await sdk(broker).session.create({});
  const refused = async (path, body) => {
    const reply = await raw(broker, "POST", path, body);
    assert.equal(reply.status, 400, body);
    return reply.body.data.message;
  };
  const message = `/session/${session.id}/message`;
  assert.equal(await refused(message, "{}"), 'Missing key\n  at ["parts"]');
  assert.match(await refused(message, '{"parts":[{"type":"file"}]}'), /Missing key/);
  assert.match(await refused(message, '{"parts":[{"type":"text","text":""}]}'), /message/);
  assert.match(await refused("/session", '{"title":1}'), /Expected string, got 1/);
});

test("permissions are asked, listed and replied to as OpenCode does", async () => {
  const stream = await Events.open(broker);
  const client = sdk(broker);
  const expected = [["once", "Allow once"], ["always", "Allow for this session"], ["reject", "Deny"]];
  for (const [reply, label] of expected) {
    const asked = await ask(broker, `permission ${reply}`, [PERMISSION]);
    const requestID = asked.id.replace("que_", "per_");
    await stream.find("permission.asked", ({ id }) => id === requestID);
    const { data } = await client.permission.list();
    const request = data.find(({ id }) => id === requestID);
    assert.equal(request.permission, "bash");
    assert.ok(!(await client.question.list()).data.some(({ id }) => id === asked.id));
    const message = reply === "reject" ? "not now" : undefined;
    assert.equal((await client.permission.reply({ requestID, reply, message })).data, true);
    await stream.find("permission.replied",
                      (told) => told.requestID === requestID && told.reply === reply);
    const { settlement } = await broker.settled(asked.id);
    assert.deepEqual(settlement.answers[0].selected, [label]);
    assert.equal(settlement.answers[0].note, message);
    const again = await client.permission.reply({ requestID, reply });
    assert.equal(again.error._tag, "PermissionNotFoundError");
  }
  stream.close();
});

test("the older route for permissions works, and wrong words are refused", async () => {
  const asked = await ask(broker, "older", [PERMISSION]);
  const id = asked.id.replace("que_", "per_");
  const path = `/session/${asked.session_id}/permissions/${id}`;
  const wrong = await raw(broker, "POST", path, '{"response":"maybe"}');
  assert.match(wrong.body.data.message, /Expected "once" \| "always" \| "reject", got "maybe"/);
  const other = await raw(broker, "POST", `/session/ses_00000000000000000000000000/permissions/${id}`,
                          '{"response":"once"}');
  assert.equal(other.status, 404);
  assert.equal((await raw(broker, "POST", path, '{"response":"once"}')).text, "true");
});

test("health and the document are served", async () => {
  const { data } = await sdk(broker).global.health();
  assert.equal(data.healthy, true);
  assert.deepEqual((await raw(broker, "GET", "/api/health")).body, { healthy: true });
  const { body } = await raw(broker, "GET", "/doc");
  assert.equal(body.openapi, "3.1.0");
  for (const path of ["/question", "/question/{requestID}/reply", "/event", "/session"])
    assert.ok(body.paths[path], path);
});

test("what OpenCode's terminal reads before it shows a session is there", async () => {
  const client = sdk(broker, { directory: "/tmp/here" });
  const { data: provider } = await client.provider.list();
  assert.deepEqual(provider.connected, ["parley"]);
  assert.equal(provider.all[0].models.parley.name, "Parley");
  assert.equal((await client.config.providers()).data.providers[0].id, "parley");
  assert.deepEqual((await client.config.get()).data, {});
  assert.equal((await client.app.agents()).data[0].mode, "primary");
  assert.equal((await client.path.get()).data.directory, "/tmp/here");
  assert.equal((await client.project.current()).data.id, "global");
  const { data: session } = await client.session.create({});
  assert.deepEqual((await client.session.todo({ sessionID: session.id })).data, []);
});

test("an ask shows the agent's own call, and one is made where it has none", async () => {
  const own = await ask(broker, "own call", [COLOR], { tool: { message_id: "x", call_id: "toolu_1" } });
  const none = await ask(broker, "no call");
  await listed(none.id);
  const { data } = await sdk(broker).question.list();
  const tool = (id) => data.find((request) => request.id === id).tool;
  assert.equal(tool(own.id).callID, "toolu_1");
  assert.match(tool(own.id).messageID, /^msg_/);
  assert.match(tool(none.id).callID, /^call_/);
});
