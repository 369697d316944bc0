// SPDX-License-Identifier: Apache-2.0
// Event streams: order and shapes, the pending asks on connect, resume, every exit announced.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";

import { Broker, until } from "../support/broker.mjs";
import { ask, COLOR, Events, sdk, sdkV1, TOPPINGS } from "./support.mjs";

let broker;
const open = [];
before(async () => { broker = await Broker.start(); });
afterEach(() => { for (const events of open.splice(0)) events.close(); });
after(() => broker.stop());

async function events(path = "/event", headers = {}) {
  const opened = await Events.open(broker, path, headers);
  open.push(opened);
  return opened;
}
const of = (id) => (properties) => (properties.requestID ?? properties.id) === id;
const partOf = (id, status) => ({ part }) =>
  part?.type === "tool" && part.callID === `call_${id.slice(4)}` && part.state.status === status;

test("an answered ask is told in OpenCode's order and shapes", async () => {
  const stream = await events();
  assert.equal(stream.response.headers.get("content-type"), "text/event-stream");
  assert.equal(stream.response.headers.get("cache-control"), "no-cache, no-transform");
  assert.equal(stream.types[0], "server.connected");
  await stream.cursor();
  const start = stream.events.length;
  const asked = await ask(broker, "order");
  await stream.find("message.part.updated", partOf(asked.id, "running"));
  assert.equal((await sdk(broker).question.reply({ requestID: asked.id, answers: [["Blue"]] })).data,
               true);
  await stream.find("session.idle", ({ sessionID }) => sessionID === asked.session_id);
  const told = stream.events.slice(start).map(({ data }) => data);
  assert.deepEqual(told.map(({ type, properties }) =>
    properties.part ? `${properties.part.tool}/${properties.part.state.status}` : type), [
    "session.created", "session.status", "message.updated", "question/pending", "question.asked",
    "question/running", "question.replied", "question/completed", "message.updated",
    "session.status", "session.idle",
  ]);
  const byType = Object.fromEntries(told.map((event) => [event.type, event]));
  const listedTool = byType["question.asked"].properties.tool;
  assert.deepEqual(byType["question.asked"].properties, {
    id: asked.id, sessionID: asked.session_id, questions: [COLOR], tool: listedTool,
  });
  assert.deepEqual(byType["question.replied"].properties, {
    sessionID: asked.session_id, requestID: asked.id, answers: [["Blue"]],
  });
  const { part } = told.find(({ properties }) => properties.part?.state.status === "completed")
    .properties;
  assert.equal(part.callID, listedTool.callID);
  assert.equal(part.messageID, listedTool.messageID);
  assert.equal(part.state.output,
               'User has answered your questions: "What is your favorite color?"="Blue". ' +
               "You can now continue with the user's answers in mind.");
  assert.deepEqual(part.state.metadata, { answers: [["Blue"]], truncated: false });
  assert.equal(part.state.title, "Asked 1 question");
  assert.deepEqual(part.state.input, { questions: [COLOR] });
  assert.ok(part.state.time.start <= part.state.time.end);
  for (const { id } of told) assert.match(id, /^evt_/);
  const ids = told.map(({ id }) => id);
  assert.deepEqual(ids, [...ids].sort());
});

test("a fresh stream begins with the pending asks", async () => {
  const asked = await ask(broker, "fresh");
  const stream = await events();
  const { properties } = await stream.find("question.asked", of(asked.id));
  assert.equal(properties.sessionID, asked.session_id);
  await stream.find("message.part.updated", partOf(asked.id, "running"));
  await sdk(broker).question.reject({ requestID: asked.id });
  await stream.find("question.rejected", of(asked.id));
});

test("the global stream wraps events with their directory", async () => {
  const stream = await events("/global/event");
  assert.deepEqual(Object.keys(stream.events[0].data), ["payload"]);
  const { data: session } = await sdk(broker, { directory: "/tmp/global" }).session.create({});
  const asked = await ask(broker, session.id);
  await stream.find("question.asked", of(asked.id));
  const { data } = stream.events.find((event) => event.data.payload.properties.id === asked.id);
  assert.equal(data.directory, "/tmp/global");
  assert.equal(data.project, "global");
  await sdk(broker).session.delete({ sessionID: session.id });
});

test("a stream of one directory is not told of another", async () => {
  const stream = await events("/event?directory=/tmp/here");
  const here = await sdk(broker, { directory: "/tmp/here" }).session.create({});
  const there = await sdk(broker, { directory: "/tmp/there" }).session.create({});
  const hidden = await ask(broker, there.data.id);
  const shown = await ask(broker, here.data.id);
  await stream.find("question.asked", of(shown.id));
  assert.ok(!stream.text.includes(hidden.id));
  for (const { data } of [here, there]) await sdk(broker).session.delete({ sessionID: data.id });
});

test("the newer stream tells the same under its own names", async () => {
  const stream = await events("/api/event");
  const asked = await ask(broker, "newer");
  const event = await stream.find("question.v2.asked", of(asked.id));
  assert.ok(event.location.directory);
  await sdk(broker).question.reply({ requestID: asked.id, answers: [["Blue"]] });
  await stream.find("question.v2.replied", of(asked.id));
});

