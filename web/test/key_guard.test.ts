// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyGuard } from "../src/model/key_guard";

const press = (key: string, at: number, more = {}) => ({ key, at, isRepeat: false, decides: true, ...more });

test("an ask that appears takes no key for 300 ms, and none that was struck before it came", () => {
  const guard = new KeyGuard();
  guard.appeared(1000);
  assert.deepEqual([990, 1000, 1299, 1300].map((at) => guard.takes(press("1", at))), [false, false, false, true]);
});

test("a key that only leads somewhere is taken at once", () => {
  const guard = new KeyGuard();
  guard.appeared(1000);
  assert.equal(guard.takes(press("Enter", 1010, { decides: false })), true);
});

test("the key that settled something counts again after 700 ms without it, and each repeat restarts that", () => {
  const guard = new KeyGuard();
  assert.equal(guard.takes(press("Enter", 1000)), true);
  guard.used(1000);
  const later = [1600, 2200, 2899, 3598];
  assert.deepEqual(later.map((at) => guard.takes(press("Enter", at))), [false, false, false, false]);
  assert.equal(guard.takes(press("Enter", 4298)), true);
});

test("the key that opened an ask does not decide on it", () => {
  const guard = new KeyGuard();
  assert.equal(guard.takes(press("Enter", 1000, { decides: false })), true);
  guard.appeared(1020);
  assert.equal(guard.takes(press("Enter", 1500)), false);
  assert.equal(guard.takes(press("1", 1600)), true);
});

test("another key or the pointer between two presses ends the first one", () => {
  const guard = new KeyGuard();
  for (const other of [() => guard.letGo(), () => guard.takes(press("2", 1100))]) {
    guard.takes(press("1", 1000));
    guard.used(1000);
    other();
    assert.equal(guard.takes(press("1", 1200)), true);
  }
});

test("a key that opens and settles nothing may be pressed as fast as one can", () => {
  const guard = new KeyGuard();
  for (let at = 1000; at < 1500; at += 50) assert.equal(guard.takes(press("1", at)), true);
});

test("a key that a browser calls a repeat is none, whatever it did", () => {
  const guard = new KeyGuard();
  assert.equal(guard.takes(press("Enter", 1000, { isRepeat: true })), false);
  assert.equal(guard.takes(press("Enter", 1050)), true);
});

test("what came up by itself long after a key was not its doing", () => {
  const guard = new KeyGuard();
  guard.takes(press("1", 1000));
  guard.appeared(5000);
  assert.equal(guard.takes(press("1", 5300)), true);
});
