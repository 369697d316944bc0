// SPDX-License-Identifier: Apache-2.0
// What holds of an answer to a question of each kind; how it is asked for is in view/card/editors.
import { hasText, opensText } from "./answers";
import type { Answer, Question, QuestionKind } from "./types";

interface Kind {
  // Whether an answer with something in it may be sent as it is.
  isReady(question: Question, answer: Answer): boolean;
  // Whether one click can be the whole answer.
  isByClick(question: Question): boolean;
}

// As many as are wanted. A text of one's own is one of them.
function isReady(question: Question, answer: Answer): boolean {
  const count = answer.selected.filter((label) => !(hasText(answer) && opensText(question, label))).length;
  const choices = count + (hasText(answer) ? 1 : 0);
  return choices >= (question.min ?? 0) && choices <= (question.max ?? Infinity);
}

// A kind that has no row does not compile.
const KINDS: Record<QuestionKind, Kind> = {
  choice: { isReady, isByClick: ({ multi_select, options }) => !multi_select && options.length > 0 },
};

// A kind of a newer broker is asked as text, and the broker says what is wrong with it.
export const kindOf = ({ kind }: Question): Kind => KINDS[kind] ?? { isReady: () => true, isByClick: () => false };
