// SPDX-License-Identifier: Apache-2.0
// The documents of the native API, as openapi.json has them, and what the page adds to them.
import type { Answer, Ask, Cursor, Draft as KeptDraft, Event, Session, StreamEvent } from "../../../clients/typescript/src/native";

export type {
  Answer,
  Ask,
  AskPage,
  Decider,
  DraftPage,
  EventPage,
  Message,
  Option,
  Outcome,
  Permission,
  Problem,
  Question,
  QuestionKind,
  Said,
  Self,
  Server,
  Session,
  SessionPage,
  Settlement,
  Token,
  TokenPage,
} from "../../../clients/typescript/src/native";

// What a person has typed and not sent: null where it was dropped.
export type Draft = Pick<KeptDraft, "version"> & Partial<Pick<KeptDraft, "device">> & { answers: Answer[] | null };

// One thing of an agent's stream.
export type Part = StreamEvent;
export type TextPart = Extract<Part, { part_id: string }>;
export type ToolPart = Extract<Part, { call_id: string }>;

// An event as it came: with its cursor, where it has one.
export type Wire = Event & { id?: Cursor };

// An ask as it came: one without a list of questions cannot be laid out, and breaks nothing else.
export const readAsk = (ask: Ask): Ask => (Array.isArray(ask.questions) ? ask : { ...ask, questions: [] });

// Cursors are numbers too large for a double, as text.
export const isNewer = (a: string, b: string): boolean => a.length > b.length || (a.length === b.length && a > b);

// Our id of the session that something belongs to.
export const sessionOf = (thing: { session?: Session | string; session_id?: string }): string =>
  thing.session_id ?? (typeof thing.session === "string" ? thing.session : (thing.session?.id ?? ""));
export function roomOf(event: Wire): string {
  if ("ask" in event && typeof event.ask === "object") return sessionOf(event.ask);
  return "session" in event ? sessionOf(event) : "";
}
