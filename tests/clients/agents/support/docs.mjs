// SPDX-License-Identifier: Apache-2.0
// docs/agents.md says what these tests show: each of them holds its cells against the page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const PAGE = new URL("../../../../docs/agents.md", import.meta.url);
const cells = (line) => line.split("|").slice(1, -1).map((cell) => cell.trim());

// The page's first table, as {row: {column: words}}.
export function table() {
  const [first] = /^\|[^]*?(?=\n\n)/m.exec(readFileSync(PAGE, "utf8"));
  const [head, , ...rows] = first.split("\n").map(cells);
  return Object.fromEntries(rows.map(([row, ...rest]) =>
    [row, Object.fromEntries(rest.map((words, i) => [head[i + 1], words]))]));
}

export function documented(row, column, words) {
  assert.equal(table()[row]?.[column], words, `docs/agents.md: ${row}, ${column}`);
}
