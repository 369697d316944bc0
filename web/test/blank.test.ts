// SPDX-License-Identifier: Apache-2.0
// Padding, and what an ask is about.
import assert from "node:assert/strict";
import { test } from "node:test";
import { collapse } from "../src/model/blank";
import { foldBlank, readDiff } from "../src/model/diff";
import { fieldsOf, headline, isPermission } from "../src/model/headline";
import { ask, question } from "./asks";

const say = { lines: (n: number) => `${n} lines`, blanks: (n: number) => `${n} blanks` };

test("a long run of blank lines becomes words, however the lines are blank", () => {
  assert.equal(collapse(`a${"\n".repeat(400)}b`, say), "a\n\n⟨399 lines⟩\n\nb");
  assert.equal(collapse(`a\n\n${"&nbsp;\n\n".repeat(60)}b`, say), "a\n\n⟨121 lines⟩\n\nb");
  assert.equal(collapse(`a\n${"\u2800\n> \n#\n\\\n".repeat(2)}b`, say), "a\n\n⟨8 lines⟩\n\nb");
  assert.equal(collapse(`\`\`\`\na${"\n".repeat(9)}b\n\`\`\``, say), "```\na\n\n⟨8 lines⟩\n\nb\n```");
});

test("what any text has stays as it is, and nothing is said of blank lines at the end", () => {
  assert.equal(collapse("a\n\n\nb\n\n- c\n  d", say), "a\n\n\nb\n\n- c\n  d");
  assert.equal(collapse(`a${"\n".repeat(50)}`, say), "a");
});

test("a wide gap inside a line becomes words", () => {
  assert.equal(collapse(`ls${" ".repeat(5000)}; rm`, say), "ls ⟨5000 blanks⟩ ; rm");
  assert.equal(collapse(`a${" ".repeat(40)}b`, say), `a${" ".repeat(40)}b`);
});

test("an ask is about what it permits, else about its first question", () => {
  const permission = { tool: "Bash", input: { command: "make", timeout: 5 }, summary: "make" };
  assert.equal(headline(ask([question({ question: "Use `x`\nor y?" })])), "Use x or y?");
  assert.equal(headline(ask([question()], { permission })), "make");
  assert.equal(isPermission(ask()), false);
  const options = ["Allow once", "Allow for this session", "Deny"].map((label) => ({ label, description: "" }));
  assert.equal(isPermission(ask([question({ options })])), true);
  assert.deepEqual(fieldsOf(permission.input), [{ name: "command", text: "make" }, { name: "timeout", text: "5" }]);
});

test("a change is read line by line; what only looks like a file's name inside of it is a line", () => {
  const diff = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n same\n--- old\n-gone\n+++ new\n+\n\\ No newline at end of file\n";
  assert.deepEqual(readDiff(diff).map(({ kind, text }) => `${kind} ${text}`), [
    "hunk @@ -1,3 +1,3 @@", "same same", "removed -- old", "removed gone", "added ++ new", "added ", "hunk No newline at end of file",
  ]);
  const padded = readDiff(`@@ -0,0 +1,9 @@\n+a\n${"+\n".repeat(7)}+b\n`);
  assert.deepEqual(foldBlank(padded, (n) => `${n} lines`).map(({ text }) => text), ["@@ -0,0 +1,9 @@", "a", "⟨7 lines⟩", "b"]);
  assert.deepEqual(readDiff("not a diff\n+x").map(({ kind }) => kind), ["same", "added"]);
});
