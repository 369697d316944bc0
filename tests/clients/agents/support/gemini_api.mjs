// SPDX-License-Identifier: Apache-2.0
// A model of ours behind the Gemini API, on loopback: it calls the first tool whose name ends in one
// that it is given, then is done, and keeps what it was offered and told.
import { createServer } from "node:http";

import { until } from "../../support/broker.mjs";

export class GeminiApi {
  static async start(name, args) {
    const model = new GeminiApi();
    model.wanted = { name, args };
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

  // The names of the tools that the model was offered.
  offered() {
    return [...new Set(this.requests.flatMap(({ tools = [] }) => tools)
      .flatMap(({ functionDeclarations = [] }) => functionDeclarations).map(({ name }) => name))];
  }

  async told() {
    return until(() => this.requests.flatMap(({ contents }) => contents)
      .flatMap(({ parts }) => parts).find((part) => part.functionResponse)?.functionResponse.response,
    "the model is told the result");
  }

  // What came back from its calls, in order: each request brings all that went before.
  heard() {
    return (this.requests.at(-1)?.contents ?? []).flatMap(({ parts }) => parts)
      .filter((part) => part.functionResponse)
      .map((part) => JSON.stringify(part.functionResponse.response));
  }

  reply(body) {
    const call = ({ name, args }) => {
      const tool = this.offered().find((each) => each.endsWith(name));
      return tool ? { functionCall: { name: tool, args } } : { text: "There is no such tool." };
    };
    const results = body.contents.flatMap(({ parts }) => parts)
      .filter((part) => part.functionResponse);
    if (results.length === 0) return call(this.wanted);
    const next = this.next?.(JSON.stringify(results.at(-1).functionResponse.response));
    return next ? call(next) : { text: "All done." };
  }

  async serve(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString() || "{}");
    if (request.url.includes("enerateContent")) this.requests.push(body);
    const isStream = request.url.includes("stream");
    const document = JSON.stringify(request.url.includes("countTokens") ? { totalTokens: 1 } : {
      candidates: [{ index: 0, finishReason: "STOP",
        content: { role: "model", parts: [this.reply(body)] } }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    });
    response.writeHead(200, {
      "content-type": isStream ? "text/event-stream" : "application/json" });
    response.end(isStream ? `data: ${document}\r\n\r\n` : document);
  }
}
