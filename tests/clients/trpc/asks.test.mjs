// SPDX-License-Identifier: Apache-2.0
// The life of an ask through the tRPC door, once over each way that @trpc/client has.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Broker, until } from "../support/broker.mjs";
import { DATABASE, FEATURES, REMARK, TRANSPORTS, UNKNOWN, failure, listen } from "./support.mjs";

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  describe(`tRPC over ${name}`, () => {
    let broker, agent, client, closes, stops = [];
    let sessions = 0;
    const newSession = () => `${name} ${sessions += 1}`;
    const watch = async (input, procedure) => {
      const listener = await listen(client, input, procedure);
      stops.push(() => listener.stop());
      return listener;
    };
    before(async () => {
      broker = await Broker.start();
      const [here, there] = [connect(broker), connect(broker.peer)];
      [client, agent] = [here.client, there.client];
      closes = [here.close, there.close];
    });
    after(async () => {
      for (const stop of stops) stop();
      for (const close of closes) await close();
      await broker.stop();
    });

    test("ask, answered, stream continues", async () => {
      const sessionId = newSession();
      const stream = await watch({ sessionId });
      const asked = agent.message.ask.mutate({ sessionId, questions: [DATABASE] });
      const event = await stream.event("ask-question");
      assert.deepEqual(event.questions, [DATABASE]);
      const reply = await client.message.answerAsk.mutate(
        { sessionId, questionId: event.questionId, answers: { q0: "PostgreSQL" } });
      assert.deepEqual(reply, { success: true });
      assert.deepEqual(await asked, {
        questionId: event.questionId, answers: { "Which database?": "PostgreSQL" } });
      const settled = await stream.event("ask-settled");
      assert.equal(settled.outcome, "answered");
      assert.deepEqual(settled.answers, { "Which database?": "PostgreSQL" });
      await broker.call("POST", `/v1/sessions/${encodeURIComponent(sessionId)}/events`, [
        { type: "text-start", part_id: "p" }, { type: "text-delta", part_id: "p", text: "On I go" },
        { type: "text-end", part_id: "p" }]);
      assert.equal((await stream.event("text-delta")).text, "On I go");
      await stream.event("text-end");
      assert.deepEqual(stream.types,
        ["ask-question", "ask-settled", "text-start", "text-delta", "text-end"]);
    });

    test("several questions and multi-select", async () => {
      const sessionId = newSession();
      const stream = await watch({ sessionId });
      const asked = agent.message.ask.mutate({ sessionId, questions: [DATABASE, FEATURES, REMARK] });
      const { questionId } = await stream.event("ask-question");
      await client.message.answerAsk.mutate({ sessionId, questionId, answers: {
        DB: "SQLite", 1: ["Offline", "Dark mode"], "Anything else?": "none" } });
      assert.deepEqual((await asked).answers, { "Which database?": "SQLite",
        "Which features?": ["Dark mode", "Offline"], "Anything else?": "none" });
    });

    test("free text", async () => {
      const sessionId = newSession();
      const asked = agent.message.ask.mutate({ sessionId, questions: [DATABASE] });
      const [ask] = await broker.pending(1, sessionId);
      const text = "DuckDB, für alles 🦆\u2028und mehr";
      await client.message.answerAsk.mutate(
        { sessionId, questionId: ask.id, answers: { 0: text } });
      assert.equal((await asked).answers["Which database?"], text);
    });

    test("double answer", async () => {
      const sessionId = newSession();
      const asked = agent.message.ask.mutate({ sessionId, questions: [DATABASE] });
      const [ask] = await broker.pending(1, sessionId);
      const answer = () => client.message.answerAsk.mutate(
        { sessionId, questionId: ask.id, answers: { q0: "SQLite" } });
      const both = await Promise.allSettled([answer(), answer()]);
      assert.deepEqual(both.map((one) => one.status).sort(), ["fulfilled", "rejected"]);
      await asked;
      const late = await failure(answer());
      assert.equal(late.code, "CONFLICT");
      assert.equal(late.message, UNKNOWN);
      assert.equal(late.data.settlement.outcome, "answered");
      assert.equal(late.data.settlement.door, "trpc");
    });

    test("unknown id", async () => {
      for (const questionId of ["nothing", "que_00000000000000000000000002"]) {
        const unknown = await failure(client.message.answerAsk.mutate(
          { sessionId: "any", questionId, answers: { q0: "x" } }));
        assert.equal(unknown.code, "NOT_FOUND");
        assert.equal(unknown.status, 404);
        assert.equal(unknown.message, UNKNOWN);
      }
    });

    test("timeout", async () => {
      const sessionId = newSession();
      const stream = await watch({ sessionId });
      const asked = failure(agent.message.ask.mutate(
        { sessionId, questions: [DATABASE], timeoutMs: 300 }));
      const { questionId } = await stream.event("ask-question");
      const ended = await asked;
      assert.equal(ended.code, "TIMEOUT");
      assert.equal(ended.message, "Ask timeout");
      assert.equal((await stream.event("ask-settled")).outcome, "timed_out");
      const late = await failure(client.message.answerAsk.mutate(
        { sessionId, questionId, answers: { q0: "SQLite" } }));
      assert.equal(late.code, "TIMEOUT");
      assert.equal(late.message, UNKNOWN);
    });

    test("cancel", async () => {
      const sessionId = newSession();
      const stream = await watch({ sessionId });
      const asked = failure(agent.message.ask.mutate({ sessionId, questions: [DATABASE] }));
      const { questionId } = await stream.event("ask-question");
      await broker.call("POST", `/v1/asks/${questionId}/dismiss`, { reason: "not now" });
      const ended = await asked;
      assert.equal(ended.code, "CONFLICT");
      assert.equal(ended.message, "The question was dismissed: not now");
      assert.equal((await stream.event("ask-settled")).outcome, "dismissed");
      const late = await failure(client.message.answerAsk.mutate(
        { sessionId, questionId, answers: { q0: "SQLite" } }));
      assert.equal(late.code, "CONFLICT");
      assert.equal(late.data.settlement.outcome, "dismissed");
    });

    test("an ask that does not block", async () => {
      const sessionId = newSession();
      const ask = { sessionId, key: "later", questions: [DATABASE] };
      const { questionId, ...rest } = await agent.message.ask.mutate({ ...ask, blocking: false });
      assert.deepEqual(rest, { answers: {}, status: "pending" });
      const open = await until(async () => (await client.message.pending.query({ sessionId }))[0],
        "the ask is pending");
      assert.equal(open.questionId, questionId);
      assert.equal(open.deadline, undefined);
      await client.message.answerAsk.mutate({ sessionId, questionId, answers: { q0: "SQLite" } });
      const answered = { questionId, answers: { "Which database?": "SQLite" } };
      for (const blocking of [true, false])
        assert.deepEqual(await agent.message.ask.mutate({ ...ask, blocking }), answered);
    });

    test("abort while pending", async () => {
      const sessionId = newSession();
      const stream = await watch({ sessionId });
      const asked = failure(agent.message.ask.mutate({ sessionId, questions: [DATABASE] }));
      await stream.event("ask-question");
      assert.deepEqual(await client.message.abort.mutate({ sessionId }), { success: true });
      const ended = await asked;
      assert.equal(ended.code, "CONFLICT");
      assert.match(ended.message, /^The question was withdrawn/);
      assert.equal((await stream.event("ask-settled")).outcome, "withdrawn");
      await stream.event("abort");
      await until(() => stream.isComplete, "the stream ends with its turn");
    });

    test("a 200 KiB answer", async () => {
      const sessionId = newSession();
      const stream = await watch({ sessionId });
      const asked = agent.message.ask.mutate({ sessionId, questions: [DATABASE] });
      const { questionId } = await stream.event("ask-question");
      const text = "word ".repeat(40 * 1024);
      await client.message.answerAsk.mutate({ sessionId, questionId, answers: { q0: text } });
      assert.equal((await asked).answers["Which database?"], text);
      assert.equal((await stream.event("ask-settled")).answers["Which database?"], text);
    });

    test("wrong session", async () => {
      const sessionId = newSession();
      const asked = agent.message.ask.mutate({ sessionId, questions: [DATABASE] });
      const [ask] = await broker.pending(1, sessionId);
      const wrong = await failure(client.message.answerAsk.mutate(
        { sessionId: `${sessionId} not`, questionId: ask.id, answers: { q0: "SQLite" } }));
      assert.equal(wrong.code, "NOT_FOUND");
      assert.equal((await agent.message.pending.query({ sessionId })).length, 1);
      await client.message.answerAsk.mutate(
        { sessionId, questionId: ask.id, answers: { q0: "SQLite" } });
      await asked;
      const late = await failure(client.message.answerAsk.mutate(
        { sessionId: `${sessionId} not`, questionId: ask.id, answers: { q0: "SQLite" } }));
      assert.equal(late.code, "NOT_FOUND");
    });

    test("wrong token", async () => {
      const stranger = connect(broker, "wrong");
      try {
        const refused = await failure(stranger.client.message.pending.query({ sessionId: "s" }));
        assert.equal(refused.code, "UNAUTHORIZED");
        const stream = await listen(stranger.client, { sessionId: "s" });
        await until(() => stream.errors.length > 0, "the subscription is refused");
        assert.equal(stream.errors[0].data.code, "UNAUTHORIZED");
        stream.stop();
      } finally {
        await stranger.close();
      }
    });

    test("malformed input", async () => {
      const sessionId = newSession();
      const asked = agent.message.ask.mutate({ sessionId, questions: [DATABASE] });
      const [ask] = await broker.pending(1, sessionId);
      const inputs = [undefined, 7, {}, { sessionId, questionId: ask.id },
        { sessionId, questionId: ask.id, answers: "SQLite" },
        { sessionId, questionId: ask.id, answers: {} },
        { sessionId, questionId: ask.id, answers: { q9: "SQLite" } },
        { sessionId, questionId: ask.id, answers: { q0: ["SQLite", "PostgreSQL"] } }];
      for (const input of inputs) {
        const refused = await failure(client.message.answerAsk.mutate(input));
        assert.equal(refused.code, "BAD_REQUEST", JSON.stringify(input));
      }
      for (const answers of [{ q0: 5 }, { q0: ["SQLite", 5] }, ["SQLite"], "SQLite"]) {
        const input = { sessionId: "nowhere", questionId: "que_unknown", answers };
        const refused = await failure(client.message.answerAsk.mutate(input));
        assert.equal(refused.code, "BAD_REQUEST", JSON.stringify(input));
      }
      const wrong = await failure(client.message.answerAsk.mutate(inputs.at(-1)));
      assert.match(wrong.data.errors[0].path, /^\/answers\/q0/);
      for (const input of [{}, { sessionId, questions: [] }, { sessionId, questions: "?" }]) {
        const refused = await failure(agent.message.ask.mutate(input));
        assert.equal(refused.code, "BAD_REQUEST", JSON.stringify(input));
      }
      assert.equal((await agent.message.pending.query({ sessionId })).length, 1);
      await client.message.answerAsk.mutate(
        { sessionId, questionId: ask.id, answers: { q0: "SQLite" } });
      await asked;
      const unknown = await failure(client.message.nothing.query());
      assert.equal(unknown.code, "NOT_FOUND");
    });

    test("50 sessions at once", async () => {
      const ids = Array.from({ length: 50 }, newSession);
      const rounds = ids.map(async (sessionId) => {
        const asked = agent.message.ask.mutate({ sessionId, questions: [
          { ...DATABASE, question: `Which database for ${sessionId}?` }] });
        const [pending] = await until(async () => {
          const list = await client.message.pending.query({ sessionId });
          return list.length > 0 && list;
        }, "the ask is pending");
        assert.equal(pending.questions[0].question, `Which database for ${sessionId}?`);
        await client.message.answerAsk.mutate(
          { sessionId, questionId: pending.questionId, answers: { q0: sessionId } });
        assert.deepEqual((await asked).answers,
          { [`Which database for ${sessionId}?`]: sessionId });
      });
      await Promise.all(rounds);
    });

    test("a message reaches the session's agent and its turn ends the stream", async () => {
      const sessionId = newSession();
      const target = `/v1/sessions/${encodeURIComponent(sessionId)}`;
      const stream = await watch({ sessionId, userMessage: "Hello" });
      assert.equal((await stream.event("user-message-created")).content, "Hello");
      await stream.event("message-queued");
      const messages = await until(async () => {
        const { body } = await broker.call("GET", `${target}/messages`);
        return body.messages?.length > 0 && body.messages;
      }, "the message is known");
      assert.deepEqual(messages.map((message) => message.text), ["Hello"]);
      await broker.call("POST", `${target}/events`, [
        { type: "status", status: "working" }, { type: "text-start", part_id: "p" },
        { type: "text-delta", part_id: "p", text: "Hi" }, { type: "text-end", part_id: "p" },
        { type: "tool-input-available", call_id: "c", tool: "look", input: { at: "it" } },
        { type: "tool-output", call_id: "c", output: [1] }, { type: "finish" }]);
      await until(() => stream.isComplete, "the turn is over");
      assert.deepEqual(stream.types.filter((type) => type !== "message-queued"), [
        "user-message-created", "assistant-message-created", "text-start", "text-delta",
        "text-end", "tool-call", "tool-result", "complete"]);
      assert.deepEqual((await stream.event("tool-call")).input, { at: "it" });
      assert.deepEqual((await stream.event("tool-result")).result, [1]);
    });

    test("a subscription without a session opens one and says which", async () => {
      const stream = await watch({ userMessage: "Hello", follow: true });
      const { sessionId } = await stream.event("session-created");
      const asked = agent.message.ask.mutate({ sessionId, questions: [DATABASE] });
      const { questionId } = await stream.event("ask-question");
      await client.message.answerAsk.mutate(
        { sessionId, questionId, answers: { q0: "SQLite" } });
      await asked;
    });
  });
}
