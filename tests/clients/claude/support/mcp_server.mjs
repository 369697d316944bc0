// SPDX-License-Identifier: Apache-2.0
// An MCP server with one tool that wants a form filled in, and says what it was given.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "asker", version: "1.0.0" });
server.registerTool("paint", { description: "Paints", inputSchema: {}, _meta: {
  "anthropic/alwaysLoad": true } }, async () => {
  const reply = await server.server.elicitInput({
    message: "How shall I paint?",
    requestedSchema: {
      type: "object",
      properties: {
        color: { type: "string", enum: ["red", "green"] },
        coats: { type: "integer", title: "Coats" },
      },
      required: ["color", "coats"],
    },
  });
  return { content: [{ type: "text", text: JSON.stringify(reply) }] };
});
await server.connect(new StdioServerTransport());
