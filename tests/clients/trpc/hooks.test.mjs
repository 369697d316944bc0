// SPDX-License-Identifier: Apache-2.0
// useChat and useAskToolHandler in React, against a real broker.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import React from "react";
import renderer from "react-test-renderer";
import { Broker, until } from "../support/broker.mjs";
import { Package } from "../support/typescript_package.mjs";
import { DATABASE, TRANSPORTS } from "./support.mjs";

globalThis.IS_REACT_ACT_ENVIRONMENT = true;

describe("the hooks of the tRPC client", () => {
  let broker, source, hooks, far, page, seen;

  // Shows nothing; keeps what the hooks give.
  function Page({ client, session }) {
    const chat = hooks.useChat(client, session);
    const asks = hooks.useAskToolHandler(client, chat.sessionId);
    seen = { chat, asks };
    return null;
  }
  // React wants to know of every change, and events come when they come.
  const shown = (look, what) => until(async () => {
    await React.act(async () => {});
    return look();
  }, what);
  const show = (session) => React.act(async () => {
    page = renderer.create(React.createElement(Page, { client: far.client, session }));
  });
  const ask = async (session, more = {}) => (await broker.call("POST", "/v1/asks",
    { session, questions: [DATABASE], ...more })).body.id;

  before(async () => {
    broker = await Broker.start();
    far = TRANSPORTS["sse and batch"](broker);
    source = await Package.copy();
    assert.equal(source.compile(), "");
    hooks = await source.load("react/index.js");
  });
  after(async () => {
    await React.act(async () => page?.unmount());
    await source.remove();
    await broker.stop();
  });

  test("a question is shown, answered, and what the agent says next too", async () => {
    await show("hooks");
    await React.act(async () => seen.chat.sendMessage("Hello", {
      onAskQuestion: seen.asks.onAskQuestion, onAskSettled: seen.asks.onAskSettled }));
    assert.equal(seen.chat.isStreaming, true);
    await until(async () => (await broker.call("POST", "/v1/sessions/hooks/events",
      [{ type: "status", status: "working" }])).status === 202, "the session is there");
    const id = await ask("hooks");
    await shown(() => seen.asks.current?.questionId === id, "the question is shown");
    assert.deepEqual(seen.asks.current.questions, [DATABASE]);

    let isTaken;
    await React.act(async () => { isTaken = await seen.asks.answer({ q7: "SQLite" }); });
    assert.equal(isTaken, false);
    assert.equal(seen.asks.error.data.code, "BAD_REQUEST");
    assert.equal(seen.asks.pending.length, 1);

    await React.act(async () => { isTaken = await seen.asks.answer({ q0: "SQLite" }); });
    assert.equal(isTaken, true);
    assert.equal(seen.asks.current, null);
    await broker.call("POST", "/v1/sessions/hooks/events", [
      { type: "text-start", part_id: "p" }, { type: "text-delta", part_id: "p", text: "SQLite " },
      { type: "text-delta", part_id: "p", text: "it is" }, { type: "text-end", part_id: "p" },
      { type: "finish" }]);
    await shown(() => !seen.chat.isStreaming, "the turn is over");
    assert.deepEqual(seen.chat.parts.map((part) => part.text), ["SQLite it is"]);
  });

  test("questions that wait come at once, and leave when they are decided elsewhere", async () => {
    const ids = [await ask("elsewhere", { key: "1" }), await ask("elsewhere", { key: "2" })];
    await React.act(async () => page.unmount());
    await show("elsewhere");
    await React.act(async () => seen.chat.watch({
      onAskQuestion: seen.asks.onAskQuestion, onAskSettled: seen.asks.onAskSettled }));
    await shown(() => seen.asks.pending.length === 2, "both are shown");
    assert.deepEqual(seen.asks.pending.map((one) => one.questionId), ids);
    await broker.answer(ids[0], [{ selected: ["SQLite"] }]);
    await shown(() => seen.asks.pending.length === 1, "one has left");
    await React.act(async () => seen.chat.abort());
    await shown(() => seen.asks.pending.length === 0, "the other is withdrawn");
  });
});
