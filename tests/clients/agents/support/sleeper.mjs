// SPDX-License-Identifier: Apache-2.0
// An MCP server on stdio whose one tool only sleeps: `sleeper.mjs TOOL SECONDS progress|silence`.
import { createInterface } from "node:readline";

const [tool, seconds, manner] = process.argv.slice(2);
const PROGRESS_MS = 3_000;
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

function sleep({ id, params }) {
  const token = params._meta?.progressToken;
  let count = 0;
  const timer = manner === "progress" && token !== undefined && setInterval(() => send({
    method: "notifications/progress",
    params: { progressToken: token, progress: count += 1, message: "sleeping" } }), PROGRESS_MS);
  setTimeout(() => {
    clearInterval(timer);
    send({ id, result: { content: [{ type: "text", text: "slept to the end" }] } });
  }, Number(seconds) * 1000);
}

const METHODS = {
  initialize: ({ id, params }) => send({ id, result: { protocolVersion: params.protocolVersion,
    capabilities: { tools: {} }, serverInfo: { name: "sleeper", version: "1" } } }),
  ping: ({ id }) => send({ id, result: {} }),
  "tools/list": ({ id }) => send({ id, result: { tools: [{ name: tool, description: "Sleeps.",
    inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }] } }),
  "tools/call": sleep,
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.id === undefined || message.method === undefined) return;
  const serve = METHODS[message.method];
  if (serve) serve(message);
  else send({ id: message.id, error: { code: -32601, message: "no such method" } });
}).on("close", () => process.exit(0));
