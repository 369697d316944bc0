// SPDX-License-Identifier: Apache-2.0
// A model of our own behind the Messages API, on loopback: it plays a script and keeps what it was
// told, so that a test can read what a real Claude Code sends to its model, to the letter.
import { createServer } from "node:http";

import { until } from "../../support/broker.mjs";

// With `pause`, a promise, nothing follows its first words before that is kept.
export const text = (words, pause = undefined) => ({ type: "text", text: words, pause });
export const tool = (id, name, input) => ({ type: "tool_use", id, name, input });

export class Model {
  // `script` gets the messages of a request and gives the content blocks of the reply.
  static async start(script) {
    const model = new this();
    model.script = script;
    model.requests = [];
    model.server = createServer((request, response) => model.serve(request, response));
    await new Promise((resolve) => model.server.listen(0, "127.0.0.1", resolve));
    model.url = `http://127.0.0.1:${model.server.address().port}`;
    return model;
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }

  // The result of a tool call as the model got it, once it did: {content, is_error}.
  async result(id) {
    return until(() => this.results().get(id), `the model is told the result of ${id}`);
  }

  results() {
    const found = new Map();
    for (const { messages } of this.requests)
      for (const block of messages.flatMap((message) => message.content))
        if (block.type === "tool_result") found.set(block.tool_use_id, block);
    return found;
  }

  // Every text that the model was told; what is said while it works comes as the system's.
  texts() {
    return this.requests.flatMap(({ messages }) => messages)
      .filter(({ role }) => role !== "assistant")
      .flatMap(({ content }) => (typeof content === "string" ? [text(content)] : content))
      .filter(({ type }) => type === "text").map((block) => block.text);
  }

  async serve(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    if (!request.url.startsWith("/v1/messages") || request.url.includes("count_tokens")) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ input_tokens: 1 }));
      return;
    }
    const body = JSON.parse(Buffer.concat(chunks).toString());
    body.messages = body.messages.map((message) => ({
      ...message,
      content: typeof message.content === "string" ? [text(message.content)] : message.content,
    }));
    // What the CLI asks on the side, such as a title for the session, has no tools.
    const isMain = (body.tools ?? []).length > 0;
    if (isMain) this.requests.push(body);
    const content = isMain ? await this.script(body.messages, body) : [text("side")];
    if (response.destroyed) return;
    if (body.stream) return stream(response, content, body.model);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...head(body.model), content, stop_reason: reason(content) }));
  }
}

let messages = 0;
const usage = { input_tokens: 1, output_tokens: 1 };
const head = (model) => ({ id: `msg_${++messages}`, type: "message", role: "assistant", model,
  content: [], stop_reason: null, stop_sequence: null, usage });
const reason = (content) => content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";

async function stream(response, content, model) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (data) => response.write(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
  send({ type: "message_start", message: head(model) });
  for (const [index, block] of content.entries()) {
    const isText = block.type === "text";
    const empty = isText ? text("") : { ...block, input: {} };
    send({ type: "content_block_start", index, content_block: empty });
    const whole = isText ? block.text : JSON.stringify(block.input);
    // In pieces, as a real model sends it.
    for (let at = 0; at < whole.length; at += 40) {
      const piece = whole.slice(at, at + 40);
      send({ type: "content_block_delta", index, delta: isText
        ? { type: "text_delta", text: piece }
        : { type: "input_json_delta", partial_json: piece } });
      if (at === 0) await block.pause;
    }
    send({ type: "content_block_stop", index });
  }
  send({ type: "message_delta", delta: { stop_reason: reason(content), stop_sequence: null }, usage });
  send({ type: "message_stop" });
  response.end();
}

// What was said since the model spoke last.
export function news(messages) {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  return messages.slice(last + 1).flatMap(({ content }) => content);
}

// A script that makes these calls first, and ends when it has their results.
export function calls(...blocks) {
  return (seen) => {
    const isDone = news(seen).some(({ type }) => type === "tool_result");
    return isDone ? [text("All done.")] : blocks;
  };
}
