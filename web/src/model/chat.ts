// SPDX-License-Identifier: Apache-2.0
// The conversation of one session: its newest events from the broker's log, then whatever happens.
// Unfinished parts of all sessions are kept from their start, so that a chat that is opened in the
// middle of one has all of it.
import { signal } from "@preact/signals";
import { get, Problem } from "./api";
import { discard, onSent, outgoingOf, say, type Outgoing } from "./outbox";
import { onEvent, onReconnect, onSnapshot } from "./state";
import { isText, partId, startOf, Transcript, type Item, type Unfinished } from "./transcript";
import { roomOf, type EventPage, type Part, type Wire } from "./types";

const PAGE = 200;

const itemId = ({ key }: Outgoing): string => `sending ${key}`;
const asItem = (message: Outgoing): Item => ({ kind: "sending", id: itemId(message), message });

const unfinished = new Map<string, Map<string, Unfinished>>();

export class Chat {
  readonly transcript = signal(new Transcript());
  readonly state = signal<"loading" | "ready" | "failed">("loading");
  // The broker knows no such session.
  readonly isGone = signal(false);
  readonly hasEarlier = signal(false);
  private oldest: string | null = null;
  private waiting: Wire[] = [];

  constructor(readonly session: string) {
    for (const message of outgoingOf(session)) this.transcript.value.add(asItem(message));
    void this.load();
  }

  // Starts over from the broker's log.
  async load(): Promise<void> {
    this.state.value = "loading";
    try {
      const page = await this.page("");
      const fresh = new Transcript();
      for (const event of page.events) fresh.take(event);
      for (const [id, part] of unfinished.get(this.session) ?? []) fresh.openPart(id, part);
      for (const message of outgoingOf(this.session)) fresh.add(asItem(message));
      for (const event of this.waiting) fresh.take(event);
      this.waiting = [];
      this.transcript.value = fresh;
      this.note(page.next);
      this.state.value = "ready";
      this.isGone.value = false;
    } catch (error) {
      this.state.value = "failed";
      this.isGone.value = error instanceof Problem && error.status === 404;
    }
  }

  async loadEarlier(): Promise<void> {
    if (this.oldest === null) return;
    const page = await this.page(`&before=${this.oldest}`);
    const earlier = new Transcript();
    for (const event of page.events) earlier.take(event);
    this.transcript.value.prepend(earlier);
    this.note(page.next);
  }

  // Live events; those that come while the log is read wait for it. Deltas need not: the part that
  // they belong to is kept.
  hear(event: Wire): void {
    if (this.state.value === "ready") this.transcript.value.take(event);
    else if (event.id !== undefined) this.waiting.push(event);
  }

  say(text: string): void {
    this.transcript.value.add(asItem(say(this.session, text)));
  }

  // Its event may be here already; if not, the message stands in for it until then.
  sent(message: Outgoing, id: string | undefined): void {
    this.transcript.value.drop(itemId(message));
    if (id === undefined || this.transcript.value.has(id)) return;
    this.transcript.value.add({ kind: "sending", id: `sent ${id}`, message });
  }

  discard(message: Outgoing): void {
    discard(message);
    this.transcript.value.drop(itemId(message));
  }

  private async page(more: string): Promise<{ events: Wire[]; next: string | null }> {
    const page = await get<EventPage>(`/v1/sessions/${encodeURIComponent(this.session)}/events?limit=${PAGE}${more}`);
    return { events: page.events.map(({ cursor, event }) => ({ ...event, id: cursor })), next: page.next };
  }

  private note(next: string | null): void {
    this.oldest = next;
    this.hasEarlier.value = next !== null;
  }
}

const chats = new Map<string, Chat>();

export function chatOf(session: string): Chat {
  let chat = chats.get(session);
  if (!chat) chats.set(session, (chat = new Chat(session)));
  return chat;
}

onSent((message, id) => chats.get(message.session)?.sent(message, id));

function keepUnfinished(session: string, part: Part): void {
  const id = partId(part);
  const parts = unfinished.get(session) ?? new Map<string, Unfinished>();
  const known = parts.get(id);
  switch (part.type) {
    case "text-start":
    case "text-delta":
    case "tool-input-start":
    case "tool-input-delta": {
      const begins = part.type === "text-start" || part.type === "tool-input-start" || part.replace;
      const text = part.text ?? "";
      if (known && !begins) known.text += text;
      else parts.set(id, isText(part) ? { kind: "text", tool: "", text } : { kind: "tool", tool: part.tool ?? "", text });
      break;
    }
    default:
      parts.delete(id);
  }
  if (parts.size > 0) unfinished.set(session, parts);
  else unfinished.delete(session);
}

onEvent((event) => {
  if (event.type === "reset") {
    unfinished.clear();
    for (const chat of chats.values()) void chat.load();
    return;
  }
  const session = roomOf(event);
  // A snapshot's asks are in the log already.
  if (!session || (event.type === "ask.opened" && event.id === undefined)) return;
  if (event.type === "session.part") keepUnfinished(session, event.part);
  chats.get(session)?.hear(event);
});

onReconnect(() => {
  for (const chat of chats.values()) if (chat.state.value === "failed") void chat.load();
});

onSnapshot(() =>
  [...unfinished].flatMap(([session, parts]) =>
    [...parts].map(
      ([id, part]): Wire => ({ type: "session.part", session, session_id: session, part: startOf(id, part) }),
    ),
  ),
);
