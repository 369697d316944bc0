// SPDX-License-Identifier: Apache-2.0
// A stand-in for OpenAI's Responses API on this machine, without streaming. `reply` makes an output item
// from the items of a request.
import { once } from "node:events";
import { createServer } from "node:http";

export class ResponsesModel {
  static async start(reply) {
    const model = new ResponsesModel();
    model.requests = [];
    model.server = createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      const { input } = JSON.parse(text);
      model.requests.push(input);
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({
        id: `resp_${model.requests.length}`, object: "response", created_at: 0, status: "completed",
        model: "stand-in", output: [reply(input)], parallel_tool_calls: false, tools: [],
        usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2,
          input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
      }));
    });
    await once(model.server.listen(0, "127.0.0.1"), "listening");
    model.url = `http://127.0.0.1:${model.server.address().port}/v1`;
    return model;
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }
}

export const call = (id, name, input) => ({
  type: "function_call", id: `fc_${id}`, call_id: id, name, arguments: JSON.stringify(input),
  status: "completed" });

export const words = (text) => ({
  type: "message", id: "msg_1", role: "assistant", status: "completed",
  content: [{ type: "output_text", text, annotations: [] }] });
