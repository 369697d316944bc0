// SPDX-License-Identifier: Apache-2.0
// One conversation: sends what the person writes, shows what the agent says, and hands its
// questions to whoever shows them.
import type { TRPCClient } from "@trpc/client";
import { useCallback, useEffect, useRef, useState } from "react";
import type { Outcome, Question, StreamEvent } from "../events.js";
import type { AppRouter, Attachment, StreamInput } from "../router.js";

export interface SendMessageOptions {
  /** Files: the agent is told their names. */
  attachments?: (string | Attachment)[];
  /** The agent asks. The same question may come again, after a reconnect. */
  onAskQuestion?: (questionId: string, questions: Question[]) => void;
  /** A question is decided, here or elsewhere: take its prompt away. */
  onAskSettled?: (questionId: string, outcome: Outcome) => void;
  /** Every event, also those that the hook keeps for itself. */
  onEvent?: (event: StreamEvent) => void;
  onComplete?: () => void;
  onError?: (error: Error) => void;
}

export interface TextPart {
  partId: string;
  text: string;
}

export interface Chat {
  sessionId: string | null;
  /** What the agent has written since the last message was sent. */
  parts: TextPart[];
  isStreaming: boolean;
  error: Error | null;
  sendMessage: (userMessage: string, options?: SendMessageOptions) => void;
  /** Listens without saying anything, across turns: pending questions come at once. */
  watch: (options?: SendMessageOptions) => void;
  /** Stops the agent's turn; its pending questions are withdrawn. */
  abort: () => Promise<void>;
  /** Stops listening. The session and its questions stay. */
  stop: () => void;
}

function withText(parts: TextPart[], event: StreamEvent): TextPart[] {
  if (event.type === "text-start") {
    const others = parts.filter((part) => part.partId !== event.partId);
    return [...others, { partId: event.partId, text: "" }];
  }
  if (event.type !== "text-delta") return parts;
  return parts.map((part) => part.partId === event.partId
    ? { ...part, text: part.text + event.text } : part);
}

export function useChat(client: TRPCClient<AppRouter>, session: string | null = null): Chat {
  const [sessionId, setSessionId] = useState(session);
  const [parts, setParts] = useState<TextPart[]>([]);
  const [isStreaming, setIsStreaming] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const subscription = useRef<{ unsubscribe: () => void } | null>(null);
  const known = useRef(session); // sessionId, for callbacks that are older than the last render

  const stop = useCallback(() => {
    subscription.current?.unsubscribe();
    subscription.current = null;
    setIsStreaming(false);
  }, []);
  useEffect(() => stop, [stop]);

  const listen = useCallback((input: StreamInput, options: SendMessageOptions) => {
    stop();
    setParts([]);
    setError(null);
    setIsStreaming(true);
    const onData = (event: StreamEvent) => {
      if (event.type === "session-created") {
        known.current = event.sessionId;
        setSessionId(event.sessionId);
      } else if (event.type === "ask-question") {
        options.onAskQuestion?.(event.questionId, event.questions);
      } else if (event.type === "ask-settled") {
        options.onAskSettled?.(event.questionId, event.outcome);
      } else {
        setParts((before) => withText(before, event));
      }
      options.onEvent?.(event);
    };
    subscription.current = client.message.streamResponse.subscribe(
      { ...input, sessionId: known.current }, {
        onData,
        onError: (problem) => {
          setError(problem);
          setIsStreaming(false);
          options.onError?.(problem);
        },
        onComplete: () => {
          setIsStreaming(false);
          options.onComplete?.();
        },
      });
  }, [client, stop]);

  const sendMessage = useCallback((userMessage: string, options: SendMessageOptions = {}) =>
    listen({ userMessage, ...(options.attachments && { attachments: options.attachments }) },
      options), [listen]);
  const watch = useCallback((options: SendMessageOptions = {}) =>
    listen({ follow: true }, options), [listen]);
  const abort = useCallback(async () => {
    if (known.current !== null) await client.message.abort.mutate({ sessionId: known.current });
  }, [client]);

  return { sessionId, parts, isStreaming, error, sendMessage, watch, abort, stop };
}
