// SPDX-License-Identifier: Apache-2.0
// createTRPCClient<AppRouter> is checked by the TypeScript compiler: right calls pass, wrong ones
// do not.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Package } from "../support/typescript_package.mjs";

const HEAD = `import { createTRPCClient, httpLink } from "@trpc/client";
import type { AppRouter, StreamEvent } from "./trpc.js";
const client = createTRPCClient<AppRouter>({ links: [httpLink({ url: "http://127.0.0.1/trpc" })] });
`;

const RIGHT = `
export async function use(): Promise<string> {
  const reply: { success: true } = await client.message.answerAsk.mutate(
    { sessionId: "s", questionId: "q", answers: { q0: "A", q1: ["B", "C"] } });
  const [first] = await client.message.pending.query({ sessionId: "s" });
  const asked = await client.message.ask.mutate(
    { sessionId: "s", questions: [{ question: "Q?", options: ["A", { label: "B" }] }] });
  const answer: string | string[] | undefined = asked.answers["Q?"];
  client.message.streamResponse.subscribe({ sessionId: null, userMessage: "Hi", agentId: "coder",
    provider: "anthropic", model: "m", attachments: ["a.ts", { path: "/b.ts", size: 3 }] }, {
    onData: (event: StreamEvent) => {
      if (event.type === "ask-question") console.log(event.questions[0]?.options[0]?.label);
    } });
  client.message.streamTracked.subscribe({ sessionId: "s", follow: true }, {
    onData: ({ id, data }) => console.log(id.length, data.type) });
  await client.message.abort.mutate({ sessionId: "s" });
  return String(reply.success) + (first?.questions[0]?.header ?? "") + String(answer);
}
declare const console: { log: (...values: unknown[]) => void };
`;

const WRONG = [
  "await client.message.answerAsk.mutate({ sessionId: 's', questionId: 'q' });",
  "await client.message.answerAsk.mutate({ sessionId: 's', questionId: 'q', answers: { q0: 1 } });",
  "await client.message.answerAsk.query({ sessionId: 's', questionId: 'q', answers: {} });",
  "await client.message.pending.query({});",
  "await client.message.ask.mutate({ sessionId: 's' });",
  "await client.message.nothing.query();",
];

describe("the tRPC client's types", () => {
  let source;
  before(async () => { source = await Package.copy(); });
  after(() => source.remove());

  test("calls as the documents show them are accepted", async () => {
    await source.write("src/use.ts", HEAD + RIGHT);
    assert.equal(source.compile(), "");
  });

  test("wrong calls are refused", async () => {
    await source.write("src/use.ts",
      HEAD + WRONG.map((line) => `${line}\n`).join("") + "export {};\n");
    const faults = source.compile();
    const lines = new Set([...faults.matchAll(/src\/use\.ts\((\d+),/g)].map((found) => found[1]));
    const first = HEAD.split("\n").length;
    assert.deepEqual([...lines].map(Number), WRONG.map((_, index) => first + index), faults);
  });
});
