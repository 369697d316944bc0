// SPDX-License-Identifier: Apache-2.0
// A chat page on the AI SDK without a framework: the SDK's own chat over its own transport.
import { AbstractChat, DefaultChatTransport } from "ai";

import { until } from "./broker.mjs";

// What a framework would keep.
class PlainState {
  constructor(messages) {
    this.messages = messages;
    this.status = "ready";
    this.error = undefined;
  }
  pushMessage = (message) => { this.messages = [...this.messages, message]; };
  popMessage = () => { this.messages = this.messages.slice(0, -1); };
  replaceMessage = (index, message) => {
    this.messages = this.messages.map((old, i) => (i === index ? structuredClone(message) : old));
  };
  snapshot = (value) => structuredClone(value);
}

export class UiChat extends AbstractChat {
  constructor(broker, id, { messages = [], body, ...options } = {}) {
    super({
      id,
      state: new PlainState(messages),
      transport: transport(broker, body),
      onError: (error) => { this.failures.push(error); },
      ...options,
    });
    this.failures = [];
  }

  // The tool part of a call in the last message, once `matches`.
  async part(call, matches = () => true) {
    return until(() => {
      if (this.failures.length > 0) throw this.failures[0];
      const part = this.parts().find(({ toolCallId }) => toolCallId === call);
      return part && matches(part) && part;
    }, `the part of call ${call}`);
  }

  parts() {
    return this.messages.at(-1)?.parts ?? [];
  }

  text() {
    return this.parts().filter(({ type }) => type === "text").map(({ text }) => text).join("|");
  }

  async rest() {
    return until(() => this.status === "ready" || this.status === "error", "the end of the turn");
  }
}

export function transport(broker, body) {
  return new DefaultChatTransport({
    api: `${broker.url}/api/chat`,
    headers: { authorization: `Bearer ${broker.token}` },
    body,
  });
}

export function userMessage(text) {
  return { id: `user-${text}`, role: "user", parts: [{ type: "text", text }] };
}

// Every chunk of a stream, as the SDK's transport reads it.
export async function chunksOf(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}
