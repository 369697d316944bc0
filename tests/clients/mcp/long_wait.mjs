// SPDX-License-Identifier: Apache-2.0
// By hand: does a question survive a long wait in every way that a client can wait for it?
//
//     PARLEY_PROGRAM=build/release/parley node tests/clients/mcp/long_wait.mjs [SECONDS] [PART OF A NAME]
//
// All ways wait at once, for 600 seconds unless said otherwise; then each is answered, and a line
// says what its client was given.
import { Broker, until } from "../support/broker.mjs";
import { CLIENTS } from "./clients.mjs";
import { taskSession } from "./tasks.mjs";

const SECONDS = Number(process.argv[2] ?? 600);
const ONLY = process.argv[3] ?? ""; // part of the names of the ways
const LIMIT = (SECONDS + 120) * 1000;
const ALIVE = { timeout: 60_000, resetTimeoutOnProgress: true };
const PATIENT = { timeout: LIMIT };
const WAIT_ON = { serverArguments: ["--wait", "0"] };

const input = (name) => ({
  questions: [{
    question: `${name}?`, header: "Way", multiSelect: false,
    options: [{ label: "Tea", description: "" }, { label: "Coffee", description: "" }],
  }],
});

// As a model would: whatever is pending is waited for again.
async function asModel({ call }, name, options) {
  let calls = 1;
  let result = await call("ask_user", input(name), options);
  while (result.structuredContent?.status === "pending") {
    calls += 1;
    result = await call("wait_answer", { ask_id: result.structuredContent.ask_id }, options);
  }
  return { status: result.structuredContent.status, calls };
}

async function through(broker, kind, name, { connect = {}, request = {}, counts = false }) {
  const connected = await CLIENTS[kind](broker, connect);
  let reports = 0;
  const options = counts ? { ...request, onprogress: () => { reports += 1; } } : request;
  const outcome = await asModel(connected, name, options);
  await connected.client.close();
  return { ...outcome, reports };
}

async function asTask(broker, kind, name) {
  const { session, close } = await taskSession(broker, kind);
  const execution = await session.callTool("ask_user", input(name),
    { task: { preference: "require" } });
  const { outcome } = await execution.settle();
  await close();
  return { status: outcome.result?.structuredContent?.status ?? JSON.stringify(outcome), calls: 1 };
}

const WAYS = {};
for (const kind of Object.keys(CLIENTS)) {
  WAYS[`${kind}, no progress`] = { kind };
  WAYS[`${kind}, progress`] = { kind, request: ALIVE, counts: true };
  if (kind.includes("stdio")) {
    WAYS[`${kind}, --wait 0, progress`] = { kind, connect: WAIT_ON, request: ALIVE, counts: true };
    WAYS[`${kind}, --wait 0, no progress`] = { kind, connect: WAIT_ON, request: PATIENT };
  }
  if (kind.includes("modern") || kind.includes("auto")) continue; // no forms there
  WAYS[`${kind}, a form left open`] = { kind, request: PATIENT, connect: {
    form: () => new Promise((resolve) => {
      setTimeout(resolve, SECONDS * 1000, { action: "accept", content: { q0: "Tea" } });
    }) } };
}
for (const kind of ["v2 HTTP legacy", "v2 stdio legacy", "v2 HTTP modern"])
  WAYS[`${kind}, as a task`] = { kind, task: true };

const broker = await Broker.start();
const begun = Date.now();
const runs = Object.entries(WAYS).filter(([name]) => name.includes(ONLY)).map(async ([name, way]) => {
  let outcome;
  try {
    outcome = await (way.task ? asTask(broker, way.kind, name) :
      through(broker, way.kind, name, way));
  } catch (error) {
    outcome = { status: `failed: ${error.message}`, calls: 0 };
  }
  const waited = Math.round((Date.now() - begun) / 1000);
  const reports = outcome.reports ? `, ${outcome.reports} reports of progress` : "";
  console.log(`${name}: ${outcome.status} after ${waited} s, ${outcome.calls} call(s)${reports}`);
});
const opened = await broker.pending(runs.length);
console.log(`${opened.length} questions are open`);
await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000));
for (const { id, questions } of await until(async () =>
  (await broker.call("GET", "/v1/asks?state=pending&limit=200")).body.asks)) {
  if (!questions[0].question.includes("a form left open"))
    await broker.answer(id, [{ selected: ["Tea"] }]);
}
await Promise.all(runs);
await broker.stop();
