// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { openAsk, step } from "../src/model/reading";
import { go, route } from "../src/model/route";
import { take } from "../src/model/state";
import { happen } from "./browser";
import { ask, ended, question } from "./asks";

const MANY = 60;
const asks = Array.from({ length: MANY }, (_, n) => ask([question({ question: `Number ${n}?` })]));
take([{ type: "reset" }, ...asks.map((each) => ({ type: "ask.opened", ask: each })), { type: "snapshot.end", id: "1" }]);

const at = (): number => asks.findIndex(({ id }) => id === openAsk.value?.id);

test("every step begins where the one before it ended, before the browser tells of any", () => {
  assert.equal(at(), 0);
  for (let n = 0; n < 44; ++n) step(1);
  assert.equal(at(), 44);
  happen("hashchange");
  assert.equal(at(), 44);
  for (let n = 0; n < 30; ++n) step(-1);
  assert.equal(at(), 14);
});

test("what the browser tells late takes nobody back", () => {
  go({ view: "inbox", ask: asks[3]!.id });
  const here = route.value;
  happen("hashchange");
  assert.equal(route.value, here);
});

test("steps end at the ends of the list", () => {
  for (let n = 0; n < MANY + 5; ++n) step(1);
  assert.equal(at(), MANY - 1);
  for (let n = 0; n < MANY + 5; ++n) step(-1);
  assert.equal(at(), 0);
});

test("from one that has left the list the steps go to its neighbours", () => {
  const leave = () => {
    go({ view: "inbox", ask: asks[20]!.id });
    take([{ type: "ask.settled", id: "2", ask: ended(asks[20]!) }]);
    assert.equal(at(), 20);
  };
  leave();
  step(1);
  assert.equal(at(), 21);
  leave();
  step(-1);
  assert.equal(at(), 19);
});
