// SPDX-License-Identifier: Apache-2.0
// OpenCode's own server in a world, and a client of it such as its window is.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { until } from "../../support/broker.mjs";

const PASSWORD = "sesame";
const STARTS_WITHIN_MS = 120_000;

// What OpenCode is to be like: the model is ours, and it asks before it acts.
export async function settings(w, more = {}) {
  const file = join(w.home, ".config/opencode/opencode.json");
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify({
    autoupdate: false, share: "disabled", model: "ours/test", small_model: "ours/test",
    permission: { bash: "ask", edit: "ask", ...more.permission },
    provider: { ours: { npm: "@ai-sdk/openai-compatible", name: "ours",
      options: { baseURL: w.model.url, apiKey: "none" },
      models: { test: { name: "test", tool_call: true } } } },
    ...more.config }));
}

export class OpencodeServer {
  static async start(w, program) {
    const server = new OpencodeServer();
    Object.assign(server, { w, program, port: 0 });
    await server.restart();
    return server;
  }

  // Takes the port that it had before.
  async restart() {
    this.process = spawn(this.program, ["serve", "--hostname", "127.0.0.1", "--port", `${this.port}`],
      { cwd: this.w.project, env: { ...this.w.variables, OPENCODE_SERVER_PASSWORD: PASSWORD },
        stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    this.process.stdout.on("data", (data) => { said += data; });
    this.process.stderr.on("data", (data) => { said += data; });
    this.url = (await until(() => /listening on (\S+)/.exec(said), "OpenCode listens",
      STARTS_WITHIN_MS))[1];
    this.port = new URL(this.url).port;
  }

  async kill() {
    const ended = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await ended;
  }

  // What a command of ours needs to reach it.
  get variables() {
    return { OPENCODE_SERVER_PASSWORD: PASSWORD };
  }

  async call(method, path, body, directory = this.w.project) {
    const url = new URL(this.url + path);
    url.searchParams.set("directory", directory);
    const authorization = `Basic ${Buffer.from(`opencode:${PASSWORD}`).toString("base64")}`;
    const response = await fetch(url, { method, body: body && JSON.stringify(body),
      headers: { authorization, ...(body && { "content-type": "application/json" }) } });
    const text = await response.text();
    return { status: response.status, body: text ? JSON.parse(text) : null };
  }

  // A new session in which somebody says this.
  async prompt(text, directory = this.w.project) {
    const { body } = await this.call("POST", "/session", {}, directory);
    await this.call("POST", `/session/${body.id}/prompt_async`, { parts: [{ type: "text", text }] },
      directory);
    return body.id;
  }

  // What it waits for in a session, by its own list.
  async waiting(kind, session, directory = this.w.project) {
    const { body } = await this.call("GET", `/${kind}`, undefined, directory);
    return body.filter(({ sessionID }) => sessionID === session);
  }

  async isIdle(session, directory = this.w.project) {
    return !(await this.call("GET", "/session/status", undefined, directory)).body[session];
  }
}
