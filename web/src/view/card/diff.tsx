// SPDX-License-Identifier: Apache-2.0
// A change as its lines: a mark says what is added and what goes, the colour says it again.
import { useMemo } from "preact/hooks";
import { count, t } from "../../i18n";
import { foldBlank, readDiff, type DiffLine } from "../../model/diff";
import { visible } from "../../model/visible";
import { Code } from "../prose";

const MARKS = { added: "+", removed: "−", same: "", hunk: "" };

const Line = ({ line: { kind, text } }: { line: DiffLine }) => (
  <div class={`diff-line ${kind}`}>
    <span class="diff-mark">{MARKS[kind]}</span>
    <span class="diff-text" dir="auto">
      <Code text={visible(text) || "\u00a0"} />
    </span>
  </div>
);

export function Diff({ text }: { text: string }) {
  const lines = useMemo(() => readDiff(text), [text]);
  const number = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  const counts = (["added", "removed"] as const).filter((kind) => number(kind) > 0);
  return (
    <div class="diff" role="group" aria-label={t("permission.change")}>
      {counts.length > 0 && <p class="hint">{counts.map((kind) => count(`permission.${kind}`, number(kind))).join(" · ")}</p>}
      {foldBlank(lines, (n) => count("text.blank_lines", n)).map((line, index) => (
        <Line key={index} line={line} />
      ))}
    </div>
  );
}
