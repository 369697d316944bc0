// SPDX-License-Identifier: Apache-2.0
// OpenCode's SDK, raw calls and event streams against a broker.
import { createOpencodeClient as createV1 } from "@opencode-ai/sdk/client";
import { createOpencodeClient as createV2 } from "@opencode-ai/sdk/v2/client";

import { until } from "../support/broker.mjs";

export const COLOR = {
  question: "What is your favorite color?", header: "Color",
  options: [
    { label: "Blue", description: "like the sky" }, { label: "Red", description: "like a rose" },
  ],
};
export const TOPPINGS = {
  question: "Which toppings?", header: "Toppings", multi_select: true,
  options: ["Ham", "Olives", "Corn"],
};

const bearer = (broker) => ({ authorization: `Bearer ${broker.token}` });

export const sdk = (broker, more = {}) =>
  createV2({ baseUrl: broker.url, headers: bearer(broker), ...more });
export const sdkV1 = (broker, more = {}) =>
  createV1({ baseUrl: broker.url, headers: bearer(broker), ...more });

// A request as it is; {status, text, body} with the body as JSON if it is any.
export async function raw(broker, method, path, body, headers = {}) {
  const response = await fetch(broker.url + path, {
    method, body,
    headers: {
      ...bearer(broker), ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
  });
  const text = await response.text();
  let parsed = null;
  try {
    parsed = JSON.parse(text);
  } catch {
    // not JSON, as some answers are not
  }
  return { status: response.status, text, body: parsed, headers: response.headers };
}

// Asks through the native door; gives the ask.
export async function ask(broker, session, questions = [COLOR], more = {}) {
  const { status, body } = await broker.call("POST", "/v1/asks", { questions, session, ...more });
  if (status !== 201) throw new Error(`asking: ${status} ${JSON.stringify(body)}`);
  return body;
}

// One raw event stream: `events` grows; every event is {id, data}.
export class Events {
  static async open(broker, path = "/event", headers = {}) {
    const self = new Events();
    self.events = [];
    self.text = "";
    self.stop = new AbortController();
    const response = await fetch(broker.url + path, {
      headers: { ...bearer(broker), ...headers }, signal: self.stop.signal,
    });
    self.response = response;
    self.done = self.read(response.body).then(() => "ended", () => "broken");
    if (response.ok) await until(() => self.events.length > 0, "the first event");
    return self;
  }

  async read(body) {
    const decoder = new TextDecoder();
    let buffer = "";
    for await (const bytes of body) {
      const more = decoder.decode(bytes, { stream: true });
      this.text += more;
      buffer += more;
      for (let end = buffer.indexOf("\n\n"); end >= 0; end = buffer.indexOf("\n\n")) {
        const event = {};
        for (const line of buffer.slice(0, end).split("\n")) {
          if (line.startsWith("data: ")) event.data = JSON.parse(line.slice(6));
          if (line.startsWith("id: ")) event.id = line.slice(4);
        }
        if (event.data) this.events.push(event);
        buffer = buffer.slice(end + 2);
      }
    }
  }

  get types() { return this.events.map(({ data }) => (data.payload ?? data).type); }
  get lastId() { return this.events.findLast(({ id }) => id !== undefined)?.id; }

  // The first event of this type that `fits`.
  async find(type, fits = () => true) {
    return until(() => {
      const found = this.events.find(({ data }) => {
        const event = data.payload ?? data;
        return event.type === type && fits(event.properties ?? event.data);
      });
      return found && (found.data.payload ?? found.data);
    }, `the event ${type} among ${this.types}`);
  }
  async cursor() { return until(() => this.lastId, "an event with an id"); }
  close() { this.stop.abort(); }
}
