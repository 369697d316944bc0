// SPDX-License-Identifier: Apache-2.0
// Every door as a responder sees it: `watch` follows a session, `asked` and `settled` wait for the
// ask of that id, `after` is all that the door said about questions after it was asked, `answer`
// chooses a label of a single question.
import { spawn } from "node:child_process";
import { once } from "node:events";

import { Events } from "../opencode/support.mjs";
import { PROGRAM, environment, until } from "../support/broker.mjs";
import { ChatApp } from "../support/chat.mjs";
import { transport } from "../support/ui_chat.mjs";
import { TRANSPORTS, listen } from "../trpc/support.mjs";

// `notes` are {kind: "asked" | "settled", id, outcome?} in the order in which they came.
class Watcher {
  constructor(name, broker, session) {
    Object.assign(this, { name, broker, session, close: async () => {} });
  }

  note(kind, { id }) {
    return until(() => this.notes().find((note) => note.kind === kind && note.id === id),
      `${kind} ${id} at the door ${this.name}`);
  }

  asked(ask) { return this.note("asked", ask); }

  settled(ask) { return this.note("settled", ask); }

  // The notes that follow the one that said that it was asked.
  after({ id }) {
    const notes = this.notes();
    return notes.slice(1 + notes.findIndex((note) => note.kind === "asked" && note.id === id));
  }
}

// What a native event says of an ask.
function noteOf({ type, ask }) {
  if (type === "ask.opened") return [{ kind: "asked", id: ask.id }];
  if (type !== "ask.settled") return [];
  return [{ kind: "settled", id: ask.id, outcome: ask.settlement.outcome }];
}

async function watchNative(broker, session) {
  const watcher = new Watcher("native", broker, session);
  const stream = await Events.open(broker, `/v1/events?session=${encodeURIComponent(session)}`);
  watcher.notes = () => stream.events.flatMap(({ data }) => noteOf(data ?? {}));
  watcher.answer = async (ask, label) =>
    (await broker.answer(ask.id, [{ selected: [label] }])).status === 200;
  watcher.close = async () => stream.stop.abort();
  return watcher;
}

async function watchChat(broker, session) {
  const watcher = new Watcher("chat socket", broker, session);
  const app = await ChatApp.open(broker, session);
  watcher.notes = () => app.messages.flatMap((message) => {
    const { type, question_id: id, outcome } = message;
    if (type === "ask_user_question") return [{ kind: "asked", id }];
    return type === "ask_user_settled" || type === "ask_user_timeout"
      ? [{ kind: "settled", id, outcome }] : [];
  });
  watcher.answer = async (ask, label) => {
    app.respond(ask.id, { [ask.questions[0].question]: label });
    return (await app.next("ask_user_settled", (message) => message.question_id === ask.id))
      .outcome === "answered";
  };
  watcher.close = () => app.close();
  return watcher;
}

async function watchOpenCode(broker, session) {
  const watcher = new Watcher("opencode", broker, session);
  const stream = await Events.open(broker);
  watcher.notes = () => stream.events.flatMap(({ data }) => {
    if (data?.type === "question.asked") return [{ kind: "asked", id: data.properties.id }];
    if (!["question.replied", "question.rejected"].includes(data?.type)) return [];
    return [{ kind: "settled", id: data.properties.requestID,
              outcome: data.type === "question.replied" ? "answered" : undefined }];
  });
  watcher.answer = async (ask, label) =>
    (await broker.call("POST", `/question/${ask.id}/reply`, { answers: [[label]] })).body === true;
  watcher.close = async () => stream.stop.abort();
  return watcher;
}

// A page that posts its message and then reads; an ask without a call is known by its own id.
async function watchPage(broker, session) {
  const watcher = new Watcher("tool-result", broker, session);
  const stop = new AbortController();
  const stream = await transport(broker).sendMessages({
    chatId: session, trigger: "submit-message", abortSignal: stop.signal,
    messages: [{ id: "u", role: "user", parts: [{ type: "text", text: "Go" }] }],
  });
  const chunks = [];
  void (async () => { for await (const chunk of stream) chunks.push(chunk); })().catch(() => {});
  const calls = new Map(); // call → ask
  watcher.know = (ask) => calls.set(ask.tool?.call_id ?? ask.id, ask.id);
  watcher.notes = () => chunks.flatMap(({ type, toolCallId }) => {
    const id = calls.get(toolCallId);
    if (type === "tool-input-available") return [{ kind: "asked", id }];
    if (type === "tool-output-available") return [{ kind: "settled", id, outcome: "answered" }];
    return type === "tool-output-error" ? [{ kind: "settled", id }] : [];
  });
  watcher.answer = async (ask, label) => (await broker.call("POST", "/api/chat/tool-result", {
    sessionId: session, toolUseId: ask.tool?.call_id ?? ask.id,
    answers: { [ask.questions[0].question]: label },
  })).body.resolved;
  watcher.close = async () => stop.abort();
  return watcher;
}

function watchTrpc(name, transportName, procedure) {
  return async (broker, session) => {
    const watcher = new Watcher(name, broker, session);
    const { client, close } = TRANSPORTS[transportName](broker);
    const stream = await listen(client, { sessionId: session, follow: true }, procedure);
    watcher.notes = () => stream.events.map((event) => event.data ?? event)
      .flatMap(({ type, questionId: id, outcome }) => {
        if (type === "ask-question") return [{ kind: "asked", id }];
        return type === "ask-settled" ? [{ kind: "settled", id, outcome }] : [];
      });
    watcher.answer = (ask, label) => client.message.answerAsk.mutate(
      { sessionId: session, questionId: ask.id, answers: { q0: label } })
      .then(({ success }) => success, () => false);
    watcher.close = async () => {
      stream.stop();
      await close();
    };
    return watcher;
  };
}

// `parley watch` and `parley answer`, as a script uses them.
async function watchCommand(broker, session) {
  const watcher = new Watcher("parley watch", broker, session);
  const child = spawn(PROGRAM, ["watch", "--json", "--session", session],
    { env: environment(broker.variables), stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (data) => { text += data; });
  const events = () => text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
  watcher.notes = () => events().flatMap(noteOf);
  watcher.answer = async (ask, label) => new Promise((resolve) => {
    spawn(PROGRAM, ["answer", ask.id, label],
      { env: environment(broker.variables), stdio: "ignore" })
      .on("close", (code) => resolve(code === 0));
  });
  watcher.close = async () => {
    const ended = once(child, "close");
    child.kill();
    await ended;
  };
  await until(() => events().some(({ type }) => type === "snapshot.end"), "parley watch follows");
  return watcher;
}

export const RESPONDERS = {
  native: watchNative,
  "tRPC over SSE": watchTrpc("tRPC over SSE", "sse and batch", "streamResponse"),
  "tRPC over SSE, tracked": watchTrpc("tRPC over SSE, tracked", "sse and single calls",
    "streamTracked"),
  "tRPC over WebSocket": watchTrpc("tRPC over WebSocket", "websocket", "streamResponse"),
  "chat socket": watchChat,
  opencode: watchOpenCode,
  "tool-result": watchPage,
  "parley watch": watchCommand,
};
