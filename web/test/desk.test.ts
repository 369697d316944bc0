// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { listed, nextAfter, takesKeys } from "../src/model/desk";
import { inboxSession, inboxWords, showsSnoozed } from "../src/model/filters";
import { sort } from "../src/model/settings";
import { take } from "../src/model/state";
import { ask, ended, question } from "./asks";

const one = ask([question({ question: "Deploy?" })]);
const two = ask([question({ question: "Delete?" })], { urgency: "high", session: "ses_2" });
const three = ask([question({ question: "Rename?" })], { snoozed_until: "2999-01-01T00:00:00Z" });
take([{ type: "reset" }, ...[one, two, three].map((each) => ({ type: "ask.opened", ask: each })), { type: "snapshot.end", id: "1" }]);

const ids = (): string[] => listed.value.map(({ id }) => id);

test("what waits is listed in the wanted order, what is snoozed by itself", () => {
  assert.deepEqual(ids(), [one.id, two.id]);
  sort.value = "urgent";
  assert.deepEqual(ids(), [two.id, one.id]);
  sort.value = "oldest";
  showsSnoozed.value = true;
  assert.deepEqual(ids(), [three.id]);
  showsSnoozed.value = false;
  assert.deepEqual([nextAfter(one.id)?.id, nextAfter(two.id)?.id], [two.id, one.id]);
});

test("a card that is filtered out takes no keys, nor does one that has ended", () => {
  assert.deepEqual([one, two, three, ended(one)].map(takesKeys), [true, true, true, false]);
  inboxWords.value = "deploy";
  assert.deepEqual([one, two].map(takesKeys), [true, false]);
  inboxWords.value = "";
  inboxSession.value = "ses_2";
  assert.deepEqual([one, two].map(takesKeys), [false, true]);
  inboxSession.value = "";
});
