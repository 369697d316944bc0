// SPDX-License-Identifier: Apache-2.0
// The questions that wait for this person, oldest first, and the way to answer them. Give its
// onAskQuestion and onAskSettled to useChat.
import { TRPCClientError, type TRPCClient } from "@trpc/client";
import { useCallback, useState } from "react";
import type { Answers, Question } from "../events.js";
import type { AppRouter } from "../router.js";

export interface OpenAsk {
  questionId: string;
  questions: Question[];
}

export interface AskToolHandler {
  pending: OpenAsk[];
  /** The oldest of them. */
  current: OpenAsk | null;
  /** Why the last answer was not taken. */
  error: Error | null;
  onAskQuestion: (questionId: string, questions: Question[]) => void;
  onAskSettled: (questionId: string) => void;
  /** Answers the current question, or the one named. True once it is taken. */
  answer: (answers: Answers, questionId?: string) => Promise<boolean>;
}

// The question is gone, whoever decided it. After any other failure it stays, and so does what the
// person has typed.
function isOver(problem: unknown): boolean {
  if (!(problem instanceof TRPCClientError)) return false;
  const code: unknown = problem.data?.code;
  return code === "NOT_FOUND" || code === "CONFLICT" || code === "TIMEOUT";
}

export function useAskToolHandler(
  client: TRPCClient<AppRouter>, sessionId: string | null,
): AskToolHandler {
  const [pending, setPending] = useState<OpenAsk[]>([]);
  const [error, setError] = useState<Error | null>(null);

  const onAskQuestion = useCallback((questionId: string, questions: Question[]) => {
    setPending((before) => before.some((ask) => ask.questionId === questionId)
      ? before : [...before, { questionId, questions }]);
  }, []);
  const onAskSettled = useCallback((questionId: string) => {
    setPending((before) => before.filter((ask) => ask.questionId !== questionId));
  }, []);

  const current = pending[0] ?? null;
  const answer = useCallback(async (answers: Answers, questionId = current?.questionId) => {
    if (questionId === undefined || sessionId === null) return false;
    setError(null);
    try {
      await client.message.answerAsk.mutate({ sessionId, questionId, answers });
      onAskSettled(questionId);
      return true;
    } catch (problem) {
      setError(problem instanceof Error ? problem : new Error(String(problem)));
      if (isOver(problem)) onAskSettled(questionId);
      return false;
    }
  }, [client, sessionId, current, onAskSettled]);

  return { pending, current, error, onAskQuestion, onAskSettled, answer };
}
