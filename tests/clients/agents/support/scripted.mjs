// SPDX-License-Identifier: Apache-2.0
// A model of ours behind the Chat Completions API that does what the last message of a person says, and
// is done when a tool has answered: `plan[WORD]` is the call for a message that begins with that word.
// It keeps what it was told, by the prompt that began it.
import { createServer } from "node:http";

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const textOf = (content) => (typeof content === "string" ? content
  : (content ?? []).map(({ text }) => text).join(""));

export class Scripted {
  static async start(plan) {
    const model = new Scripted();
    model.plan = plan;
    model.turns = []; // what each request to the agent's model ends with
    model.server = createServer((request, response) => model.serve(request, response));
    await new Promise((resolve) => model.server.listen(0, "127.0.0.1", resolve));
    model.url = `http://127.0.0.1:${model.server.address().port}/v1`;
    return model;
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }

  // What a tool gave to the model for this prompt.
  told(prompt) {
    return this.turns.find((turn) => turn.prompt === prompt && turn.result !== null)?.result;
  }

  prompts() {
    return this.turns.map(({ prompt }) => prompt);
  }

  reply({ messages }) {
    const last = messages.findLastIndex(({ role }) => role === "user");
    const prompt = textOf(messages[last]?.content);
    const results = messages.slice(last + 1).filter(({ role }) => role === "tool");
    const result = results.length > 0 ? textOf(results.at(-1).content) : null;
    this.turns.push({ prompt, result });
    const [word, ...rest] = prompt.split(" ");
    const call = this.plan[word];
    if (result !== null || !call) return { content: result === null ? `I heard: ${prompt}` : "All done." };
    const { name, args } = typeof call === "function" ? call(rest.join(" ")) : call;
    return { tool_calls: [{ index: 0, id: `call_${this.turns.length}`, type: "function",
      function: { name, arguments: JSON.stringify(args) } }] };
  }

  async serve(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString() || "{}");
    // Without tools it is asked for a title.
    const message = body.tools?.length ? this.reply(body) : { content: "A title" };
    const head = { id: "chatcmpl-1", created: 1, model: "test", object: "chat.completion.chunk" };
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (more) => response.write(`data: ${JSON.stringify({ ...head, ...more })}\n\n`);
    send({ choices: [{ index: 0, delta: { role: "assistant", ...message }, finish_reason: null }] });
    send({ choices: [{ index: 0, delta: {}, usage,
      finish_reason: message.tool_calls ? "tool_calls" : "stop" }], usage });
    response.end("data: [DONE]\n\n");
  }
}
