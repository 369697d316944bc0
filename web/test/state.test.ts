// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { isLoaded, loadFirst, loadSessions, onEvent, onGone, pending, settled, take, takeAsk, waiting, waitingCount, wentOn } from "../src/model/state";
import type { Ask, Wire } from "../src/model/types";
import { ask, ended } from "./asks";
import { answerWith, calls, json, until } from "./browser";

const opened = (one: Ask, id?: string): Wire => ({ type: "ask.opened", ask: one, ...(id && { id }) });
const keys = (): string[] => [...pending.value.keys()];

beforeEach(() => {
  answerWith(() => json(404, {}));
  take([{ type: "reset" }, { type: "snapshot.end", id: "1" }]);
});

test("a snapshot is shown when it is whole, and what is missing from it is looked up", async () => {
  const [one, two] = [ask(), ask()];
  take([opened(one, "2")]);
  take([{ type: "reset" }, opened(two)]);
  assert.deepEqual(keys(), [one.id]);
  answerWith(({ path }) => (path === `/v1/asks/${one.id}` ? json(200, ended(one)) : undefined));
  take([{ type: "snapshot.end", id: "3" }]);
  assert.deepEqual(keys(), [two.id]);
  await until(() => settled.value.get(one.id)?.state === "answered");
});

test("of many that ended meanwhile, one call tells how the last ones did", async () => {
  const many = Array.from({ length: 10_000 }, () => ask());
  take(many.map((one) => opened(one, "2")));
  const last = many.slice(-500).map((one) => ended(one)).reverse();
  answerWith(({ path }) => (path === "/v1/asks?order=settled&limit=500" ? json(200, { asks: last, next: "more" }) : undefined));
  take([{ type: "reset" }, { type: "snapshot.end", id: "3" }]);
  assert.deepEqual(keys(), []);
  await until(() => settled.value.has(many.at(-500)!.id));
  assert.deepEqual(calls.map(({ path }) => path), ["/v1/asks?order=settled&limit=500"]);
});

test("of many that ended meanwhile, one that is worked on is looked up though it is not among the last", async () => {
  const many = Array.from({ length: 100 }, () => ask());
  take(many.map((one) => opened(one, "2")));
  const wanted = many[7]!;
  onGone((id) => id === wanted.id);
  answerWith(({ path }) => (path === `/v1/asks/${wanted.id}` ? json(200, ended(wanted)) : json(200, { asks: [], next: null })));
  take([{ type: "reset" }, { type: "snapshot.end", id: "3" }]);
  await until(() => settled.value.has(wanted.id));
  assert.equal(calls.length, 2);
});

test("of sessions the newest are loaded, and no more than some pages", async () => {
  const session = (id: string) => ({ id, state: "idle", activity: "idle", pending: 0, created_at: "" });
  let count = 0;
  answerWith(({ path }) =>
    path.startsWith("/v1/sessions?") ? json(200, { sessions: [session(`ses_${++count}`)], next: `ses_${count}` }) : undefined,
  );
  await loadSessions();
  assert.deepEqual(
    calls.map(({ path }) => path),
    [
      "/v1/sessions?state=live&order=newest&limit=500",
      ...[1, 2, 3].map((id) => `/v1/sessions?state=live&order=newest&limit=500&after=ses_${id}`),
      "/v1/sessions?state=ended&order=newest&limit=500",
    ],
  );
});

test("the first questions are there before the snapshot, uncounted; the snapshot replaces them", async () => {
  const [one, two] = [ask(), ask()];
  answerWith(() => json(200, { asks: [one], next: "more" }));
  isLoaded.value = false;
  take([{ type: "reset" }]);
  await loadFirst();
  assert.deepEqual([keys(), waitingCount.value], [[one.id], 0]);
  take([opened(one), opened(two), { type: "snapshot.end", id: "4" }]);
  assert.deepEqual([keys(), waitingCount.value], [[one.id, two.id], 2]);
});

test("first questions that come too late change nothing", async () => {
  answerWith(() => json(200, { asks: [ask()], next: null }));
  await loadFirst();
  assert.deepEqual(keys(), []);
});

