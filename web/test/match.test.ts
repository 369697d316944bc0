// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { matches } from "../src/model/match";
import { ask, ended, question } from "./asks";

test("an option is found while it can be chosen, afterwards only where it was", () => {
  const options = ["Allow once", "Deny"].map((label) => ({ label }));
  const one = ask([question({ question: "May it?", options })]);
  const chose = (label: string) => ended(one, { answers: [{ selected: [label] }] });
  const found = [one, chose("Allow once"), chose("Deny")].map((each) => matches(each, "deny"));
  assert.deepEqual(found, [true, false, true]);
});
