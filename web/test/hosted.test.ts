// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { findHosted, findLive, hostedAgent, liveNames, nameFor } from "../src/model/hosted";
import { take } from "../src/model/state";
import type { Session } from "../src/model/types";
import { answerWith, json } from "./browser";

const none = new Set<string>();

test("a session is called by the words that began it, in one line", () => {
  assert.equal(nameFor("Plan the move", none), "Plan the move");
  assert.equal(nameFor("  Plan\n the\tmove / of all  ", none), "Plan the move of all");
  assert.equal(nameFor("🙂".repeat(60), none), `${"🙂".repeat(47)}…`);
});

test("a name that a live session has, or that means something else, is not taken", () => {
  assert.equal(nameFor("Hi", new Set(["Hi", "Hi 2"])), "Hi 3");
  for (const words of ["..", "default", "ses_01jc0000000000000000000000"])
    assert.equal(nameFor(words, none), `“${words}”`);
});

test("whether somebody answers there, the server says; whoever has ended leaves the name", async () => {
  answerWith(({ path }) => (path === "/v1/server" ? json(200, { version: "1", page: "/", agent: "llm" }) : undefined));
  await findHosted();
  assert.equal(hostedAgent.value, "llm");
  answerWith(({ path }) => (path === "/v1/server" ? json(200, { version: "1", page: "/" }) : undefined));
  await findHosted();
  assert.equal(hostedAgent.value, null);
  const session = (id: string, more: object) => ({ id, name: id, state: "idle", created_at: "2026-11-18T09:00:00Z", ...more }) as Session;
  take([
    { type: "reset" },
    { type: "session.created", session: session("ses_1", { name: "Hi" }), id: "1" },
    { type: "session.created", session: session("ses_2", { name: "Gone", ended_at: "2026-11-18T09:00:00Z" }), id: "2" },
    { type: "snapshot.end", id: "3" },
  ]);
  assert.deepEqual([...liveNames()], ["Hi"]);
  assert.equal(findLive("Hi")?.id, "ses_1");
  assert.equal(findLive("Gone"), undefined);
});
