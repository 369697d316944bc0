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

// `form` answers elicitations, and makes the client say that it can show forms, or whatever `modes`
// says.
function optionsOf(form, modes = { form: {} }, more = {}) {
  return { capabilities: form ? { elicitation: modes } : {}, ...more };
}

async function connectV1(transport, { form, modes, name }) {
  const client = new ClientV1(infoOf(name), optionsOf(form, modes));
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

async function connectV2(transport, mode, { form, modes, name }) {
  const client = new ClientV2(infoOf(name),
    optionsOf(form, modes, { versionNegotiation: { mode } }));
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

const stdio = (Transport, broker, { serverArguments }) =>
  new Transport(stdioOptions(broker, serverArguments));
const http = (Transport, broker) => new Transport(endpoint(broker), httpOptions(broker));

// Name → (broker, {form, modes, name, serverArguments}) → the connected client; `name` is the client's
// own.
export const CLIENTS = {
  "v1 stdio": (broker, options = {}) => connectV1(stdio(StdioV1, broker, options), options),
  "v1 HTTP": (broker, options = {}) => connectV1(http(HttpV1, broker), options),
  "v2 stdio legacy": (broker, options = {}) =>
    connectV2(stdio(StdioV2, broker, options), "legacy", options),
  "v2 HTTP legacy": (broker, options = {}) => connectV2(http(HttpV2, broker), "legacy", options),
  "v2 stdio modern": (broker, options = {}) =>
    connectV2(stdio(StdioV2, broker, options), MODERN, options),
  "v2 HTTP modern": (broker, options = {}) => connectV2(http(HttpV2, broker), MODERN, options),
  "v2 stdio auto": (broker, options = {}) =>
    connectV2(stdio(StdioV2, broker, options), "auto", options),
  "v2 HTTP auto": (broker, options = {}) => connectV2(http(HttpV2, broker), "auto", options),
};
