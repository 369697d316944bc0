// SPDX-License-Identifier: Apache-2.0
// What the tRPC door sends and takes.

import type * as native from "./native.js";

export type QuestionOption = Pick<native.Option, "label" | "description" | "preview">;

/** What a question of the native API says, in the spelling of this door. */
export interface Question
  extends Pick<native.Question, "question" | "header" | "required" | "min" | "max" | "default"> {
  multiSelect: native.Question["multi_select"];
  options: QuestionOption[];
  /** Only there when free text is switched off. */
  custom?: false;
}

/** What an agent may leave out of a question, the broker fills in. */
export type QuestionInput = Omit<native.QuestionRequest, "multi_select" | "multiple">;

/** Keyed by a question's text, its header, its index ("0") or "q" and its index ("q0"). */
export type Answers = Record<string, string | string[]>;

export type Outcome = native.Outcome;

export interface PendingAsk {
  questionId: string;
  sessionId: string;
  questions: Question[];
  createdAt: string;
  deadline?: string;
}

/** In `error.data` of a call that came too late: what was decided, by whom and when. */
export type Settlement = native.Settlement;

export type AskQuestionEvent = { type: "ask-question"; questionId: string; questions: Question[] };
export type AskSettledEvent = {
  type: "ask-settled";
  questionId: string;
  outcome: Outcome;
  answers?: Answers;
  notes?: Record<string, string>;
};

/**
 * An event of a session. A `text-start` or `tool-input-start` with an id that was seen before
 * begins that part again: forget what it had.
 */
export type StreamEvent =
  | AskQuestionEvent
  | AskSettledEvent
  | { type: "session-created"; sessionId: string }
  | { type: "user-message-created"; messageId: string; content: string }
  | { type: "message-queued"; messageId: string }
  | { type: "assistant-message-created"; messageId: string }
  | { type: "text-start"; partId: string }
  | { type: "text-delta"; partId: string; text: string }
  | { type: "text-end"; partId: string }
  | { type: "tool-input-start"; toolCallId: string; toolName: string }
  | { type: "tool-input-delta"; toolCallId: string; inputTextDelta: string }
  | { type: "tool-call"; toolCallId: string; toolName: string; input?: unknown; startTime: number }
  | { type: "tool-result"; toolCallId: string; toolName: string; result?: unknown;
      duration?: number }
  | { type: "tool-error"; toolCallId: string; toolName: string; error: string; duration?: number }
  | { type: "notice"; level: native.Level; text: string }
  | { type: "complete"; reason?: string }
  | { type: "abort" }
  | { type: "session-ended"; reason?: string };
