// SPDX-License-Identifier: Apache-2.0
// A broker, a stand-in for a model's server, and `parley run llm` between them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { Broker, PROGRAM, environment, until } from "../../support/broker.mjs";
import { Model } from "./model.mjs";

export const KEY = "sk-test-0123456789-secret";

export const question = (text, labels = ["Blue", "Green"]) => ({ questions: [{ question: text,
  header: "Colour", multiSelect: false,
  options: labels.map((label) => ({ label, description: `It is ${label}.` })) }] });
export const ask = (id, input) => ({ id, name: "AskUserQuestion", input });

export class World {
  static async start(t, api, script) {
    const w = new World();
    w.api = api;
    w.broker = await Broker.start();
    w.model = await Model.start(script);
    w.children = [];
    t.after(async () => {
      for (const child of w.children) child.kill("SIGKILL");
      await w.model.stop();
      await w.broker.stop();
    });
    return w;
  }

  get variables() {
    return environment({ ...this.broker.variables, XDG_STATE_HOME: join(this.broker.folder, "state"),
      ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY, ...this.more });
  }

  get modelOptions() {
    return ["--api", this.api, "--base-url", this.model.url, "--model", "stand-in"];
  }

  spawn(...args) {
    const child = spawn(PROGRAM, args, { env: this.variables, stdio: ["pipe", "pipe", "pipe"] });
    this.children.push(child);
    const run = { child, output: "", errors: "" };
    const lines = createInterface({ input: child.stdout });
    lines.on("line", (line) => {
      run.output += `${line}\n`;
      run.onLine?.(line);
    });
    child.stderr.on("data", (data) => { run.errors += data; });
    run.ended = Promise.all([once(child, "close"), once(lines, "close")])
      .then(([[code]]) => ({ code, output: run.output, errors: run.errors }));
    child.stdin.end();
    return run;
  }

  // A new session, to the end of its turn.
  run(...args) {
    return this.spawn("run", "llm", ...this.modelOptions, ...args);
  }

  async asked(count = 1) {
    const asks = await this.broker.pending(count);
    return count === 1 ? asks[0] : asks;
  }

  async settled(id) {
    return until(async () => {
      const { body } = await this.broker.call("GET", `/v1/asks/${id}`);
      return body.state !== "pending" && body;
    }, `${id} is settled`);
  }

  // What happened in a session, oldest first.
  async log(session) {
    const { body } = await this.broker.call("GET", `/v1/sessions/${session}/events?limit=1000`);
    return body.events.map(({ event }) => event);
  }

  async parts(session) {
    return (await this.log(session)).filter(({ type }) => type === "session.part").map(({ part }) => part);
  }

  // What the model said there.
  async words(session) {
    return (await this.parts(session)).filter(({ type }) => type === "text-end").map(({ text }) => text);
  }

  // What the model was sent last.
  get last() {
    return this.model.requests.at(-1);
  }
}
