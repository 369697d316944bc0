// SPDX-License-Identifier: Apache-2.0
// The pending-ask map as a tRPC server in Node: asks and answers live in memory, nothing is
// checked beyond what the map needs, nothing survives. Prints its port.
import { EventEmitter, on } from "node:events";
import { createServer } from "node:http";
import { initTRPC, TRPCError } from "@trpc/server";
import { createHTTPHandler } from "@trpc/server/adapters/standalone";
import { applyWSSHandler } from "@trpc/server/adapters/ws";
import { WebSocketServer } from "ws";

const ASK_TIMEOUT_MS = 5 * 60 * 1000;
const t = initTRPC.create();
const takes = t.procedure.input((value) => value);
const sessions = new EventEmitter({ captureRejections: false });
sessions.setMaxListeners(0);
const pendingAsks = new Map();
let lastId = 0;

async function* stream({ input, signal }) {
  for (const [questionId, ask] of pendingAsks)
    if (ask.sessionId === input.sessionId)
      yield { type: "ask-question", questionId, questions: ask.questions };
  for await (const [event] of on(sessions, input.sessionId, { signal })) yield event;
}

const router = t.router({
  message: t.router({
    streamResponse: takes.subscription(stream),
    ask: takes.mutation(async ({ input: { sessionId, questions } }) => {
      const questionId = `ask-${lastId += 1}`;
      const answers = await new Promise((resolve, reject) => {
        const timeout = setTimeout(() => {
          pendingAsks.delete(questionId);
          reject(new TRPCError({ code: "TIMEOUT", message: "Ask timeout" }));
        }, ASK_TIMEOUT_MS);
        pendingAsks.set(questionId, { sessionId, questions, resolve, timeout });
        sessions.emit(sessionId, { type: "ask-question", questionId, questions });
      });
      return { questionId, answers };
    }),
    answerAsk: takes.mutation(({ input: { questionId, answers } }) => {
      const pending = pendingAsks.get(questionId);
      if (!pending)
        throw new TRPCError({ code: "NOT_FOUND", message: "Question not found or already answered" });
      clearTimeout(pending.timeout);
      pendingAsks.delete(questionId);
      pending.resolve(answers);
      sessions.emit(pending.sessionId, { type: "ask-settled", questionId, outcome: "answered" });
      return { success: true };
    }),
  }),
});

const server = createServer(createHTTPHandler({ router, basePath: "/trpc/" }));
applyWSSHandler({ wss: new WebSocketServer({ server }), router });
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
