// SPDX-License-Identifier: Apache-2.0
// What the page knows: a fold over the broker's events and nothing else, except for what it was
// given in answer to a call of its own.
import { batch, computed, signal } from "@preact/signals";
import { get } from "./api";
import { AskBook } from "./ask_book";
import { slowNow } from "./clock";
import { sort } from "./settings";
import { findPlatform, SharedStream } from "./shared_stream";
import type { StreamState } from "./stream";
import { readAsk, roomOf, sessionOf, type Ask, type AskPage, type Self, type Session, type SessionPage, type Wire } from "./types";

export const self = signal<Self | null>(null);
export const isSignedOut = signal(false);
export const connection = signal<{ state: StreamState; retryAt?: number }>({ state: "connecting" });
// Why the broker cannot reach its store; null while it does.
export const storeAway = signal<Extract<Wire, { type: "store.away" }>["problem"] | null>(null);
// The pending asks were received at least once.
export const isLoaded = signal(false);

export const pending = signal<ReadonlyMap<string, Ask>>(new Map());
// Those that ended while the page was open, so that an open card can say how.
export const settled = signal<ReadonlyMap<string, Ask>>(new Map());
export const sessions = signal<ReadonlyMap<string, Session>>(new Map());
// Asks whose agent did something after they were settled.
export const wentOn = signal<ReadonlySet<string>>(new Set());

export const isSnoozed = (ask: Ask): boolean =>
  ask.snoozed_until !== undefined && Date.parse(ask.snoozed_until) > slowNow.value;

// The count is not known before all are here.
export const waitingCount = computed(() => (isLoaded.value ? waiting.value.length : 0));
export const waiting = computed(() => [...pending.value.values()].filter((ask) => !isSnoozed(ask)));

export const asksBySession = computed(() => {
  const groups = new Map<string, Ask[]>();
  for (const ask of pending.value.values()) {
    const id = sessionOf(ask);
    const group = groups.get(id);
    if (group) group.push(ask);
    else groups.set(id, [ask]);
  }
  return groups;
});

// A session waits while an ask of it is pending, whatever its agent last said.
export const stateOf = (session: Session): Session["state"] =>
  session.ended_at ? "ended" : asksBySession.value.has(session.id) ? "waiting" : session.activity;

export type Listener = (event: Wire) => void;
const listeners = new Set<Listener>();
// Told of every event after the fold has taken it.
export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const reconnected = new Set<() => void>();
export function onReconnect(task: () => void): void {
  reconnected.add(task);
}

const book = new AskBook();

const settlements = new Set<(ask: Ask) => void>();
// Told of every ask that has ended, however that became known; of the same one perhaps again.
export function onSettled(listener: (ask: Ask) => void): void {
  settlements.add(listener);
}

// A fold over one batch: what it changed is published once, however many events there are.
class Fold {
  private hasAsks = false;
  private hasLost = false;
  private rooms: Map<string, Session> | undefined;
  private gone: Set<string> | undefined;
  private readonly ended: Ask[] = [];

  takeAsk(given: Ask): void {
    const ask = readAsk(given);
    if (!book.take(ask)) return;
    this.hasAsks = true;
    if (ask.settlement) this.ended.push(ask);
  }
  // What it said is not kept any more, here neither; whether it was known.
  dropContent(id: string): boolean {
    const isKnown = book.settled.delete(id);
    this.hasLost ||= isKnown;
    return isKnown;
  }
  // Put off on this person's other devices or here, or wanted back.
  takeSnooze(id: string, until: string | undefined): void {
    const ask = book.pending.get(id);
    if (!ask) return;
    const { snoozed_until: _, ...rest } = ask;
    this.takeAsk(until === undefined ? rest : { ...rest, snoozed_until: until });
  }
  // Their agent is gone for good: nobody waits for the answer.
  markAsksOf(asker: string): void {
    for (const ask of [...book.pending.values()]) if (ask.asker === asker) this.takeAsk({ ...ask, asker_revoked: true });
  }
  takeSnapshot(asks: Iterable<Ask>): string[] {
    this.hasAsks = true;
    return book.takeSnapshot(asks);
  }
  get sessions(): Map<string, Session> {
    return (this.rooms ??= new Map(sessions.value));
  }
  get wentOn(): Set<string> {
    return (this.gone ??= new Set(wentOn.value));
  }
  publish(): void {
    batch(() => {
      if (this.hasAsks) pending.value = new Map(book.pending);
      if (this.ended.length > 0 || this.hasLost) settled.value = new Map(book.settled);
      if (this.rooms) sessions.value = this.rooms;
      if (this.gone) wentOn.value = this.gone;
    });
    for (const ask of this.ended) for (const listener of settlements) attempt(() => listener(ask));
  }
}

