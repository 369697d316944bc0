// SPDX-License-Identifier: Apache-2.0
// A unified diff, line by line. What is not one is read as lines that stay.
export interface DiffLine {
  kind: "added" | "removed" | "same" | "hunk";
  text: string;
}

const KINDS: Record<string, DiffLine["kind"]> = { "+": "added", "-": "removed", " ": "same" };
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

const BLANK_KEPT = 3;

// Long runs of blank lines become one that says how many there were.
export function foldBlank(lines: DiffLine[], say: (n: number) => string): DiffLine[] {
  const found: DiffLine[] = [];
  for (let at = 0; at < lines.length; ) {
    let end = at;
    while (lines[end]?.kind === lines[at]!.kind && lines[end]!.text.trim() === "") ++end;
    if (end - at > BLANK_KEPT) found.push({ kind: lines[at]!.kind, text: `⟨${say(end - at)}⟩` });
    else found.push(...lines.slice(at, Math.max(end, at + 1)));
    at = Math.max(end, at + 1);
  }
  return found;
}

// A line's first character counts inside of a hunk only, which says how long it is: a removed line
// of text may begin like the name of a file.
export function readDiff(diff: string): DiffLine[] {
  const lines = diff.replace(/\n$/, "").split("\n");
  const isUnified = lines.some((line) => HUNK.test(line));
  const found: DiffLine[] = [];
  const names = new Set<DiffLine>();
  let before = 0;
  let after = 0;
  for (const line of lines) {
    const isInside = !isUnified || before > 0 || after > 0;
    const hunk = isInside ? null : HUNK.exec(line);
    const kind = isInside ? KINDS[line[0] ?? ""] : undefined;
    if (hunk) {
      before = Number(hunk[1] ?? 1);
      after = Number(hunk[2] ?? 1);
      found.push({ kind: "hunk", text: line });
    } else if (line.startsWith("\\ ")) {
      found.push({ kind: "hunk", text: line.slice(2) });
    } else if (isInside) {
      found.push({ kind: kind ?? "same", text: kind ? line.slice(1) : line });
      if (kind !== "added") --before;
      if (kind !== "removed") --after;
    } else {
      const name: DiffLine = { kind: "hunk", text: line };
      if (/^(---|\+\+\+) /.test(line)) names.add(name);
      found.push(name);
    }
  }
  // One file's name stands above the change already.
  return names.size > 2 ? found : found.filter((line) => !names.has(line));
}
