// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { brokerNow, hearDate, narrow, now } from "../src/model/clock";

const ALL = { low: -Infinity, high: Infinity };

test("each date narrows how far the clocks differ; one that contradicts begins anew", () => {
  // Asked at 10.2 s, heard at 10.4 s, and the broker said 12 s: it is ahead by 1.6 to 2.8 s.
  const first = narrow(ALL, 10_200, 10_400, 12_000);
  assert.deepEqual(first, { low: 1600, high: 2800 });
  assert.deepEqual(narrow(first, 20_900, 21_000, 22_000), { low: 1600, high: 2100 });
  assert.deepEqual(narrow(first, 30_000, 30_100, 95_000), { low: 64_900, high: 66_000 });
});

test("a browser eleven minutes ahead counts by the broker's clock", () => {
  const broker = Date.now() - 11 * 60_000;
  hearDate(new Date(broker).toUTCString(), Date.now() - 50, Date.now());
  assert.ok(Math.abs(brokerNow.value - (now.value - 11 * 60_000)) < 2000);
  hearDate("nonsense", 0, 0);
  hearDate(null, 0, 0);
  assert.ok(Math.abs(brokerNow.value - (now.value - 11 * 60_000)) < 2000);
});
