// SPDX-License-Identifier: Apache-2.0
// What of a tool's input is shown beside its diff.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldsOf } from "../src/model/headline";
import { saidElsewhere } from "../src/model/said_elsewhere";
import type { Permission } from "../src/model/types";

const shown = (permission: Partial<Permission> & { input: unknown }): string[] => {
  const whole = { tool: "Edit", summary: "a.cc", ...permission } as Permission;
  const isSaid = saidElsewhere(whole);
  return fieldsOf(whole.input)
    .filter((field) => !isSaid(field))
    .map(({ name }) => name);
};

test("what the diff, the plan or the summary says is not said twice", () => {
  const diff = "--- a.cc\n+++ a.cc\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
  assert.deepEqual(shown({ input: { file_path: "a.cc", old_string: "one\r\ntwo\n", new_string: "one\n2\n" }, diff }), []);
  assert.deepEqual(shown({ input: { edits: [{ old_string: "two", new_string: "2", replace_all: true }] }, diff }), []);
  assert.deepEqual(shown({ input: { plan: "# P\n1. x" }, plan: "# P\n1. x\n" }), []);
});

test("a diff that does not say it hides no field, whoever made the diff", () => {
  const diff = "+ harmless\n";
  assert.deepEqual(shown({ tool: "SaveFile", input: { path: "a.cc", content: "evil" }, diff }), ["content"]);
  assert.deepEqual(shown({ input: { edits: [{ old_string: "harmless", new_string: "evil" }] }, diff: "-harmless\n+fine" }), ["edits"]);
  assert.deepEqual(shown({ input: { plan: "rm -rf /" }, plan: "Tidy up" }), ["plan"]);
});
