// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { historyOutcome, historyWords } from "../src/model/filters";
import { findPast, found, isWhole, loadMore, seenCount } from "../src/model/history";
import type { Ask } from "../src/model/types";
import { ask, ended, question } from "./asks";
import { answerWith, calls, json, until } from "./browser";

// The oldest first: 250 decided, of which the first is the only one with an answer of Zoe's, then 150
// that wait.
const TOTAL = 400;
const all: Ask[] = Array.from({ length: TOTAL }, (_, index) => {
  const one = ask([question({ question: index === 0 ? "Zeroth?" : `Number ${index}?` })]);
  if (index >= 250) return one;
  const at = `2026-01-01T${String(Math.floor(index / 60)).padStart(2, "0")}:${String(index % 60).padStart(2, "0")}:00Z`;
  const zoe = { answers: [{ selected: [], other: "teal", note: "as agreed" }], decider: { kind: "person", principal: "p", name: "Zoe" } } as const;
  return ended(one, { at, ...(index === 0 && (zoe as object)), ...(index === 7 && { outcome: "dismissed" as const }) });
});

function serve(): void {
  answerWith(({ path }) => {
    const query = new URL(path, "http://x").searchParams;
    const isWanted = (one: Ask): boolean => query.get("order") !== "settled" || one.settlement !== undefined;
    const newest = [...all].reverse().filter(isWanted);
    const from = query.get("after") ? newest.findIndex(({ id }) => id === query.get("after")) + 1 : 0;
    const page = newest.slice(from, from + Number(query.get("limit")));
    return json(200, { asks: page, next: from + page.length < newest.length ? page.at(-1)!.id : null });
  });
}

test("the newest decisions come first, however many wait", async () => {
  serve();
  await loadMore();
  assert.ok(seenCount.value > 0);
  assert.equal(found.value[0]!.questions[0]!.question, "Number 249?");
  assert.equal(isWhole.value, false);
});

test("a search looks at everything: the first of all, by its answer, its note, its decider", async () => {
  serve();
  for (const words of ["zeroth?", "teal", "AGREED as", "zoe"]) {
    historyWords.value = words;
    await until(() => isWhole.value && found.value.length === 1);
    assert.equal(found.value[0]!.id, all[0]!.id);
  }
  assert.equal(seenCount.value, 250);
  historyWords.value = "";
  historyOutcome.value = "dismissed";
  assert.deepEqual(found.value.map(({ id }) => id), [all[7]!.id]);
  historyOutcome.value = "";
  assert.equal(findPast(all[3]!.id)!.id, all[3]!.id);
});

test("what is whole is not asked for again", async () => {
  serve();
  await loadMore();
  assert.equal(calls.length, 0);
});
