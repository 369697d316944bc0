// SPDX-License-Identifier: Apache-2.0
// Clients of @trpc/client against a broker, over each of its links, and a listener that keeps what
// a subscription tells.
import {
  createTRPCClient, createWSClient, httpBatchLink, httpBatchStreamLink, httpLink,
  httpSubscriptionLink, splitLink, wsLink,
} from "@trpc/client";
import { EventSource } from "eventsource";
import { WebSocket } from "ws";
import { until } from "../support/broker.mjs";

export const DATABASE = {
  question: "Which database?", header: "DB", multiSelect: false,
  options: [{ label: "PostgreSQL", description: "Your existing one" },
            { label: "SQLite", description: "" }],
};
export const FEATURES = {
  question: "Which features?", header: "Features", multiSelect: true,
  options: [{ label: "Dark mode", description: "" }, { label: "Offline", description: "" }],
};
export const REMARK = { question: "Anything else?", header: "Remark", multiSelect: false,
                        options: [] };

const bearer = (token) => ({ authorization: `Bearer ${token}` });

// Calls by one HTTP link; subscriptions by Server-Sent Events.
function overHttp(link, broker, token) {
  const url = `${broker.url}/trpc`;
  const client = createTRPCClient({
    links: [splitLink({
      condition: (operation) => operation.type === "subscription",
      true: httpSubscriptionLink({ url, EventSource, connectionParams: { token } }),
      false: link({ url, headers: bearer(token) }),
    })],
  });
  return { client, close: async () => {} };
}

function overSocket(broker, token) {
  const socket = createWSClient({
    url: `${broker.url.replace("http", "ws")}/trpc`, WebSocket, connectionParams: { token },
    retryDelayMs: () => 50,
  });
  return { client: createTRPCClient({ links: [wsLink({ client: socket })] }), socket,
           close: () => socket.close() };
}

// By name: how a client reaches the door.
export const TRANSPORTS = {
  "sse and batch": (broker, token = broker.token) => overHttp(httpBatchLink, broker, token),
  "sse and batch stream": (broker, token = broker.token) =>
    overHttp(httpBatchStreamLink, broker, token),
  "sse and single calls": (broker, token = broker.token) => overHttp(httpLink, broker, token),
  websocket: (broker, token = broker.token) => overSocket(broker, token),
};

// What a subscription has told so far.
export class Listener {
  constructor(procedure, input) {
    this.events = [];
    this.errors = [];
    this.started = 0;
    this.isComplete = false;
    this.subscription = procedure.subscribe(input, {
      onStarted: () => { this.started += 1; },
      onData: (event) => this.events.push(event),
      onError: (error) => this.errors.push(error),
      onComplete: () => { this.isComplete = true; },
    });
  }

  get types() {
    return this.events.map((event) => (event.data ?? event).type);
  }

  // The `count`th event of that type.
  async event(type, count = 1) {
    return until(() => this.events.map((event) => event.data ?? event)
      .filter((event) => event.type === type)[count - 1],
    `${count}. ${type}; there are: ${JSON.stringify(this.events).slice(0, 2000)}`);
  }

  async ready() {
    await until(() => this.started > 0 || this.errors.length > 0, "the subscription starts");
    return this;
  }

  stop() {
    this.subscription.unsubscribe();
  }
}

export async function listen(client, input, procedure = "streamResponse") {
  return new Listener(client.message[procedure], input).ready();
}

// The failure of a call, as what its client can tell of it.
export async function failure(promise) {
  try {
    const value = await promise;
    throw new Error(`it went well: ${JSON.stringify(value)}`);
  } catch (error) {
    if (!error.data) throw error;
    return { code: error.data.code, status: error.data.httpStatus, message: error.message,
             data: error.data };
  }
}

export const UNKNOWN = "Question not found or already answered";
