// SPDX-License-Identifier: Apache-2.0
// A broker of the built program in a folder of its own, and calls on its native door.
// $PARLEY_PROGRAM names the program. With $PARLEY_SHARED_STORE, a PostgreSQL server, it has a peer:
// clients of a door are at `url`, calls are made at the peer.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { newDatabase } from "./database.mjs";

export const PROGRAM = process.env.PARLEY_PROGRAM;
const PATIENCE_MS = 40_000; // a machine may be slow; a test that hangs must still end

// An environment that depends on nobody's home folder, locale or broker.
export function environment(changes = {}) {
  // Of this test alone: a broker that one starts there must not be found by another.
  const empty = join(tmpdir(), `parley-no-such-home-${process.pid}`);
  return {
    PATH: process.env.PATH, HOME: empty, LANG: "C.UTF-8", USER: "ada", XDG_RUNTIME_DIR: empty,
    ...changes,
  };
}

// Waits until `look` gives something true, and gives that.
export async function until(look, what = String(look), patience = PATIENCE_MS) {
  const end = Date.now() + patience;
  while (Date.now() < end) {
    const seen = await look();
    if (seen) return seen;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`this did not happen: ${what}`);
}

export const SHARED_STORE = process.env.PARLEY_SHARED_STORE;

export class Broker {
  // `options` are further arguments of `parley serve`. Who names a store gets one node at it; nodes
  // that share a store have one token.
  static async start(options = [], { store, token } = {}) {
    const isPair = SHARED_STORE && !store;
    if (isPair) store = await newDatabase(SHARED_STORE);
    const broker = new this();
    broker.options = options;
    broker.folder = await mkdtemp(join(tmpdir(), "parley-"));
    broker.store = store ?? `sqlite:${broker.folder}/parley.db`;
    broker.peer = broker;
    if (token) await writeFile(`${broker.folder}/token`, `${token}\n`, { mode: 0o600 });
    broker.port = 0;
    await broker.restart();
    if (isPair) {
      broker.peer = await this.start(options, { store, token: broker.token });
      broker.peer.peer = broker;
    }
    return broker;
  }

  // Takes the port it had before.
  async restart() {
    this.process = spawn(PROGRAM, [
      "serve", "--json", "--listen", `127.0.0.1:${this.port}`, "--store",
      this.store, "--token-file", `${this.folder}/token`, ...this.options,
    ], { env: environment(this.variables), stdio: ["ignore", "pipe", "pipe"] });
    this.process.stderr.resume();
    const lines = createInterface({ input: this.process.stdout });
    const [first] = await Promise.race([
      once(lines, "line"),
      once(this.process, "exit").then(([code]) => {
        throw new Error(`parley serve ended with ${code}`);
      }),
    ]);
    this.ready = JSON.parse(first);
    this.url = this.ready.url;
    this.port = Number(new URL(this.url).port);
    this.token = (await readFile(`${this.folder}/token`, "utf8")).trim();
  }

  // What makes a command find this broker.
  get variables() {
    return { XDG_RUNTIME_DIR: this.folder };
  }

  async kill(signal = "SIGKILL") {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = once(this.process, "exit");
    this.process.kill(signal);
    await ended;
  }

  async stop() {
    for (const node of new Set([this, this.peer])) {
      await node.kill();
      // A client that still runs may write into it meanwhile.
      await rm(node.folder, { recursive: true, force: true, maxRetries: 10 });
    }
  }

  // One call on the native door, of the peer: {status, body}.
  async call(method, target, body, token = this.token) {
    const response = await fetch(this.peer.url + target, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: text ? JSON.parse(text) : null };
  }

  // The pending asks, once there are so many.
  async pending(count = 1, session = undefined) {
    const filter = session ? `&session=${encodeURIComponent(session)}` : "";
    return until(async () => {
      // The session may not be known yet.
      const { asks = [] } = (await this.call("GET", `/v1/asks?state=pending${filter}`)).body;
      return asks.length === count && asks;
    }, `${count} pending asks`);
  }

  // A token's secret, once both nodes know of it.
  async newToken(name, role) {
    const { body } = await this.call("POST", "/v1/tokens", { name, role });
    await until(async () => (await this.peer.call("GET", "/v1/tokens")).body.tokens
      .some((token) => token.name === name), "the token is known");
    return body.token;
  }

  // The ask once it is settled, of which the peer may still have to hear.
  async settled(id) {
    return (await this.call("GET", `/v1/asks/${id}?wait=20`)).body;
  }

  // Until somebody's request is held: it waits for an answer.
  async isWaitedFor() {
    const headers = { authorization: `Bearer ${this.token}` };
    return until(async () => {
      const text = await (await fetch(`${this.url}/metrics`, { headers })).text();
      const sum = (name) => [...text.matchAll(new RegExp(`^parley_${name}_total(?:{.*})? (\\d+)$`, "gm"))]
        .reduce((total, [, count]) => total + Number(count), 0);
      return sum("requests") - sum("responses") > 1; // one is this one
    }, "a request that is held");
  }

  async answer(id, answers, more = {}) {
    return this.call("POST", `/v1/asks/${id}/answer`, { answers, ...more });
  }
}
