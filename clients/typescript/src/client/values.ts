// SPDX-License-Identifier: Apache-2.0
// The documents of the native API, narrowed to what a caller can rely on, and what callers give.
import type * as native from "../native.js";

export type Ask = native.Ask;

/** `settlement.answers` are in question order. */
export type AnsweredAsk = Ask & {
  state: "answered";
  settlement: native.Settlement & { outcome: "answered"; answers: native.Answer[] };
};

/** Nobody answered. That is never a yes; `settlement.note` may say why. */
export type UnansweredAsk = Ask & {
  state: "dismissed" | "timed_out" | "withdrawn";
  settlement: native.Settlement & { outcome: "dismissed" | "timed_out" | "withdrawn" };
};

export type SettledAsk = AnsweredAsk | UnansweredAsk;

export type Choice = string | native.OptionRequest;
export type Asked = string | native.QuestionRequest | native.QuestionRequest[];

/** The answer to one question. */
export type GivenAnswer = Partial<native.Answer>;

/** A text is the label of that name, or else free text; several are in question order. */
export type Answered = string | GivenAnswer | (string | GivenAnswer)[];

/** An event, and its place in their order. What stands in the snapshot at the start has none. */
export interface Watched {
  event: native.Event;
  cursor?: native.Cursor;
}

export function isSettled(ask: Ask): ask is SettledAsk {
  return ask.settlement !== undefined;
}

/** Labels and free text of one question's answer in one; empty without one. */
export function answerText(ask: Ask, question = 0): string {
  const answer = ask.settlement?.answers?.[question];
  return answer ? [...answer.selected, ...(answer.other ? [answer.other] : [])].join(", ") : "";
}

export function answersOf(ask: Ask, answered: Answered): native.Answer[] {
  return (Array.isArray(answered) ? answered : [answered]).map((one, place) => {
    if (typeof one !== "string") return { selected: [], ...one };
    const isLabel = ask.questions[place]?.options.some(({ label }) => label === one);
    return isLabel ? { selected: [one] } : { selected: [], other: one };
  });
}
