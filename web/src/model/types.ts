// SPDX-License-Identifier: Apache-2.0
// The documents of the native API (docs/doors/native.md), as far as the page reads them.

export interface Option {
  label: string;
  description: string;
  preview?: string;
  shown?: string; // the label as people read it, where that is another text
  recommended?: boolean;
  opens_text?: boolean; // the agent's own "Other"
}

export interface Question {
  question: string;
  header: string;
  options: Option[];
  multi_select: boolean;
  custom: boolean;
  required?: boolean; // absent: as the door has it, which is that it is
  min?: number; // of choices
  max?: number;
  default?: string[]; // labels, and a text of one's own: marked beforehand
}

export interface Answer {
  selected: string[];
  other?: string;
  note?: string;
}

// What a person has typed and not sent: null where it was dropped.
export interface Draft {
  answers: Answer[] | null;
  device?: string;
  version: number;
}

export type Outcome = "answered" | "dismissed" | "timed_out" | "withdrawn";

export interface Decider {
  kind: "person" | "timer" | "agent" | "rule";
  principal?: string;
  name?: string; // who they are to the broker
  claimed?: string; // who they said they were, where that differs
}

export interface Settlement {
  outcome: Outcome;
  answers?: Answer[];
  decider: Decider;
  door: string;
  at: string;
  note?: string;
}

// What a tool would do if it is allowed.
export interface Permission {
  tool: string;
  input?: unknown; // whole, as the tool would get it
  diff?: string; // unified
  plan?: string; // markdown
  summary: string; // one line
}

export interface Ask {
  id: string;
  session: string;
  session_id?: string;
  state: "pending" | Outcome;
  questions: Question[];
  context?: string;
  permission?: Permission;
  tool?: { message_id?: string; call_id: string };
  agent?: string;
  asker?: string;
  urgency?: "low" | "normal" | "high";
  dismissible?: boolean;
  created_at: string;
  deadline?: string;
  on_timeout?: "deny" | { default: Answer[] };
  settlement?: Settlement;
  asker_revoked?: boolean; // nobody waits for the answer any more
  snoozed_until?: string;
}

export interface Session {
  id: string;
  name?: string;
  title?: string;
  parent?: string;
  agent?: string;
  state: "idle" | "working" | "waiting" | "ended";
  activity: "idle" | "working";
  pending: number;
  created_at: string;
  ended_at?: string;
}

export interface Self {
  principal: string;
  name?: string;
  needs_name?: boolean;
  role: "agent" | "responder" | "owner";
  sign_in?: string;
}

// One thing of an agent's stream.
export interface Part {
  type: string;
  part_id?: string;
  call_id?: string;
  tool?: string;
  text?: string;
  input?: unknown;
  output?: unknown;
  error?: unknown;
  reason?: string;
  replace?: boolean;
}

export interface Message {
  id: string;
  text: string;
  by: Decider;
}

export interface Wire {
  type: string;
  id?: string; // the cursor, where it has one
  at?: string;
  ask?: Ask | string;
  answers?: Answer[] | null;
  device?: string;
  version?: number;
  snoozed_until?: string;
  session?: Session | string;
  session_id?: string;
  part?: Part;
  message?: Message;
  taken_up_to?: string;
  text?: string;
  level?: "info" | "warning" | "error";
  cursor?: string;
  asker?: string;
}

// An ask as it came: one without a list of questions cannot be laid out, and breaks nothing else.
export const readAsk = (ask: Ask): Ask => (Array.isArray(ask.questions) ? ask : { ...ask, questions: [] });

// Cursors are numbers too large for a double, as text.
export const isNewer = (a: string, b: string): boolean => a.length > b.length || (a.length === b.length && a > b);

// Our id of the session that something belongs to.
export const sessionOf = (thing: { session?: Session | string; session_id?: string }): string =>
  thing.session_id ?? (typeof thing.session === "string" ? thing.session : (thing.session?.id ?? ""));
