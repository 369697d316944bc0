// SPDX-License-Identifier: Apache-2.0
// Ask, question told to a subscriber, answered, agent goes on: the flow of tRPC clients against
// `parley serve` and against the reference server of tRPC with the same procedures in memory, in
// one run and in turn, over WebSocket and over HTTP with Server-Sent Events. A round is one question
// answered.
// Parley with a file stores every ask and answer durably first; with memory it is the reference's
// equal in that. What the machine's own sockets cost is shown by a bare server (bare_server.cc)
// that sends the same frames without knowing what they mean.
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { FLOWS } from "./clients.mjs";
import { PARLEY, record } from "../support/figures.mjs";
import { Parley, Server } from "../support/servers.mjs";
import { quantile, usage } from "../support/usage.mjs";

const SESSIONS = [1, 16, 64];
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
const REPEATS = 3;

class Reference extends Server {
  name = "reference";

  async start() {
    const script = fileURLToPath(new URL("reference.mjs", import.meta.url));
    const line = await this.spawn(process.execPath, [script], { NODE_ENV: "production" },
      (text) => /^\d+$/.test(text));
    this.reach(Number(line), {});
  }
}

class Bare extends Server {
  name = "bare sockets";
  flows = ["websocket"];

  async start() {
    const folder = dirname(resolve(process.env.PARLEY_PROGRAM));
    const program = join(folder, "benchmarks", "trpc_bare_server");
    this.reach(Number(await this.spawn(program, [], {}, () => true)), {});
  }
}

async function measure(server, flow, sessions, repeat) {
  const rounds = [];
  const all = await Promise.all(Array.from({ length: sessions }, (_, i) =>
    FLOWS[flow](server, `${flow}-${sessions}-${i}-${repeat}`, (ms) => rounds.push(ms))));
  await new Promise((resolve) => setTimeout(resolve, 300)); // warm before anything counts
  rounds.length = 0;
  const before = await usage(server.child.pid);
  const start = performance.now();
  await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000));
  const seconds = (performance.now() - start) / 1000;
  const after = await usage(server.child.pid);
  const times = rounds.slice().sort((a, b) => a - b);
  for (const each of all) each.stop();
  await Promise.all(all.map((each) => each.finished));
  const cpuSeconds = (after.cpuMs - before.cpuMs) / 1000;
  return { rate: times.length / seconds, perCpu: times.length / cpuSeconds,
           p50: quantile(times, 0.5), p99: quantile(times, 0.99), rss: after.rss, own: after.own };
}

const servers = [new Parley("parley, file"), new Parley("parley, memory", "memory:"),
                 new Reference(), new Bare()];
const results = {};
const runs = {}; // by server and what is done, each repeat
try {
  for (const server of servers) {
    await server.start();
    results[server.name] = { idle: await usage(server.child.pid), by: {} };
    runs[server.name] = {};
  }
  for (let repeat = 0; repeat < REPEATS; ++repeat)
    for (const flow of Object.keys(FLOWS))
      for (const sessions of SESSIONS)
        for (const server of servers)
          if (server.flows?.includes(flow) ?? true)
            (runs[server.name][`${flow} ${sessions}`] ??= [])
              .push(await measure(server, flow, sessions, repeat));
} finally {
  for (const server of servers) if (server.child) await server.stop();
}
for (const [name, by] of Object.entries(runs))
  for (const [what, repeats] of Object.entries(by))
    results[name].by[what] = repeats.sort((a, b) => a.perCpu - b.perCpu)[REPEATS >> 1];

// What is on disk is compared with what is not, and what is in memory with its like.
const ROWS = {
  "parley, file": [["", PARLEY]],
  "parley, memory": [[", in memory", PARLEY]],
  reference: [["", "reference tRPC, in memory"], [", in memory", "reference tRPC"]],
  "bare sockets": [["", "bare sockets, no store"]],
};
for (const [name, by] of Object.entries(runs)) {
  for (const [ending, who] of ROWS[name]) {
    for (const [what, repeats] of Object.entries(by)) {
      const [flow, sessions] = what.split(" ");
      const row = `a round by ${flow}, ${sessions} at once${ending}`;
      record(`${row}, processor`, who, "µs", repeats.map(({ perCpu }) => 1e6 / perCpu));
      record(row, who, "rounds/s", repeats.map(({ rate }) => rate));
    }
    if (!ending) record("memory of an idle server", who, "MiB", [results[name].idle.rss]);
  }
}

const cell = (value, digits) => value.toFixed(digits).padStart(10);
// A file's pages in memory are shared with whoever else uses it; "own" is what is not.
console.log("server          flow, sessions    rounds/s  p50 ms     p99 ms  rounds/CPU s  RSS MiB" +
            "   own MiB");
for (const [name, { by }] of Object.entries(results))
  for (const [what, one] of Object.entries(by))
    console.log(name.padEnd(15), what.padEnd(14), cell(one.rate, 0), cell(one.p50, 2),
                cell(one.p99, 2), cell(one.perCpu, 0), cell(one.rss, 1), cell(one.own, 1));
const { reference, ...others } = results;
for (const [name, { idle, by }] of Object.entries(others)) {
  for (const [what, one] of Object.entries(by)) {
    const theirs = reference.by[what];
    console.log(`${name}, ${what}: ${(one.perCpu / theirs.perCpu).toFixed(1)} x the rounds per ` +
                `CPU second, ${(one.rate / theirs.rate).toFixed(1)} x the rounds/s, ` +
                `1/${(theirs.rss / one.rss).toFixed(1)} of the memory, ` +
                `1/${(theirs.own / one.own).toFixed(1)} of its own`);
  }
  const mib = ({ rss, own }) => `${rss.toFixed(1)} MiB, ${own.toFixed(1)} of its own`;
  console.log(`${name}, idle: ${mib(idle)}; reference: ${mib(reference.idle)}`);
}
