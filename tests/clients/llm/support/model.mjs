// SPDX-License-Identifier: Apache-2.0
// A stand-in for a model's server on this machine, in the wire formats of both APIs: Anthropic's Messages
// at /v1/messages, OpenAI's Chat Completions at /v1/chat/completions. `script` makes each reply from what
// the request says and is told nothing else, so a request that comes again gets the same reply.
import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";

// A request as both APIs mean it: who said what, and what came of which call.
export function readRequest(path, body) {
  const isAnthropic = path === "/v1/messages";
  const said = isAnthropic ? fromAnthropic(body) : fromOpenAi(body);
  return { api: isAnthropic ? "anthropic" : "openai", said,
    users: said.filter(({ user }) => user !== undefined).map(({ user }) => user),
    results: said.filter(({ result }) => result !== undefined) };
}

function fromAnthropic({ messages }) {
  return messages.flatMap(({ role, content }) => content.map((block) => {
    if (block.type === "tool_result")
      return { call: block.tool_use_id, result: block.content, isError: block.is_error === true };
    if (block.type === "tool_use") return { call: block.id, tool: block.name, input: block.input };
    if (block.type === "thinking") return { thought: block.thinking, signature: block.signature };
    return role === "user" ? { user: block.text } : { model: block.text };
  }));
}

function fromOpenAi({ messages }) {
  return messages.flatMap((message) => {
    if (message.role === "system") return [];
    if (message.role === "user") return [{ user: message.content }];
    if (message.role === "tool") return [{ call: message.tool_call_id, result: message.content }];
    const words = message.content ? [{ model: message.content }] : [];
    return [...words, ...(message.tool_calls ?? []).map((call) => ({
      call: call.id, tool: call.function.name, input: JSON.parse(call.function.arguments) }))];
  });
}

const halves = (words) => {
  const middle = Math.ceil(words.length / 2);
  return words === "" ? [] : [words.slice(0, middle), words.slice(middle)].filter((half) => half !== "");
};
const json = (input) => (typeof input === "string" ? input : JSON.stringify(input));

// A reply: {thought, signature, text, calls: [{id, name, input}], stop}.
export function anthropicEvents({ thought, signature = "sig", text = "", calls = [], stop }) {
  const events = [{ type: "message_start", message: { id: "msg_1", type: "message", role: "assistant",
    model: "stand-in", content: [], stop_reason: null, stop_sequence: null,
    usage: { input_tokens: 10, cache_creation_input_tokens: 5, cache_read_input_tokens: 85,
      output_tokens: 1 } } }, { type: "ping" }];
  let index = 0;
  const block = (content_block, deltas) => {
    events.push({ type: "content_block_start", index, content_block });
    for (const delta of deltas) events.push({ type: "content_block_delta", index, delta });
    events.push({ type: "content_block_stop", index });
    ++index;
  };
  if (thought) block({ type: "thinking", thinking: "", signature: "" }, [
    ...halves(thought).map((thinking) => ({ type: "thinking_delta", thinking })),
    { type: "signature_delta", signature }]);
  if (text) block({ type: "text", text: "" },
    halves(text).map((half) => ({ type: "text_delta", text: half })));
  for (const { id, name, input } of calls) block({ type: "tool_use", id, name, input: {} },
    halves(json(input)).map((partial_json) => ({ type: "input_json_delta", partial_json })));
  events.push({ type: "message_delta", delta: {
    stop_reason: stop ?? (calls.length > 0 ? "tool_use" : "end_turn"), stop_sequence: null },
  usage: { output_tokens: 20 } }, { type: "message_stop" });
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

// `lacks`: what a local server leaves out: "ids", "usage", "done".
export function openAiEvents({ text = "", calls = [], stop, refusal, lacks = [] }) {
  const chunk = (delta, finish_reason = null) => ({ id: "chatcmpl-1", object: "chat.completion.chunk",
    created: 1, model: "stand-in", choices: [{ index: 0, delta, finish_reason }] });
  const fragments = calls.map(({ id, name, input }, index) => {
    const [first = "", second = ""] = halves(json(input));
    return [{ index, ...(lacks.includes("ids") ? {} : { id }), type: "function",
      function: { name, arguments: first } }, { index, function: { arguments: second } }];
  });
  const events = [chunk({ role: "assistant", content: "" }),
    ...halves(text).map((content) => chunk({ content })),
    ...(refusal ? [chunk({ refusal })] : []),
    // The fragments of calls that are made at once come mixed.
    ...fragments.map(([first]) => chunk({ tool_calls: [first] })),
    ...fragments.map(([, second]) => chunk({ tool_calls: [second] })),
    chunk({}, stop ?? (calls.length > 0 ? "tool_calls" : "stop"))];
  if (!lacks.includes("usage"))
    events.push({ ...chunk({}), choices: [], usage: { prompt_tokens: 100, completion_tokens: 20,
      total_tokens: 120, prompt_tokens_details: { cached_tokens: 85 } } });
  return [...events.map((event) => `data: ${JSON.stringify(event)}\n\n`),
    ...(lacks.includes("done") ? [] : ["data: [DONE]\n\n"])];
}

export class Model {
  // Besides a reply, `script` may give {status, headers, error}, {event: an error in the stream}, or a
  // reply with `cutAt`: how much of the text goes out, from 0 to 1, before the connection is lost.
  // `certificate`: {key, cert} of a server that speaks TLS.
  static async start(script, certificate = undefined) {
    const model = new Model();
    model.script = script;
    model.requests = []; // {path, headers, body} and what readRequest() makes of it
    const serve = (request, response) => model.serve(request, response);
    model.server = certificate ? createSecureServer(certificate, serve) : createServer(serve);
    model.server.on("connection", (socket) => socket.setNoDelay(true));
    model.server.listen(0, "127.0.0.1");
    await once(model.server, "listening");
    model.url = `${certificate ? "https" : "http"}://127.0.0.1:${model.server.address().port}`;
    return model;
  }

  async serve(request, response) {
    let text = "";
    for await (const piece of request) text += piece;
    const body = JSON.parse(text);
    const asked = { path: request.url, headers: request.headers, body, ...readRequest(request.url, body) };
    this.requests.push(asked);
    const reply = await this.script(asked, this.requests.length);
    if (reply.status) {
      response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
      response.end(typeof reply.error === "string" ? reply.error : JSON.stringify({ error: reply.error }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    await this.stream(response, asked.api, reply);
  }

  async stream(response, api, reply) {
    const events = api === "anthropic" ? anthropicEvents(reply) : openAiEvents(reply);
    let bytes = Buffer.from(events.join(""));
    if (reply.event) {
      const lead = events.slice(0, 4).join("");
      bytes = Buffer.from(lead + (api === "anthropic"
        ? `event: error\ndata: ${JSON.stringify({ type: "error", error: reply.event })}\n\n`
        : `data: ${JSON.stringify({ error: reply.event })}\n\n`));
    }
    if (reply.cutAt !== undefined) bytes = bytes.subarray(0, Math.floor(bytes.length * reply.cutAt));
    const size = reply.piece ?? bytes.length;
    for (let at = 0; at < bytes.length; at += size) {
      // On its way before the next, or before the connection goes.
      await new Promise((resolve) => { response.write(bytes.subarray(at, at + size), resolve); });
      await reply.after?.();
    }
    if (reply.cutAt === undefined) return response.end();
    response.destroy();
  }

  async stop() {
    this.server.closeAllConnections();
    this.server.close();
  }
}
