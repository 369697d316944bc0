// SPDX-License-Identifier: Apache-2.0
// A broker, and `parley run acp` with the agent of support/agent.mjs, or what else a test names.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { Broker, PROGRAM, environment, until } from "../../support/broker.mjs";

export const AGENT = [process.execPath, fileURLToPath(new URL("agent.mjs", import.meta.url))];

export class World {
  static async start(t) {
    const w = new World();
    w.broker = await Broker.start();
    w.children = [];
    t.after(async () => {
      for (const child of w.children) child.kill("SIGKILL");
      await w.broker.stop();
    });
    return w;
  }

  get variables() {
    return environment(this.broker.variables);
  }

  get project() {
    return this.broker.folder;
  }

  spawn(...args) {
    const child = spawn(PROGRAM, args,
      { env: this.variables, stdio: ["pipe", "pipe", "pipe"] });
    this.children.push(child);
    const run = { child, output: "", errors: "" };
    child.stdout.on("data", (data) => { run.output += data; });
    child.stderr.on("data", (data) => { run.errors += data; });
    run.ended = once(child, "close").then(([code]) => ({ code, output: run.output, errors: run.errors }));
    return run;
  }

  // To the end of its turn, unless there is no prompt; options of `parley run acp` come before it.
  run(...args) {
    const run = this.spawn("run", "acp", ...args, "--", ...AGENT);
    run.child.stdin.end();
    return run;
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
}
