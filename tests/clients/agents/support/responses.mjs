// SPDX-License-Identifier: Apache-2.0
// A model of ours behind the Responses API, on loopback: it asks once through Parley's tool, then is
// done, and keeps what it was told.
import { createServer } from "node:http";

import { until } from "../../support/broker.mjs";

const usage = { input_tokens: 1, input_tokens_details: null, output_tokens: 1,
  output_tokens_details: null, total_tokens: 2 };
const done = { type: "message", id: "msg_1", role: "assistant",
  content: [{ type: "output_text", text: "All done." }] };

// Before its last words it thinks, and says them in pieces.
const thought = { type: "reasoning", id: "rs_1",
  summary: [{ type: "summary_text", text: "Nothing is left." }] };

function speak(send) {
  send("response.output_item.done", { item: thought });
  send("response.output_item.added", { item: { ...done, content: [] } });
  for (const delta of ["All ", "done."])
    send("response.output_text.delta", { item_id: done.id, output_index: 0, content_index: 0, delta });
}

// Of a function, or of a tool that takes text.
const isResult = ({ type }) => /_call_output$/.test(type);

export class Responses {
  // `call` is what the model calls first: {name, namespace, arguments}.
  static async start(call) {
    const model = new Responses();
    model.call = { type: "function_call", id: "fc_1", call_id: "call_1", ...call,
      arguments: JSON.stringify(call.arguments) };
    model.requests = [];
    model.server = createServer((request, response) => model.serve(request, response));
    await new Promise((resolve) => model.server.listen(0, "127.0.0.1", resolve));
    model.url = `http://127.0.0.1:${model.server.address().port}/v1`;
    return model;
  }

  // Its words in pieces, or no words at all.
  streams = false;
  isBusy = false;

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }

  // What the model was told as the result of its call, once it was.
  async told() {
    return until(() => this.results()[0]?.output, "the model is told the result");
  }

  reply(result) {
    if (!result) return this.call;
    const next = this.next?.(result.output);
    if (!next) return done;
    const call = `call_${this.requests.length}`;
    return { ...this.call, id: `fc_${call}`, call_id: call, name: next.name,
      arguments: JSON.stringify(next.args) };
  }

  // What came back from its calls, in order: each request brings all that went before.
  heard() {
    return (this.requests.at(-1)?.input ?? [])
      .filter(isResult).map(({ output }) => output);
  }

  // What people said to it, in order.
  messages() {
    return (this.requests.at(-1)?.input ?? []).filter(({ role }) => role === "user")
      .flatMap(({ content }) => content).map(({ text }) => text);
  }

  results() {
    return this.requests.flatMap(({ input = [] }) => input).filter(isResult);
  }

  async serve(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    if (!request.url.includes("/responses")) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ data: [], models: [] }));
      return;
    }
    const body = JSON.parse(Buffer.concat(chunks).toString());
    this.requests.push(body);
    if (this.isBusy) {
      response.writeHead(503, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: "busy" } }));
      return;
    }
    const result = body.input.findLast(isResult);
    const item = (body.tools ?? []).length === 0 ? done : this.reply(result);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (type, data) =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    const id = `resp_${this.requests.length}`;
    send("response.created", { response: { id } });
    if (this.streams && item === done) speak(send);
    send("response.output_item.done", { item });
    send("response.completed", { response: { id, usage } });
    response.end();
  }
}
