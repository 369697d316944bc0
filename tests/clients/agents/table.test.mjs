// SPDX-License-Identifier: Apache-2.0
// What the pages say of clients is what the program goes by, and what is not tested says why.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { ACP, GLANCE, table } from "./support/docs.mjs";

const read = (path) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
// How docs/doors/mcp.md calls the clients of the program's table.
const NAMES = {
  "claude-code": "Claude Code", "Visual Studio Code": "Visual Studio Code",
  "codex-mcp-client": "Codex 0.166", "gemini-cli-mcp-client": "Gemini CLI 0.61",
  "qwen-cli-mcp-client*": "Qwen Code 0.24", "copilot-cli": "Copilot CLI 1.0",
  "github-copilot-*": "Copilot CLI 1.0", opencode: "OpenCode 1.18",
};
const MARGIN_S = 10;

// {client: {limit, idle_limit}} in seconds, as src/dialect/mcp/known_clients.cc has them.
function known() {
  const entries = read("src/dialect/mcp/known_clients.cc")
    .matchAll(/Habits\{\.client = "([^"]+)",([^}]*)\}/g);
  return Object.fromEntries([...entries].map(([, client, rest]) => [client,
    Object.fromEntries([...rest.matchAll(/\.(limit|idle_limit) = seconds\((\d+)\)/g)]
      .map(([, name, value]) => [name, Number(value)]))]));
}

test("docs/doors/mcp.md has the limits that the program goes by", () => {
  const page = read("docs/doors/mcp.md").split("\n");
  const clients = known();
  assert.deepEqual(Object.keys(clients).sort(), Object.keys(NAMES).sort());
  for (const [client, { limit, idle_limit: idle }] of Object.entries(clients)) {
    const row = page.find((line) => line.startsWith("|") && line.includes(NAMES[client])
      && /\| \d+ \|$/.test(line));
    assert.ok(row, `a row for ${NAMES[client]}`);
    const [, , own, held] = row.split("|").map((cell) => cell.trim());
    assert.equal(held, limit ? `${limit - MARGIN_S} s` : "as long as it takes", client);
    if (limit) assert.ok(own.includes(`${limit} s`), `${client}: ${own}`);
    const isSaid = own.includes(`${idle} s without progress`) || idle === limit
      || own === "none while there is progress";
    assert.ok(isSaid, `${client}: ${own}`);
  }
});

test("docs/agents.md: no cell is untested without its reason", () => {
  const rows = [table(), table(ACP), table(GLANCE)].flatMap(Object.entries);
  assert.ok(rows.length >= 18);
  for (const [row, columns] of rows)
    for (const [column, words] of Object.entries(columns))
      assert.match(words, /^(?!not tested)..|^–$|^not tested: ..../, `${row}, ${column}`);
});
