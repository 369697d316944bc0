// SPDX-License-Identifier: Apache-2.0
// The database goes away and comes back while the real clients of every door listen or wait: each is
// kept, told in the words that its protocol has, and goes on.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { CLIENTS } from "../mcp/clients.mjs";
import { ask, sdk } from "../opencode/support.mjs";
import { Broker, until } from "../support/broker.mjs";
import { ChatApp } from "../support/chat.mjs";
import { giveBack, takeAway } from "../support/database.mjs";
import { UiChat } from "../support/ui_chat.mjs";
import { TRANSPORTS, listen } from "../trpc/support.mjs";

const AWAY = /^The broker's store is away: the database .* says: /;
const BACK = "The broker's store is back.";
const QUESTION = { question: "Go on?", header: "Go", multiSelect: false,
                   options: [{ label: "Yes", description: "" }, { label: "No", description: "" }] };

let broker;
const ends = [];
before(async () => { broker = await Broker.start(); });
after(async () => {
  for (const end of ends.reverse()) await end();
  await broker.stop();
});

// Each gives the notices that it was shown so far, as {text, level}.
const LISTENERS = {
  "the chat socket": async (session) => {
    const app = await ChatApp.open(broker, session);
    ends.push(() => app.close());
    return () => app.messages.filter(({ type }) => type === "notice");
  },
  "tRPC over SSE": (session) => trpc("sse and batch", session, "streamResponse"),
  "tRPC over SSE, tracked": (session) => trpc("sse and batch", session, "streamTracked"),
  "tRPC over WebSocket": (session) => trpc("websocket", session, "streamTracked"),
  "OpenCode's events": async () => {
    const stop = new AbortController();
    const { stream } = await sdk(broker).event.subscribe(undefined, { signal: stop.signal });
    const toasts = [];
    const isReading = (async () => {
      for await (const { type, properties } of stream)
        if (type === "tui.toast.show") toasts.push({ text: properties.message, level: properties.variant });
    })().catch(() => {});
    ends.push(() => { stop.abort(); return isReading; });
    return () => toasts;
  },
  "a page on the AI SDK": async (session) => {
    const notices = [];
    const chat = new UiChat(broker, session, {
      onData: ({ type, data }) => { if (type === "data-notice") notices.push(data); } });
    const isReading = chat.resumeStream();
    await until(() => chat.parts().length > 0, "the pending question is shown");
    ends.push(async () => { await chat.stop(); await isReading; });
    return () => notices;
  },
};

async function trpc(transport, session, procedure) {
  const { client, close } = TRANSPORTS[transport](broker);
  const listener = await listen(client, { sessionId: session, follow: true }, procedure);
  ends.push(() => { listener.stop(); return close(); });
  await listener.event("ask-question");
  return () => listener.events.map((event) => event.data ?? event)
    .filter(({ type }) => type === "notice");
}

// A call that waits for its answer; what its reports of progress said last.
async function waitOverMcp(name) {
  const { client, call } = await CLIENTS[name](broker);
  const waiting = { said: "" };
  waiting.result = call("ask_user", { questions: [QUESTION] }, {
    onprogress: ({ message }) => { waiting.said = message; } });
  ends.push(() => client.close());
  await until(() => waiting.said === "waiting for the user", "the first report");
  return waiting;
}

test("all who listen or wait are told that the store is away, and that it is back", async () => {
  const { id } = await ask(broker, "talk");
  await until(async () => (await broker.peer.call("GET", `/v1/asks/${id}`)).status === 200, "it is known");
  const notices = {};
  for (const [door, open] of Object.entries(LISTENERS)) notices[door] = await open("talk");
  const calls = [await waitOverMcp("v1 HTTP"), await waitOverMcp("v2 HTTP modern")];
  await takeAway(broker.store);
  for (const [door, seen] of Object.entries(notices)) {
    await until(() => seen().some(({ text, level }) => level === "warning" && AWAY.test(text)),
      `${door} is told that it is away`);
  }
  for (const call of calls) await until(() => /cannot use its store/.test(call.said), "MCP is told");
  assert.equal((await broker.answer(id, [{ selected: ["Blue"] }])).status, 503);
  await giveBack(broker.store);
  for (const [door, seen] of Object.entries(notices)) {
    await until(() => seen().at(-1).text === BACK && seen().at(-1).level === "info",
      `${door} is told that it is back`);
  }
  for (const call of calls)
    await until(() => call.said === "waiting for the user", "MCP is told that it is back");
  const asks = await broker.pending(3);
  for (const one of asks.filter((pending) => pending.id !== id))
    assert.equal((await broker.answer(one.id, [{ selected: ["Yes"] }])).status, 200);
  for (const call of calls) assert.equal((await call.result).structuredContent.status, "answered");
});
