// SPDX-License-Identifier: Apache-2.0
// docs/agents.md says what these tests show: each of them holds its cells against the page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const PAGE = new URL("../../../../docs/agents.md", import.meta.url);
const cells = (line) => line.split("|").slice(1, -1).map((cell) => cell.trim());

// The page's first table, or the first after this heading, as {row: {column: words}}.
export function table(heading = "") {
  const page = readFileSync(PAGE, "utf8");
  const [first] = /^\|[^]*?(?=\n\n)/m.exec(page.slice(page.indexOf(heading)));
  const [head, , ...rows] = first.split("\n").map(cells);
  return Object.fromEntries(rows.map(([row, ...rest]) =>
    [row, Object.fromEntries(rest.map((words, i) => [head[i + 1], words]))]));
}

export function documented(row, column, words, heading = "") {
  assert.equal(table(heading)[row]?.[column], words, `docs/agents.md: ${row}, ${column}`);
}

// What each agent can do that Parley runs or joins, and what it cannot.
export const GLANCE = "## Agents that Parley runs or joins";

export const ACP = "## Driven over the Agent Client Protocol";
export const acpDocumented = (row, column, words) => documented(row, column, words, ACP);
