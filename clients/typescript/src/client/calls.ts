// SPDX-License-Identifier: Apache-2.0
// Requests and replies of the native API. No input or output.
import type { AskRequest, QuestionRequest } from "../native.js";
import { ParleyError, refusal, Refused } from "./errors.js";
import type { More, QuestionOptions } from "./options.js";
import type { Reply } from "./transport.js";
import type { Asked, Choice } from "./values.js";

export const HOLD_SECONDS = 50; // a request that waits is held so long: proxies often give up after 60
export const READ_SECONDS = 30; // beyond that, a broker that says nothing is taken for gone
export const STREAM_SECONDS = 45; // a stream has a heartbeat every 15 seconds
export const WITHDRAWAL_SECONDS = 2; // to take back what a caller gives up on

export const NO_BROKER = "what answers there is no Parley broker";

/** The broker, or what a proxy has in its place, is away for now. */
export function isAway(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

/** A broker without this ask: its store is another one. */
export function isGone(error: unknown): boolean {
  return error instanceof Refused && error.status === 404;
}

type Query = Record<string, string | number | null | undefined>;

export function pathOf(parts: string[], query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[name, String(value)]]);
  const path = `/v1/${parts.map(encodeURIComponent).join("/")}`;
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path;
}

/**
 * Without a key of its own an ask gets one, so that a request that is sent again is the same ask;
 * only one that was given a key outlives a caller who gives up.
 */
export interface NewAsk {
  body: AskRequest;
  isLasting: boolean;
}

export function newAsk(asked: Asked, choices: Choice[], more: More, key: string): NewAsk {
  const { header, multiSelect, signal, timeoutSeconds, onTimeout, ...rest } = more;
  const body: AskRequest = {
    key,
    ...rest,
    questions: questionsOf(asked, choices, { ...(header && { header }), ...(multiSelect && { multiSelect }) }),
    ...(timeoutSeconds !== undefined && { timeout_seconds: timeoutSeconds }),
    ...(onTimeout !== undefined && { on_timeout: onTimeout }),
  };
  return { body, isLasting: more.key !== undefined };
}

function questionsOf(asked: Asked, choices: Choice[], more: QuestionOptions): QuestionRequest[] {
  if (typeof asked === "string") return [{ question: asked, options: choices, ...more }];
  if (choices.length > 0 || Object.keys(more).length > 0) {
    throw new TypeError("options, header and multiSelect belong to a question that is a text");
  }
  return Array.isArray(asked) ? asked : [asked];
}

export async function textOf(reply: Reply): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of reply.body) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

/** The document of a reply; a refusal is thrown. */
export function read(status: number, text: string): unknown {
  let document: unknown = null;
  try {
    if (text) document = JSON.parse(text);
  } catch (error) {
    if (status < 400) throw new ParleyError(NO_BROKER, { cause: error });
  }
  if (status < 400) return document;
  throw refusal(status, typeof document === "object" && document !== null ? document : {});
}
