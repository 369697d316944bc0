// SPDX-License-Identifier: Apache-2.0
// The official clients, each connected to a server in one way: SDK v1 and v2, stdio and HTTP, both
// eras of the protocol.
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  StreamableHTTPClientTransport as HttpV1,
} from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from
  "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { environment, PROGRAM } from "../support/broker.mjs";

const infoOf = (name = "official-client") => ({ name, version: "1" });

function stdioOptions(broker, more = []) {
  return { command: PROGRAM, args: ["mcp", ...more], env: environment(broker.variables),
    stderr: "pipe" };
}

function httpOptions(broker) {
  return { requestInit: { headers: { authorization: `Bearer ${broker.token}` } } };
}

// `form` answers elicitations, and makes the client say that it can show forms.
function optionsOf(form, more = {}) {
  return { capabilities: form ? { elicitation: { form: {} } } : {}, ...more };
}

async function connectV1(transport, { form, name }) {
  const client = new ClientV1(infoOf(name), optionsOf(form));
  if (form) client.setRequestHandler(ElicitRequestSchema, form);
  await client.connect(transport);
  return {
    client,
    era: "legacy",
    tools: () => client.listTools(),
    call: (name, args, options) =>
      client.callTool({ name, arguments: args }, undefined, options),
  };
}

async function connectV2(transport, mode, { form, name }) {
  const client = new ClientV2(infoOf(name), optionsOf(form, { versionNegotiation: { mode } }));
  if (form) client.setRequestHandler("elicitation/create", form);
  await client.connect(transport);
  return {
    client,
    era: mode === "legacy" ? "legacy" : "modern",
    tools: () => client.listTools(),
    call: (name, args, options) => client.callTool({ name, arguments: args }, options),
  };
}

const endpoint = (broker) => new URL(broker.url + "/mcp");
const MODERN = { pin: "2026-07-28" };

// Name → (broker, {form, name, serverArguments}) → the connected client; `name` is the client's own.
export const CLIENTS = {
  "v1 stdio": (broker, options = {}) =>
    connectV1(new StdioV1(stdioOptions(broker, options.serverArguments)), options),
  "v1 HTTP": (broker, options = {}) =>
    connectV1(new HttpV1(endpoint(broker), httpOptions(broker)), options),
  "v2 stdio legacy": (broker, options = {}) =>
    connectV2(new StdioV2(stdioOptions(broker, options.serverArguments)), "legacy", options),
  "v2 HTTP legacy": (broker, options = {}) =>
    connectV2(new HttpV2(endpoint(broker), httpOptions(broker)), "legacy", options),
  "v2 stdio modern": (broker, options = {}) =>
    connectV2(new StdioV2(stdioOptions(broker, options.serverArguments)), MODERN, options),
  "v2 HTTP modern": (broker, options = {}) =>
    connectV2(new HttpV2(endpoint(broker), httpOptions(broker)), MODERN, options),
  "v2 HTTP auto": (broker, options = {}) =>
    connectV2(new HttpV2(endpoint(broker), httpOptions(broker)), "auto", options),
};
