// SPDX-License-Identifier: Apache-2.0
// Asks for tests.
import type { Ask, Question, Settlement } from "../src/model/types";

export const question = (more: Partial<Question> = {}): Question => ({
  question: "Which?",
  header: "Pick",
  kind: "choice",
  options: [
    { label: "A (Recommended)", description: "", shown: "A", recommended: true },
    { label: "B", description: "" },
  ],
  multi_select: false,
  custom: true,
  ...more,
});

let last = 0;

export const ask = (questions: Question[] = [question()], more: Partial<Ask> = {}): Ask => ({
  id: `que_${String(++last).padStart(4, "0")}`,
  session: "ses_1",
  state: "pending",
  questions,
  created_at: "2026-01-01T00:00:00Z",
  ...more,
});

export const settlement = (more: Partial<Settlement> = {}): Settlement => ({
  outcome: "answered",
  answers: [{ selected: ["B"] }],
  decider: { kind: "person", principal: "browser" },
  door: "page",
  at: "2026-01-01T00:01:00Z",
  ...more,
});

export const ended = (one: Ask, more: Partial<Settlement> = {}): Ask => ({
  ...one,
  state: more.outcome ?? "answered",
  settlement: settlement(more),
});