// While a snapshot comes in; what was pending before and is not in it has ended meanwhile.
let snapshot: Map<string, Ask> | undefined = new Map();

function foldOne(fold: Fold, event: Wire): void {
  switch (event.type) {
    case "reset":
      snapshot = new Map();
      return;
    case "store.away":
      storeAway.value = event.problem;
      return;
    case "store.back":
      storeAway.value = null;
      for (const task of reconnected) attempt(task);
      return;
    case "snapshot.end":
      endSnapshot(fold);
      return;
    case "ask.opened":
      if (event.id !== undefined) noteActivity(fold, sessionOf(event.ask));
      if (snapshot && event.id === undefined) snapshot.set(event.ask.id, readAsk(event.ask));
      else fold.takeAsk(event.ask);
      return;
    case "ask.settled":
      fold.takeAsk(event.ask);
      expect(event.ask);
      return;
    case "ask.content_deleted":
      if (fold.dropContent(event.ask)) void lookUp(event.ask);
      return;
    case "ask.snoozed":
      fold.takeSnooze(event.ask, event.snoozed_until);
      return;
    case "agent.revoked":
      fold.markAsksOf(event.asker);
      return;
    case "session.created":
    case "session.status":
    case "session.ended":
      takeSession(fold, event.session);
      return;
    case "session.part":
      noteActivity(fold, roomOf(event));
      return;
    case "ask.draft":
    case "session.message":
    case "notice":
    case "stream.failed":
      return;
    default:
      event satisfies never; // a newer broker may tell of more
  }
}

function takeSession(fold: Fold, session: Session): void {
  const before = fold.sessions.get(session.id);
  fold.sessions.set(session.id, session);
  if (before && !session.ended_at && before.activity !== session.activity) noteActivity(fold, session.id);
}

function expect(ask: Ask): void {
  if (ask.settlement?.outcome !== "answered") return;
  const id = sessionOf(ask);
  unheard.set(id, (unheard.get(id) ?? new Set()).add(ask.id));
}

// Settled asks whose agent was not heard of since, by session.
const unheard = new Map<string, Set<string>>();

// An agent that says, does or asks something after its ask was settled has got the answer. A session
// can be ended or named by others.
function noteActivity(fold: Fold, id: string): void {
  for (const ask of unheard.get(id) ?? []) fold.wentOn.add(ask);
  unheard.delete(id);
}

function endSnapshot(fold: Fold): void {
  if (!snapshot) return;
  const fresh = snapshot;
  snapshot = undefined;
  isLoaded.value = true;
  void lookUpGone(fold.takeSnapshot(fresh.values()));
}

const LOOKED_UP = 20; // one by one
const GONE_PAGE = 500;
const wanting = new Set<(id: string) => boolean>();
// Who must know how an ask ended, however many ended while the page was away.
export function onGone(isWanted: (id: string) => boolean): void {
  wanting.add(isWanted);
}

// Asks that ended while the page was away. Of many, how the last ones did is asked for in one call, and
// of the others only what somebody wants.
async function lookUpGone(gone: string[]): Promise<void> {
  let rest = gone;
  if (gone.length > LOOKED_UP) {
    await loadGone(new Set(gone));
    const isWanted = (id: string) => !settled.value.has(id) && [...wanting].some((wants) => wants(id));
    rest = gone.filter(isWanted).slice(-LOOKED_UP);
  }
  for (const id of rest) void lookUp(id);
}

