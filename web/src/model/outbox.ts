// SPDX-License-Identifier: Apache-2.0
// What a person says to agents, kept in the browser until the broker has it: through a lost connection
// and a reload. A message has no key on the wire, so one whose fate is unknown is looked for in the
// session's log before it is sent again; only one that the broker takes after that look comes twice.
import { signal, type Signal } from "@preact/signals";
import { get, post, Problem } from "./api";
import { brokerNow } from "./clock";
import { isMe } from "./people";
import { keep, keptKeys, readKept } from "./settings";
import { onReconnect, self } from "./state";
import type { EventPage, Said } from "./types";

const PREFIX = "outbox.";
const CLOCKS_MS = 5000; // by which the two clocks may differ
const LOG_PAGE = 200;

interface Kept {
  session: string;
  text: string;
  at: number; // on the broker's clock
  isTried: boolean;
  principal?: string;
}

export interface Outgoing {
  key: string;
  session: string;
  text: string;
  state: Signal<"sending" | "failed" | "sent">;
}

const outgoing = new Map<string, Outgoing>();
const listeners = new Set<(message: Outgoing, id: string | undefined) => void>();

// Told of each that the broker has, with its id where that is known.
export const onSent = (listener: (message: Outgoing, id: string | undefined) => void): void => void listeners.add(listener);

function admit(key: string, { session, text }: Kept): Outgoing {
  let message = outgoing.get(key);
  if (!message) outgoing.set(key, (message = { key, session, text, state: signal("failed") }));
  return message;
}

// Those of a person who was signed in before are not this one's to send.
const isOurs = ({ principal }: Kept): boolean => principal === undefined || principal === self.value?.principal;

function restore(): void {
  for (const key of keptKeys(PREFIX)) {
    const kept = readKept<Kept | null>(key, null);
    if (kept) admit(key, kept);
  }
}

export function outgoingOf(session: string): Outgoing[] {
  restore();
  return [...outgoing.values()].filter((message) => message.session === session).sort((a, b) => (a.key < b.key ? -1 : 1));
}

// Ascending, and no other tab's.
let last = 0;
function nextKey(): string {
  last = Math.max(last + 1, Date.now());
  return `${PREFIX}${String(last).padStart(15, "0")}.${Math.random().toString(36).slice(2, 8)}`;
}

export function say(session: string, text: string): Outgoing {
  const at = brokerNow.value;
  const key = nextKey();
  const principal = self.value?.principal;
  const kept: Kept = { session, text, at, isTried: false, ...(principal !== undefined && { principal }) };
  keep(key, kept);
  const message = admit(key, kept);
  message.state.value = "sending";
  void flush();
  return message;
}

export function discard({ key }: Outgoing): void {
  keep(key, undefined);
  outgoing.delete(key);
}

function finish(message: Outgoing, id: string | undefined): void {
  discard(message);
  message.state.value = "sent";
  for (const listener of listeners) listener(message, id);
}

// The id under which the broker has it already.
async function findInLog({ session, text, at }: Kept): Promise<string | undefined> {
  let before = "";
  for (;;) {
    const page = await get<EventPage>(`/v1/sessions/${encodeURIComponent(session)}/events?limit=${LOG_PAGE}${before}`);
    const recent = page.events.filter(({ event }) => "at" in event && Date.parse(event.at ?? "") >= at - CLOCKS_MS);
    const said = recent.flatMap(({ event }) => ("message" in event ? [event.message] : []));
    const found = said.find((message) => message.text === text && isMe(message.by));
    if (found) return found.id;
    if (recent.length < page.events.length || page.next === null) return undefined;
    before = `&before=${page.next}`;
  }
}

// A session that its first message was to begin.
function nothingThere(error: unknown): undefined {
  if (error instanceof Problem && error.status === 404) return undefined;
  throw error;
}

async function send(message: Outgoing): Promise<void> {
  const kept = readKept<Kept | null>(message.key, null);
  if (!kept) return finish(message, undefined); // another tab has sent it
  if (!isOurs(kept)) return;
  message.state.value = "sending";
  try {
    const known = kept.isTried ? await findInLog(kept).catch(nothingThere) : undefined;
    if (known) return finish(message, known);
    keep(message.key, { ...kept, isTried: true });
    const path = `/v1/sessions/${encodeURIComponent(kept.session)}/messages`;
    finish(message, (await post<Said>(path, { text: kept.text })).id);
  } catch (error) {
    message.state.value = "failed";
    // What comes after it must not overtake it.
    if (error instanceof Problem && error.isOffline) throw error;
  }
}

async function sendAll(): Promise<void> {
  restore();
  const all = [...outgoing.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  try {
    for (const message of all) await send(message);
  } catch {
    for (const message of outgoing.values()) message.state.value = "failed";
  }
}

// One tab at a time, one message after the other.
let running: Promise<void> = Promise.resolve();
export function flush(): Promise<void> {
  const task = async (): Promise<void> => {
    if (navigator.locks) await navigator.locks.request("parley.outbox", sendAll);
    else await sendAll();
  };
  return (running = running.then(task, task));
}

// A connection that was away for a moment need not have cut the stream.
onReconnect(() => void flush());
addEventListener("online", () => void flush());