test("a timeout is told as rejected, with its own words for the model", async () => {
  const stream = await events();
  const asked = await ask(broker, "timeout", [COLOR], { timeout_seconds: 0.2 });
  await stream.find("question.rejected", of(asked.id));
  const { properties } = await stream.find("message.part.updated", partOf(asked.id, "error"));
  assert.match(properties.part.state.error, /deadline/);
});

test("an ask that its agent takes back is told as rejected", async () => {
  const stream = await events();
  const asked = await ask(broker, "withdrawn");
  await broker.call("POST", `/v1/asks/${asked.id}/withdraw`, {});
  await stream.find("question.rejected", of(asked.id));
  await stream.find("message.part.updated", partOf(asked.id, "error"));
});

test("aborting a session takes its questions back, and says so", async () => {
  const stream = await events();
  const asked = await ask(broker, "aborted");
  assert.equal((await sdk(broker).session.abort({ sessionID: asked.session_id })).data, true);
  await stream.find("question.rejected", of(asked.id));
  const { properties } = await stream.find("message.part.updated", partOf(asked.id, "error"));
  assert.equal(properties.part.state.error, "Tool execution aborted");
  assert.deepEqual(properties.part.state.metadata, { interrupted: true });
  const error = await stream.find("session.error",
                                  ({ sessionID }) => sessionID === asked.session_id);
  assert.equal(error.properties.error.name, "MessageAbortedError");
  await stream.find("session.idle", ({ sessionID }) => sessionID === asked.session_id);
  const { data } = await sdk(broker).question.list();
  assert.ok(!data.some(({ id }) => id === asked.id));
});

test("deleting a session takes its questions back, and says so", async () => {
  const stream = await events();
  const asked = await ask(broker, "deleted");
  assert.equal((await sdk(broker).session.delete({ sessionID: asked.session_id })).data, true);
  await stream.find("question.rejected", of(asked.id));
  await stream.find("session.deleted", ({ info }) => info.id === asked.session_id);
});

test("a client that comes back with the last id misses nothing and gets nothing twice", async () => {
  const stream = await events();
  const settledMeanwhile = await ask(broker, "gap-1");
  const timedOutMeanwhile = await ask(broker, "gap-2", [TOPPINGS], { timeout_seconds: 0.3 });
  await stream.find("message.part.updated", partOf(timedOutMeanwhile.id, "running"));
  const last = await stream.cursor();
  stream.close();
  await sdk(broker).question.reply({ requestID: settledMeanwhile.id, answers: [["Red"]] });
  await until(async () =>
    (await broker.call("GET", `/v1/asks/${timedOutMeanwhile.id}`)).body.state === "timed_out");
  const pending = await ask(broker, "gap-3");
  const back = await events("/event", { "last-event-id": last });
  await back.find("question.replied", of(settledMeanwhile.id));
  await back.find("question.rejected", of(timedOutMeanwhile.id));
  await back.find("message.part.updated", partOf(pending.id, "running"));
  const asked = back.events.filter(({ data }) => data.type === "question.asked");
  assert.deepEqual(asked.map(({ data }) => data.properties.id), [pending.id]);
  await sdk(broker).question.reject({ requestID: pending.id });
});

test("a stream resumes over kill -9", async () => {
  const stream = await events();
  const asked = await ask(broker, "killed");
  await stream.find("message.part.updated", partOf(asked.id, "running"));
  const last = await stream.cursor();
  await broker.kill();
  assert.equal(await stream.done, "broken");
  await broker.restart();
  await sdk(broker).question.reply({ requestID: asked.id, answers: [["Blue"]] });
  const back = await events("/event", { "last-event-id": last });
  await back.find("question.replied", of(asked.id));
  assert.ok(!back.types.includes("question.asked"));
});

test("a server that stops says so and breaks the stream off, so that the SDK comes back", async () => {
  const stream = await events();
  const subscription = await sdk(broker).event.subscribe(undefined, { sseDefaultRetryDelay: 50 });
  const seen = [];
  const reading = (async () => {
    for await (const event of subscription.stream) {
      seen.push(event);
      if (event.type === "question.asked" && event.properties.questions[0].header === "Back") break;
    }
  })();
  await until(() => seen.some(({ type }) => type === "server.heartbeat"));
  await broker.kill("SIGTERM");
  assert.equal(await stream.done, "broken");
  assert.ok(stream.types.includes("server.instance.disposed"));
  await broker.restart();
  await ask(broker, "back", [{ ...COLOR, header: "Back" }]);
  await reading;
  assert.ok(seen.filter(({ type }) => type === "server.connected").length >= 2);
});

test("the SDK's first entry point gets the same events", async () => {
  const subscription = await sdkV1(broker).event.subscribe();
  const asked = await ask(broker, "v1 events");
  for await (const event of subscription.stream)
    if (event.type === "question.asked" && event.properties.id === asked.id) break;
  await sdk(broker).question.reject({ requestID: asked.id });
});

test("heartbeats come at least every ten seconds", { timeout: 60_000 }, async () => {
  const stream = await events();
  const beats = () => stream.types.filter((type) => type === "server.heartbeat").length;
  // The first one carries the cursor; the next comes by itself.
  await until(() => beats() >= 2, "two heartbeats");
});
