// SPDX-License-Identifier: Apache-2.0
// Whether an ask is what somebody looks for: every word occurs in what was asked, answered or noted,
// or in who asked and who decided. What could have been answered counts as long as it can be: whoever
// looks for "deny" later looks for denials.
import { sessions } from "./state";
import { sessionOf, type Answer, type Ask } from "./types";

const wordsOf = (answer: Answer): (string | undefined)[] => [...answer.selected, answer.other, answer.note];

function textOf(ask: Ask): string {
  const session = sessions.value.get(sessionOf(ask));
  const { settlement } = ask;
  return [
    ask.agent,
    session?.title ?? session?.name ?? ask.session,
    ask.context,
    ask.permission?.summary,
    ...ask.questions.flatMap((one) => [one.question, one.header]),
    ...(settlement ? [] : ask.questions.flatMap((one) => one.options.map((option) => option.label))),
    ...(settlement?.answers ?? []).flatMap(wordsOf),
    settlement?.note,
    settlement?.decider.name ?? settlement?.decider.principal,
    settlement?.decider.claimed,
  ].join("\n");
}

export function matches(ask: Ask, words: string): boolean {
  const wanted = words.trim().toLowerCase();
  if (!wanted) return true;
  const text = textOf(ask).toLowerCase();
  return wanted.split(/\s+/).every((word) => text.includes(word));
}
