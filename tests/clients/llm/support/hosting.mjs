// SPDX-License-Identifier: Apache-2.0
// `parley serve --agent llm` and a stand-in for a model's server.
import { join } from "node:path";

import { Broker, until } from "../../support/broker.mjs";
import { Model } from "./model.mjs";
import { KEY } from "./world.mjs";

export class HostingBroker extends Broker {
  get variables() {
    return { ...super.variables, XDG_STATE_HOME: join(this.folder, "state"),
      XDG_CONFIG_HOME: join(this.folder, "config"), ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY };
  }

  async restart() {
    const started = super.restart();
    this.process.stderr.on("data", (data) => { this.log = (this.log ?? "") + data; });
    await started;
  }
}

export class Hosting {
  static async start(t, api, script, more = []) {
    const h = new Hosting();
    h.model = await Model.start(script);
    t.after(() => h.model.stop());
    h.broker = await HostingBroker.start(["--agent", "llm", "--api", api, "--base-url", h.model.url,
      "--model", "stand-in", ...more]);
    t.after(() => h.broker.stop());
    return h;
  }

  // A person begins a session: its id.
  async open(more = {}) {
    return (await this.broker.call("POST", "/v1/sessions", more)).body.id;
  }

  async say(session, text) {
    return (await this.broker.call("POST", `/v1/sessions/${session}/messages`, { text })).body;
  }

  async log(session) {
    const { body } = await this.broker.call("GET", `/v1/sessions/${session}/events?limit=1000`);
    return body.events.map(({ event }) => event);
  }

  async words(session) {
    return (await this.log(session)).filter(({ part }) => part?.type === "text-end")
      .map(({ part }) => part.text);
  }

  async hears(session, text) {
    return until(async () => (await this.words(session)).some((words) => words.includes(text)),
      `${session} hears: ${text}`);
  }

  async isTold(session, pattern) {
    return until(async () => (await this.log(session)).find(({ type, text }) =>
      type === "notice" && pattern.test(text)), `${session} is told: ${pattern}`);
  }

  async asked(session) {
    return (await this.broker.pending(1, session))[0];
  }

  // What the model was sent last in the conversation that began with these words.
  lastOf(first) {
    return this.model.requests.findLast(({ users }) => users[0] === first);
  }
}
