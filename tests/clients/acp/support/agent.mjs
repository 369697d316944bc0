// SPDX-License-Identifier: Apache-2.0
// An agent of the Agent Client Protocol, made with its SDK. The first word that it is told names a
// scene; what comes back from its client it says again, as one line of JSON.
import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { promisify } from "node:util";

import { RequestError, agent, methods, ndJsonStream } from "@agentclientprotocol/sdk";

const { session, elicitation } = methods.client;
const OPTIONS = [
  { optionId: "always", name: "Allow for this project", kind: "allow_always" },
  { optionId: "once", name: "Allow", kind: "allow_once" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];
const COMMAND = { toolCallId: "call_1", title: "make install", kind: "execute", status: "pending",
  rawInput: { command: "make install" } };
const EDIT = { toolCallId: "call_2", title: "Edit shop.js", kind: "edit", status: "pending",
  content: [{ type: "diff", path: "/shop.js", oldText: "let a;\nlet b;\n", newText: "let a;\nlet c;\n" }] };
const OWN = { toolCallId: "call_3", title: "mcp__parley__ask_user", kind: "other", status: "pending",
  rawInput: { questions: [{ question: "Tea?" }] } };
const FORM = { mode: "form", message: "Please answer.", requestedSchema: { type: "object", properties: {
  db: { type: "string", title: "DB", description: "Which database?", oneOf: [
    { const: "pg", title: "PostgreSQL", description: "yours" },
    { const: "lite", title: "SQLite", description: "a file" }] },
  db_custom: { type: "string", title: "Other" },
  extras: { type: "array", title: "Extras", items: { anyOf: [
    { const: "dark", title: "Dark mode" }, { const: "off", title: "Offline" }] } },
  port: { type: "integer", title: "Port", minimum: 1024, maximum: 65535 },
  ratio: { type: "number", title: "Ratio" },
  sure: { type: "boolean", title: "Sure" },
  name: { type: "string", title: "Name" },
}, required: ["db", "port"] } };
// As Parley's own MCP server sends it through an agent.
const OWN_FORM = { mode: "form", message: "Which database?", requestedSchema: { type: "object",
  properties: { q0: { type: "string", title: "DB", enum: ["PostgreSQL", "SQLite"] },
    q0_other: { type: "string" } }, required: ["q0"] } };
const LINK = { mode: "url", message: "Sign in", url: "https://sign.example/in", elicitationId: "el_1" };
const QWEN = { toolCallId: "call_4", title: "ask", kind: "other", status: "pending", _meta: {
  toolName: "ask_user_question", qwenInteractionKind: "user_question", qwenQuestions: [
    { question: "Which database?", header: "DB", multiSelect: false, options: [
      { label: "PostgreSQL", description: "yours" }, { label: "SQLite", description: "a file" }] }] } };

// What a prompt of a session does; `say` speaks, `ask` asks, `update` tells anything else.
const SCENES = {
  command: async ({ ask, update, say }) => {
    await update({ sessionUpdate: "tool_call", ...COMMAND });
    const reply = await ask(session.requestPermission, { toolCall: COMMAND, options: OPTIONS });
    const isAllowed = ["once", "always"].includes(reply.outcome.optionId);
    await update({ sessionUpdate: "tool_call_update", toolCallId: "call_1",
      status: isAllowed ? "completed" : "failed",
      content: [{ type: "content", content: { type: "text", text: "done" } }] });
    await say(reply);
  },
  edit: async ({ ask, say }) =>
    say(await ask(session.requestPermission, { toolCall: EDIT, options: OPTIONS })),
  own: async ({ ask, say }) =>
    say(await ask(session.requestPermission, { toolCall: OWN, options: OPTIONS })),
  ownform: async ({ ask, say }) => say(await ask(elicitation.create, OWN_FORM)),
  // The permission names a call that was told before, and nothing else.
  bare: async ({ ask, update, say }) => {
    await update({ sessionUpdate: "tool_call", ...EDIT, toolCallId: "call_5" });
    await say(await ask(session.requestPermission,
      { toolCall: { toolCallId: "call_5" }, options: OPTIONS }));
  },
  qwen: async ({ ask, say }) => say(await ask(session.requestPermission, { toolCall: QWEN,
    options: [{ optionId: "submit", name: "Submit", kind: "allow_once" },
      { optionId: "no", name: "Cancel", kind: "reject_once" }] })),
  form: async ({ ask, say }) => say(await ask(elicitation.create, FORM)),
  servers: async ({ say }) => say({ servers: servers.map(({ name, args }) => [name, ...args]) }),
  link: async ({ ask, say }) => say(await ask(elicitation.create, LINK)),
  // Another has answered meanwhile.
  dropped: async ({ ask, say }) => {
    const stop = new AbortController();
    const reply = ask(session.requestPermission, { toolCall: COMMAND, options: OPTIONS },
      { cancellationSignal: stop.signal }).catch(() => "dropped");
    await new Promise((resolve) => setTimeout(resolve, 300));
    stop.abort();
    await say(await reply);
  },
  // Ends its turn without having got an answer.
  left: async ({ ask, say }) => {
    ask(session.requestPermission, { toolCall: COMMAND, options: OPTIONS }).catch(() => {});
    await say("left");
  },
  plan: async ({ update, say }) => {
    await update({ sessionUpdate: "plan", entries: [
      { content: "Look", priority: "high", status: "completed" },
      { content: "Leap", priority: "low", status: "pending" }] });
    await say("planned");
  },
  // Dies with its first prompt: `mortal FILE`, where nobody has died yet.
  mortal: async ({ say, words }) => {
    const [, file] = words[0].split(" ");
    if (!existsSync(file)) {
      writeFileSync(file, "");
      process.kill(process.pid, "SIGKILL");
    }
    await say({ heard: words });
  },
  // Hears no cancel.
  deaf: async ({ say }) => {
    await say("deaf");
    await new Promise(() => {});
  },
  // Asks by a command that does not wait, and ends its turn: `background PROGRAM`.
  background: async ({ update, say, words }) => {
    const call = { toolCallId: "call_7", kind: "execute", title: "parley ask" };
    const args = ["ask", "Tea?", "-o", "Yes", "-o", "No", "--background"];
    await update({ sessionUpdate: "tool_call", ...call, status: "in_progress",
      rawInput: { command: args.join(" ") } });
    const { stdout } = await promisify(execFile)(words[0].split(" ")[1], args);
    await update({ sessionUpdate: "tool_call_update", ...call, status: "completed",
      content: [{ type: "content", content: { type: "text", text: stdout } }] });
    await say("goes on");
  },
  fs: async ({ ask, say }) => say(await ask("fs/read_text_file", { path: "/etc/hosts" })
    .catch(({ code }) => code)),
};

const cancels = new Map();
let mode = "ask";
let servers = [];
const stream = ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin));
agent({ name: "tester" })
  .onRequest(methods.agent.initialize, () => ({ protocolVersion: 1,
    agentInfo: { name: "tester", title: "Tester", version: "1.0.0" },
    agentCapabilities: { loadSession: true } }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    servers = params.mcpServers;
    return { sessionId: `own-${process.pid}`, modes: { currentModeId: "ask", availableModes: [
      { id: "ask", name: "Ask" }, { id: "plan", name: "Plan" }] } };
  })
  .onRequest(methods.agent.session.load, async ({ params, client }) => {
    await client.notify(session.update, { sessionId: params.sessionId, update: {
      sessionUpdate: "agent_message_chunk", content: { type: "text", text: "said before" } } });
    return {};
  })
  .onRequest(methods.agent.session.setMode, ({ params: { modeId } }) => {
    if (!["ask", "plan"].includes(modeId)) throw new RequestError(-32602, `no mode ${modeId}`);
    mode = modeId;
    return {};
  })
  .onNotification(methods.agent.session.cancel, ({ params }) => {
    cancels.get(params.sessionId)?.();
  })
  .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client }) => {
    const update = (more) => client.notify(session.update, { sessionId, update: more });
    const say = (words) => update({ sessionUpdate: "agent_message_chunk",
      content: { type: "text", text: `${JSON.stringify(words)}\n` } });
    const ask = (method, params, options) => client.request(method, { sessionId, ...params }, options);
    const words = prompt.map(({ text }) => text);
    const scene = SCENES[words[0].split(" ")[0]];
    const isCancelled = new Promise((resolve) => cancels.set(sessionId,
      () => scene !== SCENES.deaf && resolve("cancelled")));
    const played = (scene ? scene({ ask, say, update, words }) : say({ heard: words, sessionId, mode }))
      .then(() => "end_turn");
    return { stopReason: await Promise.race([played, isCancelled]) };
  })
  .connect(stream);
