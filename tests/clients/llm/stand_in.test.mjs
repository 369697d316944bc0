// SPDX-License-Identifier: Apache-2.0
// The stand-in speaks as the real servers do: their makers' own clients read from it what it was told to
// say, byte for byte, and see its errors as what they are.
import assert from "node:assert/strict";
import { test } from "node:test";

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

import { Model } from "./support/model.mjs";

const CALLS = [{ id: "c_0", name: "AskUserQuestion", input: { questions: ["é", { a: [1] }] } },
  { id: "c_1", name: "wait_answer", input: { ask_id: "que_1" } }];

async function start(t, script) {
  const model = await Model.start(script);
  t.after(() => model.stop());
  return {
    anthropic: new Anthropic({ baseURL: model.url, apiKey: "k", maxRetries: 0 }),
    openai: new OpenAI({ baseURL: `${model.url}/v1`, apiKey: "k", maxRetries: 0 }),
  };
}

const messages = [{ role: "user", content: [{ type: "text", text: "hello" }] }];

test("Anthropic's client reads thought, text and calls, one byte at a time", async (t) => {
  const { anthropic } = await start(t, () => ({ thought: "Hm.", signature: "s1", text: "Sö, let me ask.",
    calls: CALLS, piece: 1 }));
  const message = await anthropic.messages.stream({ model: "m", max_tokens: 9, messages }).finalMessage();
  assert.deepEqual(message.content.map(({ type }) => type), ["thinking", "text", "tool_use", "tool_use"]);
  assert.equal(message.content[0].signature, "s1");
  assert.equal(message.content[1].text, "Sö, let me ask.");
  assert.deepEqual(message.content.slice(2).map(({ id, name, input }) => ({ id, name, input })), CALLS);
  assert.equal(message.stop_reason, "tool_use");
  assert.equal(message.usage.cache_read_input_tokens, 85);
});

test("OpenAI's client reads text and mixed calls, one byte at a time", async (t) => {
  const { openai } = await start(t, () => ({ text: "Sö, let me ask.", calls: CALLS, piece: 1 }));
  const stream = openai.chat.completions.stream({ model: "m", stream_options: { include_usage: true },
    messages: [{ role: "user", content: "hello" }] });
  const completion = await stream.finalChatCompletion();
  const { message, finish_reason } = completion.choices[0];
  assert.equal(message.content, "Sö, let me ask.");
  assert.deepEqual(message.tool_calls.map(({ id, function: { name, arguments: input } }) =>
    ({ id, name, input: JSON.parse(input) })), CALLS);
  assert.equal(finish_reason, "tool_calls");
  assert.equal(completion.usage.prompt_tokens_details.cached_tokens, 85);
});

test("both see errors by their status, and one in the middle of a stream", async (t) => {
  const { anthropic, openai } = await start(t, ({ users }) => (users[0] === "hello"
    ? { status: 429, headers: { "retry-after": "1" }, error: { type: "rate_limit_error", message: "slow" } }
    : { text: "Some words.", event: { type: "overloaded_error", message: "Overloaded" } }));
  const overload = [{ role: "user", content: [{ type: "text", text: "overload" }] }];
  await assert.rejects(anthropic.messages.create({ model: "m", max_tokens: 9, messages }),
    Anthropic.RateLimitError);
  await assert.rejects(openai.chat.completions.create({ model: "m", messages: [
    { role: "user", content: "hello" }] }), OpenAI.RateLimitError);
  await assert.rejects(
    anthropic.messages.stream({ model: "m", max_tokens: 9, messages: overload }).finalMessage(),
    /Overloaded/);
  await assert.rejects(openai.chat.completions.stream({ model: "m", messages: [
    { role: "user", content: "overload" }] }).finalChatCompletion(), /Overloaded/);
});
