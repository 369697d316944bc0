// SPDX-License-Identifier: Apache-2.0
// The router as @trpc/client wants to see it: a type, and nothing that ever runs. The broker itself
// serves these procedures.
import { initTRPC, type TrackedEnvelope } from "@trpc/server";
import type { Answers, PendingAsk, QuestionInput, StreamEvent } from "./events.js";

/** A file by any name that says which it is. */
export interface Attachment {
  path?: string;
  relativePath?: string;
  name?: string;
  filename?: string;
  url?: string;
  mimeType?: string;
  size?: number;
}

export interface StreamInput {
  /** The session's id or your own name for it; absent, a new one is opened. */
  sessionId?: string | null;
  /** Said to the session's agent. */
  userMessage?: string;
  /** Files: the agent is told their names, below the message. */
  attachments?: (string | Attachment)[];
  /** What other servers of this router choose their agent by; a broker's session has its own. */
  agentId?: string | null;
  provider?: string | null;
  model?: string | null;
  /** Go on when the turn is over. */
  follow?: boolean;
  lastEventId?: string | null;
}

export interface AskInput {
  sessionId?: string;
  questions: QuestionInput[];
  /** Five minutes unless given; 0 means none. */
  timeoutMs?: number;
  /** Asked again with the same id, or the same key, it is the same ask. */
  toolCallId?: string;
  key?: string;
  /** False: `status` is "pending" at once, and the same key brings the answer later. */
  blocking?: boolean;
}

export interface AnswerAskInput {
  sessionId: string;
  questionId: string;
  answers: Answers;
}

/** What of an ask the broker does not know, and so left out. */
export interface Warning {
  path: string;
  detail: string;
}

const t = initTRPC.create();

const takes = <T>() => (value: unknown): T => value as T;

function served(): never {
  throw new Error("the broker serves this procedure");
}

async function* plainEvents(): AsyncGenerator<StreamEvent, void, unknown> {
  served();
}

async function* trackedEvents(): AsyncGenerator<TrackedEnvelope<StreamEvent>, void, unknown> {
  served();
}

const appRouter = t.router({
  message: t.router({
    streamResponse: t.procedure.input(takes<StreamInput>()).subscription(() => plainEvents()),
    streamTracked: t.procedure.input(takes<StreamInput>()).subscription(() => trackedEvents()),
    answerAsk: t.procedure.input(takes<AnswerAskInput>())
      .mutation((): { success: true } => served()),
    pending: t.procedure.input(takes<{ sessionId: string }>()).query((): PendingAsk[] => served()),
    ask: t.procedure.input(takes<AskInput>())
      .mutation((): { questionId: string; answers: Answers; status?: "pending";
        warnings?: Warning[] } => served()),
    abort: t.procedure.input(takes<{ sessionId: string }>())
      .mutation((): { success: true } => served()),
  }),
});

export type AppRouter = typeof appRouter;