test("of an ask whose content was deleted, only what is left of it stays", async () => {
  const one = ask();
  take([opened(one, "5"), { type: "ask.settled", ask: ended(one), id: "6" }]);
  const left = { ...ended(one), content_deleted_at: "2026-01-01T00:00:00Z" };
  answerWith(({ path }) => (path === `/v1/asks/${one.id}` ? json(200, left) : undefined));
  take([{ type: "ask.content_deleted", at: "", session: "s", session_id: "ses_1", ask: one.id, id: "7" }]);
  assert.equal(settled.value.has(one.id), false);
  await until(() => settled.value.get(one.id)?.content_deleted_at === left.content_deleted_at);
});

test("settled once: the ask leaves what waits and is kept with its settlement", () => {
  const one = ask();
  take([opened(one, "5"), { type: "ask.settled", ask: ended(one), id: "6" }]);
  assert.deepEqual(keys(), []);
  assert.equal(settled.value.get(one.id)!.settlement!.outcome, "answered");
});

test("a snooze of another device puts it off here, and its end brings it back", () => {
  const one = ask();
  take([opened(one, "5"), { type: "ask.snoozed", ask: one.id, snoozed_until: "2999-01-01T00:00:00Z", id: "6" }]);
  assert.deepEqual([keys(), waiting.value], [[one.id], []]);
  take([{ type: "ask.snoozed", ask: one.id, id: "7" }, { type: "ask.snoozed", ask: "que_unknown", id: "8" }]);
  assert.deepEqual(waiting.value, [one]);
});

test("what an agent asked is marked when its last token is revoked, and nothing else is", () => {
  const [one, two] = [ask([], { asker: "prn_a" }), ask([], { asker: "prn_b" })];
  take([opened(one, "15"), opened(two, "16"), { type: "agent.revoked", asker: "prn_a", id: "17" }]);
  assert.deepEqual([one, two].map(({ id }) => pending.value.get(id)!.asker_revoked), [true, undefined]);
  take([one, two].map((each, index) => ({ type: "ask.settled", ask: ended(each), id: String(18 + index) })));
});

test("the agent went on once it says or asks something, and not because its session was ended", () => {
  const [one, two, three] = [ask(), ask(), ask()];
  const session = { id: "ses_1", state: "idle", activity: "idle", pending: 0, created_at: "" } as const;
  take([opened(one, "5"), { type: "ask.settled", ask: ended(one), id: "6" }]);
  take([{ type: "session.status", session, id: "7" }, { type: "session.ended", session: { ...session, ended_at: "x" }, id: "8" }]);
  assert.equal(wentOn.value.has(one.id), false);
  take([{ type: "session.part", session: "ses_1", part: { type: "text-delta", part_id: "p", text: "x" } }]);
  assert.equal(wentOn.value.has(one.id), true);
  take([opened(two, "9"), { type: "ask.settled", ask: ended(two), id: "10" }, opened(three, "11")]);
  assert.equal(wentOn.value.has(two.id), true);
  takeAsk(ended(three, { outcome: "dismissed" }));
  take([{ type: "session.part", session: "ses_1", part: { type: "finish" }, id: "12" }]);
  assert.equal(wentOn.value.has(three.id), false);
});

test("an event that breaks a listener, and an ask without questions, stop nothing", (context) => {
  const errors = context.mock.method(console, "error", () => undefined);
  const [one, two] = [ask(), ask()];
  const stop = onEvent((event) => {
    if (event.id === "20") throw new Error("broken");
  });
  take([opened({ ...one, questions: undefined as never }, "20"), { type: "ask.opened", ask: null as never, id: "21" }, opened(two, "22")]);
  stop();
  assert.deepEqual(keys(), [one.id, two.id]);
  assert.deepEqual(pending.value.get(one.id)!.questions, []);
  assert.ok(errors.mock.callCount() >= 1);
});

test("what has ended stays so, whatever comes late: a reply, a snapshot that is older", () => {
  const one = ask();
  take([opened(one, "30"), { type: "ask.settled", ask: ended(one), id: "31" }]);
  takeAsk(one);
  take([{ type: "reset" }, opened(one), { type: "snapshot.end", id: "30" }]);
  take([opened(one)]);
  assert.deepEqual([keys(), settled.value.has(one.id)], [[], true]);
});
