// SPDX-License-Identifier: Apache-2.0
// Rules about one answer, without any state: what counts as answered, what is sent.
import type { Answer, Ask, Question } from "./types";

const RECOMMENDED = /\s*\(recommended\)\s*$/i;

export const emptyAnswer = (): Answer => ({ selected: [] });
export const emptyAnswers = (ask: Ask): Answer[] => ask.questions.map(emptyAnswer);

// `(Recommended)` at the end of the first label is a badge, and no part of what people read. In any
// other it is a part of the label, as in core: two options never look alike.
export const isRecommended = (question: Question, index: number): boolean =>
  index === 0 && RECOMMENDED.test(question.options[0]?.label ?? "");
export const shownLabel = (question: Question | undefined, label: string): string =>
  label === question?.options[0]?.label ? label.replace(RECOMMENDED, "") || label : label;

// An answer as people read it.
export const inWords = (question: Question | undefined, answer: Answer): string =>
  [...answer.selected.map((label) => shownLabel(question, label)), answer.other?.trim()].filter(Boolean).join(", ");
export const allInWords = (ask: Ask, answers: Answer[]): string =>
  answers.map((answer, index) => inWords(ask.questions[index], answer)).filter(Boolean).join("; ");

// An agent's own "Other" opens the text field; no second one is added.
export const isOther = (label: string): boolean => /^other$/i.test(label.trim());
export const hasOther = (question: Question): boolean => question.options.some((one) => isOther(one.label));
export const takesText = (question: Question): boolean => question.custom || question.options.length === 0;

export const hasText = (answer: Answer): boolean => (answer.other ?? "").trim() !== "";
export const isAnswered = (answer: Answer | undefined): boolean =>
  answer !== undefined && (answer.selected.length > 0 || hasText(answer));
export const isTouched = (answers: Answer[]): boolean =>
  answers.some((answer) => isAnswered(answer) || (answer.note ?? "") !== "");

// One click is enough where there is one question with one choice.
export const isSimple = (ask: Ask): boolean =>
  ask.questions.length === 1 && !ask.questions[0]!.multi_select && ask.questions[0]!.options.length > 0;

export function choose(question: Question, answer: Answer, label: string): Answer {
  if (!question.multi_select) {
    const { other: _dropped, ...rest } = answer;
    return { ...rest, selected: [label] };
  }
  const isOn = answer.selected.includes(label);
  // In the order of the options, whatever the order of the clicks.
  const wanted = new Set(isOn ? answer.selected.filter((one) => one !== label) : [...answer.selected, label]);
  return { ...answer, selected: question.options.map((one) => one.label).filter((one) => wanted.has(one)) };
}

// Typing an answer of one's own replaces a single choice and stands beside several.
export function write(question: Question, answer: Answer, text: string): Answer {
  const keepsChoice = question.multi_select || text === "";
  const { other: _dropped, ...rest } = answer;
  const selected = keepsChoice ? answer.selected : answer.selected.filter(isOther);
  return text === "" ? { ...rest, selected } : { ...rest, selected, other: text };
}

export function remark(answer: Answer, text: string): Answer {
  const { note: _dropped, ...rest } = answer;
  return text === "" ? rest : { ...rest, note: text };
}

// As it is sent: without what is only white space, and without the label "Other" where its text
// says more.
export function finished(answers: Answer[]): Answer[] {
  return answers.map((answer) => {
    const done: Answer = { selected: answer.selected };
    if (hasText(answer)) {
      done.other = answer.other!.trim();
      done.selected = answer.selected.filter((label) => !isOther(label));
    }
    if ((answer.note ?? "").trim()) done.note = answer.note!.trim();
    return done;
  });
}

export const sameAnswers = (a: Answer[], b: Answer[]): boolean => JSON.stringify(a) === JSON.stringify(b);
