// SPDX-License-Identifier: Apache-2.0
// A model of ours behind the Chat Completions API, on loopback: it calls the first tool of Parley's whose
// name ends in one that it is given, or the agent's own one of that name, then is done, and keeps what it
// was offered and told.
import { createServer } from "node:http";

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

export class Completions {
  static async start(name, args) {
    const model = new Completions();
    model.wanted = { name, args };
    model.requests = [];
    model.server = createServer((request, response) => model.serve(request, response));
    await new Promise((resolve) => model.server.listen(0, "127.0.0.1", resolve));
    model.url = `http://127.0.0.1:${model.server.address().port}/v1`;
    return model;
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }

  // The names of the tools that the model was offered.
  offered() {
    return [...new Set(this.requests.flatMap(({ tools = [] }) => tools)
      .map((tool) => tool.function.name))];
  }

  // What came back from its calls, in order: each request brings all that went before.
  heard() {
    return (this.requests.at(-1)?.messages ?? [])
      .filter(({ role, tool_call_id: id }) => role === "tool" && id?.startsWith("call_ask"))
      .map(({ content }) => (typeof content === "string" ? content
        : content.map(({ text }) => text).join("")));
  }

  reply({ messages, tools = [] }) {
    const names = tools.map((tool) => tool.function.name);
    // Some have a tool of their own by that name.
    const find = (end) => (this.wanted.isAgents ? names.find((name) => name === end)
      : names.find((name) => name.includes("parley") && name.endsWith(end)));
    const last = messages.at(-1);
    const call = (id, name, args) => ({ tool_calls: [{ index: 0, id, type: "function",
      function: { name, arguments: JSON.stringify(args) } }] });
    const isAsked = messages.some(({ role, tool_call_id: id }) =>
      role === "tool" && id?.startsWith("call_ask"));
    if (names.length === 0) return { content: "side" };
    if (isAsked) {
      const next = last.role === "tool" && this.next?.(JSON.stringify(last.content));
      return next ? call(`call_ask_${this.requests.length}`, find(next.name), next.args)
        : { content: "All done." };
    }
    const tool = find(this.wanted.name);
    if (tool) return call("call_ask", tool, this.wanted.args);
    return { content: "There is no such tool." };
  }

  async serve(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    if (!request.url.includes("/chat/completions")) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ object: "list", data: [{ id: "test", object: "model" }] }));
      return;
    }
    const body = JSON.parse(Buffer.concat(chunks).toString());
    if (body.tools?.length) this.requests.push(body);
    const message = this.reply(body);
    const reason = message.tool_calls ? "tool_calls" : "stop";
    const head = { id: `chatcmpl-${this.requests.length}`, created: 1, model: body.model };
    if (!body.stream) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ ...head, object: "chat.completion", usage,
        choices: [{ index: 0, finish_reason: reason, message: { role: "assistant", ...message } }] }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (more) => response.write(
      `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...more })}\n\n`);
    send({ choices: [{ index: 0, delta: { role: "assistant", ...message }, finish_reason: null }] });
    send({ choices: [{ index: 0, delta: {}, finish_reason: reason }], usage });
    response.end("data: [DONE]\n\n");
  }
}
