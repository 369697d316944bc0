// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { get, LIMIT_MS, post, Problem } from "../src/model/api";
import { answerWith, calls, json } from "./browser";

const turn = async (): Promise<void> => {
  for (let count = 0; count < 20; ++count) await Promise.resolve();
};
const refusal = (task: Promise<unknown>): Promise<Problem> => task.then(() => assert.fail("was answered"), (problem: Problem) => problem);

test("a call that is never answered ends; what only reads is asked once more, what decides is not", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  answerWith(() => new Promise(() => undefined));
  const reading = refusal(get("/v1/asks/x"));
  const deciding = refusal(post("/v1/asks/x/answer"));
  await turn();
  context.mock.timers.tick(LIMIT_MS);
  const { status, type, isOffline } = await deciding;
  assert.deepEqual([status, type, isOffline], [0, "timeout", true]);
  await turn();
  assert.deepEqual(calls.map(({ method }) => method), ["GET", "POST", "GET"]);
  context.mock.timers.tick(LIMIT_MS);
  assert.match((await reading).detail, /no answer within 30 s/);
});

test("a refusal has its words, its faults, and what stands instead", async () => {
  const draft = { answers: [], device: "phone", version: 3 };
  answerWith(() => json(409, { type: "urn:parley:problem:draft-newer", detail: "newer", draft }));
  const problem = await refusal(get("/v1/x"));
  assert.deepEqual([problem.status, problem.type, problem.detail, problem.draft], [409, "draft-newer", "newer", draft]);
  answerWith(() => new Response("<html>", { status: 502, statusText: "Bad Gateway" }));
  assert.equal((await refusal(get("/v1/x"))).detail, "Bad Gateway");
});
