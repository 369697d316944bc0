// SPDX-License-Identifier: Apache-2.0
// Subscribers of the tRPC door that lose their connection, and brokers that die under them.
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { createTRPCClient, httpBatchLink, retryLink } from "@trpc/client";
import { Broker, until } from "../support/broker.mjs";
import { Proxy } from "../support/proxy.mjs";
import { DATABASE, TRANSPORTS, listen } from "./support.mjs";

const WAYS = {
  "sse, plain": ["sse and batch", "streamResponse"],
  "sse, tracked": ["sse and batch", "streamTracked"],
  "websocket, plain": ["websocket", "streamResponse"],
  "websocket, tracked": ["websocket", "streamTracked"],
};

for (const [name, [transport, procedure]] of Object.entries(WAYS)) {
  describe(`tRPC reconnecting over ${name}`, () => {
    let broker, proxy, far, stream;
    const sessionId = "chat";
    const ask = async (more = {}) => (await broker.call("POST", "/v1/asks",
      { session: sessionId, questions: [DATABASE], ...more })).body;

    beforeEach(async () => {
      broker = await Broker.start();
      proxy = await Proxy.start(broker.port);
      far = TRANSPORTS[transport]({ url: proxy.url, token: broker.token });
      stream = await listen(far.client, { sessionId, follow: true }, procedure);
    });
    afterEach(async () => {
      stream.stop();
      await far.close();
      await proxy.stop();
      await broker.stop();
    });

    test("reconnect with the ask pending", async () => {
      const { id } = await ask();
      await stream.event("ask-question");
      await proxy.cut();
      await broker.answer(id, [{ selected: ["SQLite"] }]);
      const settled = await stream.event("ask-settled");
      assert.equal(settled.questionId, id);
      assert.equal(stream.types.filter((type) => type === "ask-settled").length, 1);
    });

    test("reconnect with the ask settled meanwhile", async () => {
      const { id } = await ask();
      await stream.event("ask-question");
      await proxy.refuse();
      await broker.answer(id, [{ selected: ["SQLite"] }]);
      proxy.accept();
      const settled = await stream.event("ask-settled");
      assert.equal(settled.questionId, id);
      assert.equal(settled.outcome, "answered");
      assert.deepEqual(stream.types, ["ask-question", "ask-settled"]);
    });

    test("reconnect with the ask timed out meanwhile", async () => {
      const { id } = await ask({ timeout_seconds: 0.2 });
      await stream.event("ask-question");
      await proxy.refuse();
      await until(async () => (await broker.call("GET", `/v1/asks/${id}`)).body.state !== "pending",
        "the ask times out");
      proxy.accept();
      const settled = await stream.event("ask-settled");
      assert.equal(settled.outcome, "timed_out");
      assert.deepEqual(stream.types, ["ask-question", "ask-settled"]);
    });

    test("asks opened while it was away come once and in order", async () => {
      await ask();
      await stream.event("ask-question");
      await proxy.refuse();
      const ids = [];
      for (let i = 0; i < 5; i += 1) ids.push((await ask({ key: String(i) })).id);
      proxy.accept();
      await stream.event("ask-question", 6);
      const told = stream.events.map((event) => (event.data ?? event).questionId);
      assert.deepEqual(told.slice(1), ids);
    });

    test("killed with -9 and restarted while pending", async () => {
      const { id } = await ask();
      const first = await stream.event("ask-question");
      assert.equal(first.questionId, id);
      await broker.kill();
      await broker.restart();
      const { client } = TRANSPORTS["sse and single calls"](broker);
      const [pending] = await client.message.pending.query({ sessionId });
      assert.equal(pending.questionId, id);
      assert.deepEqual(await client.message.answerAsk.mutate(
        { sessionId, questionId: id, answers: { q0: "SQLite" } }), { success: true });
      const settled = await stream.event("ask-settled");
      assert.deepEqual(settled.answers, { "Which database?": "SQLite" });
    });
  });
}

