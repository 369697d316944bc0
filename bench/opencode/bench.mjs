// SPDX-License-Identifier: Apache-2.0
// The list/reply flow of OpenCode's clients against `parley serve` and against `opencode serve`,
// in one run and in turn: a client reads the events, and for each question lists what is pending,
// finds it, and replies. A round is one question answered. Parley stores every ask and answer
// durably first.
import { get } from "node:http";

import { quantile, usage } from "../support/usage.mjs";
import { PARLEY, record } from "../support/figures.mjs";
import { OpenCode, ParleyAgents } from "./servers.mjs";

const SESSIONS = [4, 16, 64];
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const REPEATS = 3;

// Calls `told` with every question.asked.
function follow(server, told) {
  return new Promise((resolve, reject) => {
    const request = get({
      host: "127.0.0.1", port: server.port, path: "/global/event", headers: server.headers,
    }, (response) => {
      let rest = "";
      response.setEncoding("utf8");
      response.on("data", (text) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop();
        for (const line of lines) {
          if (line.startsWith("data: ") && line.includes('"question.asked"'))
            told(JSON.parse(line.slice(6)).payload.properties);
        }
      });
      response.on("error", () => {});
      resolve(() => request.destroy());
    });
    request.on("error", reject);
  });
}

async function measure(server, sessions, repeat) {
  const rounds = [];
  const replies = [];
  const answeredAt = new Map();
  let isOver = false;
  let failure;
  const answer = async ({ id, sessionID, tool }) => {
    const before = answeredAt.get(sessionID);
    const now = performance.now();
    if (before !== undefined && !isOver) rounds.push(now - before);
    const list = JSON.parse((await server.caller.call("GET", "/question")).body);
    const request = list.find((each) => each.tool.callID === tool.callID);
    const start = performance.now();
    answeredAt.set(sessionID, start);
    const reply = await server.caller.call("POST", `/question/${request.id}/reply`,
                                           '{"answers":[["Blue"]]}');
    if (reply.body !== "true") throw new Error(`reply to ${id}: ${reply.status} ${reply.body}`);
    if (!isOver) replies.push(performance.now() - start);
  };
  const stop = await follow(server, (question) => {
    answer(question).catch((error) => { failure ??= error; });
  });
  const agents = Array.from({ length: sessions }, (_, i) =>
    server.runAgent(`${sessions}${i}${repeat}`, () => !isOver));
  // Sessions are made and the server is warm before anything counts.
  const warm = performance.now() + 60_000;
  while (answeredAt.size < sessions && performance.now() < warm && !failure)
    await new Promise((resolve) => setTimeout(resolve, 20));
  rounds.length = replies.length = 0;
  const before = await usage(server.child.pid);
  const start = performance.now();
  await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000));
  const seconds = (performance.now() - start) / 1000;
  const after = await usage(server.child.pid);
  const count = rounds.length;
  isOver = true;
  // All is measured. A turn that OpenCode does not end, as happens once in many, is left behind.
  const patience = new Promise((resolve) => setTimeout(resolve, 20_000).unref());
  await Promise.race([Promise.all(agents), patience]);
  stop();
  if (failure) throw failure;
  rounds.sort((a, b) => a - b);
  replies.sort((a, b) => a - b);
  return {
    rate: count / seconds, cpu: (after.cpuMs - before.cpuMs) / count, peak: after.peak,
    p50: quantile(rounds, 0.5), p99: quantile(rounds, 0.99),
    reply50: quantile(replies, 0.5), reply99: quantile(replies, 0.99),
  };
}

const servers = [new ParleyAgents(), new OpenCode()];
const results = {};
try {
  for (const server of servers) {
    await server.start();
    const idle = (await usage(server.child.pid)).rss;
    const runs = Object.fromEntries(SESSIONS.map((sessions) => [sessions, []]));
    results[server.name] = { idle, by: {}, runs };
  }
  for (let repeat = 0; repeat < REPEATS; ++repeat)
    for (const sessions of SESSIONS)
      for (const server of servers)
        results[server.name].runs[sessions].push(await measure(server, sessions, repeat));
} finally {
  for (const server of servers) if (server.child) await server.stop();
}

for (const [name, { idle, by, runs }] of Object.entries(results)) {
  const who = name === "parley" ? PARLEY : "opencode serve, agents included";
  for (const sessions of SESSIONS) {
    const peak = runs[sessions][0].peak; // later ones have seen more sessions
    by[sessions] = { ...runs[sessions].sort((a, b) => a.cpu - b.cpu)[REPEATS >> 1], peak };
    const row = `list and reply, ${sessions} sessions`;
    record(row, who, "rounds/s", runs[sessions].map(({ rate }) => rate));
    record(`${row}, processor`, who, "ms", runs[sessions].map(({ cpu }) => cpu));
    record(`${row}, a reply (median)`, who, "ms", runs[sessions].map(({ reply50 }) => reply50));
    record(`${row}, peak memory`, who, "MiB", [peak]);
  }
  record("memory of an idle server", who, "MiB", [idle]);
}

const cell = (value, digits = 1) => value.toFixed(digits).padStart(9);
console.log("server    sessions  rounds/s  round p50  p99 ms  reply p50  p99 ms  cpu ms/round  peak MiB");
for (const [name, { by }] of Object.entries(results)) {
  for (const [sessions, one] of Object.entries(by)) {
    console.log(name.padEnd(9), sessions.padStart(8), cell(one.rate), cell(one.p50, 2),
                cell(one.p99, 2), cell(one.reply50, 2), cell(one.reply99, 2), cell(one.cpu, 3),
                cell(one.peak));
  }
}
const { parley, opencode } = results;
for (const sessions of SESSIONS) {
  const ours = parley.by[sessions];
  const theirs = opencode.by[sessions];
  console.log(`${sessions} sessions: ${(ours.rate / theirs.rate).toFixed(0)} x the rounds/s, ` +
              `${(theirs.cpu / ours.cpu).toFixed(0)} x fewer CPU ms a round, ` +
              `1/${(theirs.peak / ours.peak).toFixed(0)} of the memory`);
}
console.log(`idle: ${parley.idle.toFixed(1)} MiB and ${opencode.idle.toFixed(1)} MiB`);
