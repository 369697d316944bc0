// SPDX-License-Identifier: Apache-2.0
// The rounds of nodes.py with Restate: a handler makes an awakeable and waits for it, somebody
// resolves it, the caller has the answer. One server in a folder of its own, durable as it comes.
// Usage: rounds.mjs SECONDS AT_ONCE. Prints a line of JSON.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as restate from "@restatedev/restate-sdk";

const PATIENCE_MS = 60_000;
const [seconds, atOnce] = process.argv.slice(2).map(Number);
const agent = new Agent({ keepAlive: true, maxSockets: 4 * atOnce });
const HOST = "127.0.0.1";

async function freePort() {
  const server = createServer().listen(0, HOST);
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

function post(port, path, body) {
  return new Promise((resolve, reject) => {
    const sent = request({ agent, host: HOST, port, path, method: "POST", headers: { "content-type": "application/json" } });
    sent.on("error", reject);
    sent.on("response", (response) => {
      let text = "";
      response.on("data", (more) => (text += more));
      response.on("end", () => (response.statusCode < 300 ? resolve(text) : reject(new Error(`${response.statusCode} ${text}`))));
    });
    sent.end(JSON.stringify(body));
  });
}

// Seconds of the processor that a process and those below it have had.
async function used(pid) {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ").at(-1).split(" ");
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).split(" ");
  const below = await Promise.all(children.filter((child) => child.trim()).map(used));
  return (Number(fields[11]) + Number(fields[12])) / 100 + below.reduce((sum, one) => sum + one, 0);
}

async function until(task) {
  for (const end = Date.now() + PATIENCE_MS; ; ) {
    try {
      return await task();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

const [node, ingress, admin, handlers] = [await freePort(), await freePort(), await freePort(), await freePort()];
const folder = await mkdtemp(join(tmpdir(), "restate-"));
const server = spawn(join(import.meta.dirname, "node_modules/.bin/restate-server"), ["--base-dir", folder, "--node-name", "one"], {
  stdio: "ignore",
  detached: true, // it starts the server proper, which ends with its group
  env: {
    PATH: process.env.PATH, HOME: folder, RESTATE_DISABLE_TELEMETRY: "true", RESTATE_LOG_FILTER: "error",
    RESTATE_BIND_ADDRESS: `${HOST}:${node}`, RESTATE_ADVERTISED_ADDRESS: `http://${HOST}:${node}`,
    RESTATE_INGRESS__BIND_ADDRESS: `${HOST}:${ingress}`, RESTATE_ADMIN__BIND_ADDRESS: `${HOST}:${admin}`,
  },
});
try {
  const asking = restate.service({
    name: "asking",
    handlers: {
      ask: async (context) => {
        const { id, promise } = context.awakeable();
        void post(ingress, `/restate/awakeables/${id}/resolve`, { selected: ["PostgreSQL"] });
        return promise;
      },
    },
  });
  await restate.endpoint().setLogger(() => {}).bind(asking).listen(handlers);
  await until(() => post(admin, "/deployments", { uri: `http://${HOST}:${handlers}` }));
  const question = { question: "Which database shall the service use?", options: ["PostgreSQL", "SQLite", "MySQL"] };
  await until(() => post(ingress, "/asking/ask", question));
  let rounds = 0;
  const before = await used(server.pid);
  const begin = performance.now();
  const end = begin + seconds * 1000;
  await Promise.all(Array.from({ length: atOnce }, async () => {
    for (; performance.now() < end; ++rounds) await post(ingress, "/asking/ask", question);
  }));
  const rate = (rounds * 1000) / (performance.now() - begin);
  const cpu = (await used(server.pid)) - before;
  console.log(JSON.stringify({ rounds, rate, cpu_us: (cpu * 1e6) / rounds }));
} finally {
  const ended = once(server, "exit");
  process.kill(-server.pid, "SIGKILL");
  await ended;
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}
process.exit(0);