// @trpc/client gives a silent stream up and opens it anew. For plain events it then has no id.
for (const [name, procedure] of [["plain", "streamResponse"], ["tracked", "streamTracked"]]) {
  test(`tRPC: a silent stream, ${name}, is opened anew and told what was settled`, async () => {
    const broker = await Broker.start();
    const proxy = await Proxy.start(broker.port);
    // The client is not to wait for the 45 seconds that the broker asks of it.
    proxy.edit = (data) => Buffer.from(data.toString("latin1")
      .replace('"reconnectAfterInactivityMs":45000', '"reconnectAfterInactivityMs":  700'), "latin1");
    const { client } = TRANSPORTS["sse and batch"]({ url: proxy.url, token: broker.token });
    const stream = await listen(client, { sessionId: "chat", follow: true }, procedure);
    try {
      const { body } = await broker.call("POST", "/v1/asks",
        { session: "chat", questions: [DATABASE] });
      await stream.event("ask-question");
      proxy.silence();
      await broker.answer(body.id, [{ selected: ["SQLite"] }]);
      proxy.accept();
      const settled = await stream.event("ask-settled");
      assert.equal(settled.questionId, body.id);
      assert.deepEqual(settled.answers, { "Which database?": "SQLite" });
    } finally {
      stream.stop();
      await proxy.stop();
      await broker.stop();
    }
  });
}

test("tRPC: attachments are named to the agent, below what is said", async () => {
  const broker = await Broker.start();
  try {
    const { client } = TRANSPORTS["sse and batch"](broker);
    const attachments = [{ path: "/srv/a.ts", relativePath: "a.ts", size: 3 }, "b.png"];
    const stream = await listen(client,
      { sessionId: "chat", userMessage: "Look", attachments, agentId: "coder", model: "m" });
    const { content } = await stream.event("user-message-created");
    assert.equal(content, "Look\n\n[Attached: a.ts]\n[Attached: b.png]");
    stream.stop();
    const wrong = await listen(client, { sessionId: "chat", userMessage: "x", attachments: [{}] });
    await until(() => wrong.errors.length > 0, "the subscription is refused");
    assert.equal(wrong.errors[0].data.code, "BAD_REQUEST");
    wrong.stop();
  } finally {
    await broker.stop();
  }
});

describe("tRPC asking again", () => {
  test("an agent whose broker was killed gets the answer by its call id", async () => {
    const broker = await Broker.start();
    const agent = TRANSPORTS.websocket(broker);
    let next;
    try {
      const input = { sessionId: "chat", questions: [DATABASE], toolCallId: "call-1" };
      const lost = agent.client.message.ask.mutate(input).catch((error) => error);
      const [ask] = await broker.pending(1, "chat");
      await broker.kill();
      await broker.restart();
      assert.ok(await lost instanceof Error);
      next = TRANSPORTS.websocket(broker);
      const again = next.client.message.ask.mutate(input);
      await broker.answer(ask.id, [{ selected: ["SQLite"] }]);
      assert.deepEqual(await again, { questionId: ask.id,
        answers: { "Which database?": "SQLite" } });
    } finally {
      await agent.close();
      await next?.close();
      await broker.stop();
    }
  });

  test("retryLink carries an ask over a broker that is killed", async () => {
    const broker = await Broker.start();
    try {
      const client = createTRPCClient({ links: [
        retryLink({ retry: ({ attempts }) => attempts < 500, retryDelayMs: () => 20 }),
        httpBatchLink({ url: `${broker.url}/trpc`,
                        headers: { authorization: `Bearer ${broker.token}` } })] });
      const asked = client.message.ask.mutate(
        { sessionId: "chat", questions: [DATABASE], toolCallId: "call-1" });
      const [ask] = await broker.pending(1, "chat");
      await broker.kill();
      await broker.restart();
      await broker.answer(ask.id, [{ selected: ["SQLite"] }]);
      assert.deepEqual(await asked, { questionId: ask.id,
        answers: { "Which database?": "SQLite" } });
    } finally {
      await broker.stop();
    }
  });
});
