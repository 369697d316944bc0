// SPDX-License-Identifier: Apache-2.0
// Rules about one answer, without any state: what counts as answered, what is sent.
import { kindOf } from "./kinds";
import type { Answer, Ask, Question } from "./types";

// What is marked before a person has done anything: the asker's suggestion, if there is one.
function presetOf({ options, default: texts = [] }: Question): Answer {
  const isLabel = (text: string): boolean => options.some(({ label }) => label === text);
  const other = texts.find((text) => !isLabel(text));
  return { selected: texts.filter(isLabel), ...(other !== undefined && { other }) };
}
export const firstAnswers = (ask: Ask): Answer[] => ask.questions.map(presetOf);

// How an option is read, what is recommended and what opens the text field is the broker's word.
export const isRecommended = (question: Question, index: number): boolean => question.options[index]?.recommended === true;
export const shownLabel = (question: Question | undefined, label: string): string =>
  question?.options.find((option) => option.label === label)?.shown ?? label;

// An answer as people read it.
export const inWords = (question: Question | undefined, answer: Answer): string =>
  [...answer.selected.map((label) => shownLabel(question, label)), answer.other?.trim()].filter(Boolean).join(", ");
export const allInWords = (ask: Ask, answers: Answer[]): string =>
  answers.map((answer, index) => inWords(ask.questions[index], answer)).filter(Boolean).join("; ");

// An agent's own "Other" opens the text field; no second one is added.
export const opensText = (question: Question, label: string): boolean =>
  question.options.some((option) => option.label === label && option.opens_text === true);
export const hasOther = (question: Question): boolean => question.options.some((option) => option.opens_text);

export const hasText = (answer: Answer): boolean => (answer.other ?? "").trim() !== "";
export const isAnswered = (answer: Answer | undefined): boolean =>
  answer !== undefined && (answer.selected.length > 0 || hasText(answer));
export const isTouched = (answers: Answer[]): boolean =>
  answers.some((answer) => isAnswered(answer) || (answer.note ?? "") !== "");

// Whether it may be sent as it is: answered, as its kind wants it, unless it may be left empty.
export const isReady = (question: Question, answer: Answer | undefined): boolean =>
  answer && isAnswered(answer) ? kindOf(question).isReady(question, answer) : question.required === false;

// One click is enough where there is one question with one choice.
export const isSimple = (ask: Ask): boolean => ask.questions.length === 1 && kindOf(ask.questions[0]!).isByClick(ask.questions[0]!);

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
  const selected = keepsChoice ? answer.selected : answer.selected.filter((label) => opensText(question, label));
  return text === "" ? { ...rest, selected } : { ...rest, selected, other: text };
}

export function remark(answer: Answer, text: string): Answer {
  const { note: _dropped, ...rest } = answer;
  return text === "" ? rest : { ...rest, note: text };
}

// As it is sent: without what is only white space, and without the label "Other" where its text
// says more.
export function finished({ questions }: Ask, answers: Answer[]): Answer[] {
  return answers.map((answer, index) => {
    const done: Answer = { selected: answer.selected };
    if (hasText(answer)) {
      done.other = answer.other!.trim();
      done.selected = answer.selected.filter((label) => !opensText(questions[index]!, label));
    }
    if ((answer.note ?? "").trim()) done.note = answer.note!.trim();
    return done;
  });
}

export const sameAnswers = (a: Answer[], b: Answer[]): boolean => JSON.stringify(a) === JSON.stringify(b);
