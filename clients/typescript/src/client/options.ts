// SPDX-License-Identifier: Apache-2.0
// What callers may say beside what they ask. Durations are in seconds, as on the wire.
import type * as native from "../native.js";

export interface ClientOptions {
  /**
   * `http(s)://HOST:PORT`, or on Node `unix:PATH`. Without it: on Node the broker that `parley`
   * itself would find, in a page the one that the page came from.
   */
  server?: string;
  token?: string;
  /** On Node: a file with the authority that signed the broker's certificate. */
  ca?: string;
  /** How long a call goes on trying while a broker that was there is away: for ever. */
  patienceSeconds?: number;
  /** How long it tries until one is there at all: not at all. */
  firstSeconds?: number;
}

export interface Patient {
  /** Aborted, the call ends with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface AskOptions extends Patient {
  session?: string;
  /** The same key in the same session is the same ask: it outlives your program. */
  key?: string;
  /** Without it the ask waits for ever. */
  timeoutSeconds?: number;
  onTimeout?: native.OnTimeout;
  urgency?: native.Urgency;
  dismissible?: boolean;
  /** Markdown to be shown beside the questions. */
  context?: string;
  /** The asker's name for itself. */
  agent?: string;
  permission?: native.PermissionRequest;
  tool?: native.ToolCall;
}

/** For a question that is a text. */
export interface QuestionOptions {
  /** A few words for where space is short. */
  header?: string;
  multiSelect?: boolean;
}

export type More = AskOptions & QuestionOptions;
