// SPDX-License-Identifier: Apache-2.0
// A chat app on the chat socket, with npm's WebSocket: keeps every message, and waits for the ones
// that a test wants.
import WebSocket from "ws";

import { until } from "./broker.mjs";

export class ChatApp {
  constructor(broker, session, { query = "", token = broker.token } = {}) {
    const address = broker.url.replace("http", "ws");
    this.messages = [];
    this.taken = 0;
    this.closed = null;
    this.socket = new WebSocket(
      `${address}/api/v1/chat/ws/${encodeURIComponent(session)}${query}`,
      { headers: token ? { authorization: `Bearer ${token}` } : {} });
    this.socket.on("message", (data) => this.messages.push(JSON.parse(data)));
    this.socket.on("close", (code, reason) => { this.closed = { code, reason: `${reason}` }; });
    this.socket.on("unexpected-response", (_, response) => {
      this.closed = { status: response.statusCode };
      response.resume();
    });
    this.socket.on("error", () => {});
  }

  // Connected, and past the first status.
  static async open(broker, session, options) {
    const app = new ChatApp(broker, session, options);
    app.connected = await app.next("connected");
    app.status = await app.next("session_status");
    return app;
  }

  // The next message of that type after those already taken; what comes before it is passed over.
  async next(type, matches = () => true) {
    return until(() => {
      if (this.closed && this.messages.length <= this.taken)
        throw new Error(`closed with ${JSON.stringify(this.closed)} before ${type}`);
      while (this.taken < this.messages.length) {
        const message = this.messages[this.taken++];
        if (message.type === type && matches(message)) return message;
      }
      return null;
    }, `a message ${type}`);
  }

  types() {
    return this.messages.map((message) => message.type);
  }

  send(message) {
    this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  respond(question, answers, more = {}) {
    this.send({ type: "ask_user_response", data: { question_id: question, answers, ...more } });
  }

  // A message whose answer shows that everything before it has been handled.
  async barrier() {
    this.send({ type: "no_such_type" });
    return this.next("error", ({ error }) => error.includes("no_such_type"));
  }

  async ended() {
    return until(() => this.closed, "the socket's end");
  }

  async close() {
    this.socket.close();
    return this.ended();
  }
}
