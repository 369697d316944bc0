// SPDX-License-Identifier: Apache-2.0
// The official client of tasks (ext-tasks), in both of their wire forms.
import {
  createTaskSessionFromClient, toolDeclarationFromMcpTool,
} from "@modelcontextprotocol/ext-tasks/client";
import { CLIENTS } from "./clients.mjs";

const VERSION = "2026-07-28";
const INFO = { name: "task-client", version: "1" };

// The last message of an answer, be it one document or a stream.
async function answerOf(response) {
  const text = await response.text();
  if (!response.headers.get("content-type").startsWith("text/event-stream"))
    return JSON.parse(text);
  const data = text.split("\n").filter((line) => line.startsWith("data: "));
  return JSON.parse(data.at(-1).slice("data: ".length));
}

// The SDK's own client refuses what 2026-07-28 answers for tasks, so ext-tasks wants this.
function rawDispatch(broker) {
  let last = 0;
  return async ({ method, params }, { signal } = {}) => {
    const response = await fetch(`${broker.url}/mcp`, {
      method: "POST", signal,
      headers: {
        authorization: `Bearer ${broker.token}`, "content-type": "application/json",
        accept: "application/json, text/event-stream", "mcp-protocol-version": VERSION,
        "mcp-method": method, "mcp-name": params.name ?? params.taskId,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++last, method, params }),
    });
    const { result, error } = await answerOf(response);
    return error ? { kind: "error", error } : { kind: "result", result };
  };
}

// A session that runs tools as tasks over one of the ways to connect of clients.mjs; `onInput`
// answers what the task asks its client.
export async function taskSession(broker, kind, { onInput } = {}) {
  const form = onInput && (() => { throw new Error("asked without its task"); });
  const { client, era, tools } = await CLIENTS[kind](broker, { form });
  const listed = new Map((await tools()).tools.map((tool) => [tool.name, tool]));
  const session = createTaskSessionFromClient(client, {
    endpointId: "parley", onInputRequest: onInput,
    tools: { currentTool: (name) => toolDeclarationFromMcpTool(listed.get(name)) },
    ...(era === "modern" && {
      rawDispatch: rawDispatch(broker),
      v2RequestFraming: { protocolVersion: VERSION, clientInfo: INFO,
        clientCapabilities: onInput ? { elicitation: { form: {} } } : {} },
    }),
  });
  const close = async () => {
    await session.close();
    await client.close();
  };
  return { session, client, close };
}
