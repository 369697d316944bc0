// SPDX-License-Identifier: Apache-2.0
// Every door as an agent sees it. Given a broker and a question, each gives the session that it will
// ask in, `ask`, which gives the label that was chosen as the agent was told it, and `close`.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";

import { calls, tool } from "../claude/support/model.mjs";
import { World } from "../claude/support/world.mjs";
import { CLIENTS } from "../mcp/clients.mjs";
import { PROGRAM, environment, until } from "../support/broker.mjs";
import { TRANSPORTS } from "../trpc/support.mjs";

// As a model writes it.
const toolInput = ({ question, header, options }) => ({ questions: [{ question, header,
  multiSelect: false, options: options.map((label) => ({ label, description: "" })) }] });

async function askNatively(broker, question) {
  const session = randomUUID();
  return {
    session,
    async ask() {
      const { body } = await broker.call("POST", "/v1/asks?wait=60", { session,
        questions: [question] });
      return body.settlement.answers[0].selected[0];
    },
    close: async () => {},
  };
}

async function askByCommand(broker, { question, header, options }) {
  const session = randomUUID();
  return {
    session,
    async ask() {
      const chosen = options.flatMap((option) => ["-o", option]);
      const child = spawn(PROGRAM,
        ["ask", question, "--header", header, ...chosen, "--session", session, "--broker"],
        { env: environment(broker.variables), stdio: ["ignore", "pipe", "inherit"] });
      let label = "";
      child.stdout.on("data", (data) => { label += data; });
      await once(child, "close");
      return label.trim();
    },
    close: async () => {},
  };
}

const askByTrpc = (transport) => async (broker, question) => {
  const session = randomUUID();
  const { client, close } = TRANSPORTS[transport](broker);
  return {
    session,
    async ask() {
      const { answers } = await client.message.ask.mutate(
        { sessionId: session, ...toolInput(question) });
      return answers[question.question];
    },
    close,
  };
};

const askByMcp = (name) => async (broker, question) => {
  const session = randomUUID();
  const { client, call } = await CLIENTS[name](broker,
    { name: session, serverArguments: ["--session", session] });
  return {
    session,
    async ask() {
      const { structuredContent } = await call("ask_user", toolInput(question));
      return structuredContent.answers[0].selectedOptions[0];
    },
    close: () => client.close(),
  };
};

// What a real Claude Code tells its model of the answer.
async function labelToldBy(world) {
  const { content } = await world.model.result("toolu_1");
  return /="([^"]*)"/.exec(content)?.[1] ?? content;
}

const scriptOf = (question) => calls(tool("toolu_1", "AskUserQuestion", toolInput(question)));

async function askByHook(broker, question) {
  const session = randomUUID();
  const world = await World.start(scriptOf(question), { broker });
  await world.parley("hook", "claude", "--install", "--scope", "project", "--before-dialog");
  return {
    session,
    async ask() {
      world.claude("go", "--session-id", session);
      return labelToldBy(world);
    },
    close: () => world.stop(),
  };
}

// Asks as soon as it is spoken to, which the watcher of tool-result does.
async function askByRun(broker, question) {
  const world = await World.start(scriptOf(question), { broker });
  const run = world.run();
  const [, session] = await until(() => /session (\S+)/.exec(run.errors), "the session's name");
  return { session, ask: () => labelToldBy(world), close: () => world.stop() };
}

export const ASKERS = {
  native: askNatively,
  "parley ask": askByCommand,
  "tRPC over HTTP": askByTrpc("sse and batch stream"),
  "tRPC over WebSocket": askByTrpc("websocket"),
  "MCP on stdio": askByMcp("v2 stdio modern"),
  "MCP over HTTP": askByMcp("v2 HTTP modern"),
};

// A real Claude Code takes seconds.
export const SLOW_ASKERS = { "Claude Code's hook": askByHook, "parley run claude": askByRun };
