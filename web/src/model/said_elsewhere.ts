// SPDX-License-Identifier: Apache-2.0
// Which fields of a tool's input need no place of their own, since the diff, the plan or the summary
// says all of them. Whose diff it is does not matter: a field that is not in it is shown.
import type { Field } from "./headline";
import type { Permission } from "./types";

const OF_DIFF = new Set(
  "old_string new_string oldString newString old_str new_str new_source content edits file_text diff".split(" "),
);

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

const linesOf = (text: string): string[] => text.split(/\r\n|\r|\n/);

export function saidElsewhere({ input, diff, plan, summary }: Permission): (field: Field) => boolean {
  const values = (typeof input === "object" && input !== null ? input : {}) as Record<string, unknown>;
  const lines = new Set<string>([""]);
  for (const line of linesOf(diff ?? "")) {
    lines.add(line);
    lines.add(line.slice(1));
  }
  const isInDiff = (value: unknown): boolean =>
    textsIn(value).every((text) => linesOf(text).every((line) => lines.has(line)));
  return ({ name, text }) =>
    (diff !== undefined && OF_DIFF.has(name) && isInDiff(values[name])) ||
    (plan !== undefined && name === "plan" && text.trim() === plan.trim()) ||
    text.trim() === summary.trim();
}
