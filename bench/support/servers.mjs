// SPDX-License-Identifier: Apache-2.0
// A server under measurement, in a folder of its own; and `parley serve` as one.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

import { Caller } from "./raw_http.mjs";

async function firstLine(child, fits) {
  for await (const line of createInterface({ input: child.stdout })) if (fits(line)) return line;
  throw new Error("the server ended");
}

export class Server {
  // The first line of its output that fits.
  async spawn(program, options, env, fits) {
    this.child = spawn(program, options, {
      cwd: this.folder, stdio: ["ignore", "pipe", "ignore"], env: { PATH: process.env.PATH, ...env },
    });
    process.on("exit", () => this.child.kill("SIGKILL"));
    const line = await firstLine(this.child, fits);
    this.child.stdout.resume();
    return line;
  }

  async makeFolder() {
    this.folder = await mkdtemp(join(tmpdir(), "parley-bench-"));
  }

  reach(port, headers) {
    this.port = port;
    this.headers = headers;
    this.caller = new Caller(port, headers);
  }

  async stop() {
    this.caller.close();
    const ended = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await ended;
    if (this.folder) await rm(this.folder, { recursive: true, force: true });
  }
}

export class Parley extends Server {
  // Without a store's URL it is a file.
  constructor(name = "parley", store = undefined) {
    super();
    this.name = name;
    this.store = store;
  }

  async start() {
    await this.makeFolder();
    const line = await this.spawn(resolve(process.env.PARLEY_PROGRAM), [
      "serve", "--json", "--listen", "127.0.0.1:0",
      "--store", this.store ?? `sqlite:${this.folder}/parley.db`,
      "--token-file", `${this.folder}/token`, "--socket", `${this.folder}/socket`,
    ], { HOME: this.folder }, (text) => text.startsWith("{"));
    const token = (await readFile(`${this.folder}/token`, "utf8")).trim();
    this.reach(Number(new URL(JSON.parse(line).url).port), { authorization: `Bearer ${token}` });
  }
}
