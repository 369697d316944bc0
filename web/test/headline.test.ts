// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { headline, wholeHeadline } from "../src/model/headline";
import { ask, question } from "./asks";

const permits = (tool: string, summary: string, input: object) => ask([question()], { permission: { tool, summary, input } });

test("a command is shown as it is, backticks and all", () => {
  const one = permits("Bash", "kill `cat run.pid`", { command: "kill `cat run.pid`" });
  assert.deepEqual([headline(one), wholeHeadline(one)], ["kill `cat run.pid`", "kill `cat run.pid`"]);
  assert.equal(headline(ask([question({ question: "Run `npm ci`?" })])), "Run npm ci?");
});

test("where it stands alone, a path says what is done to it", () => {
  const write = permits("Write", "/etc/hosts", { file_path: "/etc/hosts", content: "" });
  const issue = permits("mcp__linear__create", "mcp__linear__create(title: A)", { title: "A" });
  assert.deepEqual([write, issue].map(headline), ["/etc/hosts", "mcp__linear__create(title: A)"]);
  assert.deepEqual([write, issue].map(wholeHeadline), ["Write: /etc/hosts", "mcp__linear__create(title: A)"]);
  const near = permits("Read", "Readme.md", { file_path: "Readme.md" }); // begins as the tool does, and is a path
  assert.equal(wholeHeadline(near), "Read: Readme.md");
});
