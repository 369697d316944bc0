// SPDX-License-Identifier: Apache-2.0
// A change as its lines: a mark says what is added and what goes, the colour says it again.
import { useMemo } from "preact/hooks";
import { count, t } from "../../i18n";
import { foldBlank, readDiff, type DiffLine } from "../../model/diff";
import { visible } from "../../model/visible";

const MARKS = { added: "+", removed: "−", same: "", hunk: "" };

const Line = ({ line: { kind, text } }: { line: DiffLine }) => (
  <div class={`diff-line ${kind}`}>
    <span class="diff-mark">{MARKS[kind]}</span>
    <span class="diff-text" dir="auto">
      {visible(text) || "\u00a0"}
    </span>
  </div>
);

export function Diff({ text }: { text: string }) {
  const lines = useMemo(() => readDiff(text), [text]);
  const number = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  return (
    <div class="diff" role="group" aria-label={t("permission.change")}>
      <p class="hint">
        {count("permission.added", number("added"))} · {count("permission.removed", number("removed"))}
      </p>
      {foldBlank(lines, (n) => count("text.blank_lines", n)).map((line, index) => (
        <Line key={index} line={line} />
      ))}
    </div>
  );
}