async function loadGone(gone: ReadonlySet<string>): Promise<void> {
  const limit = Math.min(gone.size, GONE_PAGE);
  const page = await get<Pick<AskPage, "asks">>(`/v1/asks?order=settled&limit=${limit}`).catch(() => ({ asks: [] }));
  const fold = new Fold();
  // The last one is kept the longest.
  for (const ask of page.asks.reverse()) if (gone.has(ask.id)) fold.takeAsk(ask);
  fold.publish();
}

// One ask that the fold does not have: from a link, from the history, or settled while away.
export async function lookUp(id: string): Promise<Ask | null> {
  try {
    const ask = await get<Ask>(`/v1/asks/${encodeURIComponent(id)}`);
    takeAsk(ask);
    return ask;
  } catch {
    return null;
  }
}

// An ask as the broker gave it in answer to a call.
export function takeAsk(ask: Ask): void {
  const fold = new Fold();
  fold.takeAsk(ask);
  fold.publish();
}

// An event that cannot be taken is reported and passed over: all that follow count.
function attempt(task: () => void): void {
  try {
    task();
  } catch (error) {
    console.error("parley:", error);
  }
}

export function take(events: Wire[]): void {
  const fold = new Fold();
  batch(() => {
    for (const event of events) attempt(() => foldOne(fold, event));
    fold.publish();
  });
  for (const event of events) for (const listener of listeners) attempt(() => listener(event));
}

// The oldest ones, which the document asks for before this program runs (static/index.html): something
// to answer while the snapshot is on its way.
const FIRST = "/v1/asks?state=pending&limit=30";

export async function loadFirst(): Promise<void> {
  const page = await get<AskPage>(FIRST);
  const isFirst = page.next === null || sort.value === "oldest";
  if (isLoaded.value || !isFirst) return;
  const fold = new Fold();
  for (const ask of page.asks) fold.takeAsk(ask);
  fold.publish();
}

const tellers = new Set<() => Wire[]>();
// What else a tab that comes later must be told.
export function onSnapshot(teller: () => Wire[]): void {
  tellers.add(teller);
}

const arrivals = new Set<() => void>();
// Another tab of this browser has signed in.
export function onSignedIn(task: () => void): void {
  arrivals.add(task);
}

export const stream = new SharedStream(
  "/v1/events",
  {
    events: take,
    state(state, retryAt) {
      const before = connection.value.state;
      connection.value = retryAt === undefined ? { state } : { state, retryAt };
      // A broker that is come back to says it again.
      if (state !== "live") storeAway.value = null;
      if (state === "refused") signOutHere();
      if (state === "live" && before !== "live") for (const task of reconnected) task();
    },
    snapshot: () => [
      ...[...book.pending.values()].map((ask): Wire => ({ type: "ask.opened", ask })),
      ...(storeAway.value ? [{ type: "store.away", problem: storeAway.value } as const] : []),
      ...[...tellers].flatMap((teller) => teller()),
    ],
    signedIn: () => arrivals.forEach((task) => task()),
  },
  findPlatform(),
);

// Nothing that was for the person who was here stays.
function signOutHere(): void {
  book.forget();
  snapshot = new Map();
  batch(() => {
    self.value = null;
    isSignedOut.value = true;
    isLoaded.value = false;
    pending.value = new Map();
    settled.value = new Map();
    sessions.value = new Map();
    wentOn.value = new Set();
  });
}

const SESSION_PAGE = 500;
const LIVE_PAGES = 4;
const ENDED_PAGES = 1;

async function listSessions(state: "live" | "ended", pages: number): Promise<Session[]> {
  const found: Session[] = [];
  for (let after = ""; pages > 0; --pages) {
    const path = `/v1/sessions?state=${state}&order=newest&limit=${SESSION_PAGE}${after}`;
    const page = await get<SessionPage>(path);
    found.push(...page.sessions);
    if (!page.next) break;
    after = `&after=${page.next}`;
  }
  return found;
}

// The newest ones; an older one is known once something happens in it.
export async function loadSessions(): Promise<void> {
  const found = [...(await listSessions("live", LIVE_PAGES)), ...(await listSessions("ended", ENDED_PAGES))];
  const fold = new Fold();
  for (const session of found) if (!fold.sessions.has(session.id)) fold.sessions.set(session.id, session);
  fold.publish();
}

addEventListener("online", () => stream.retry());
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) stream.retry();
});
