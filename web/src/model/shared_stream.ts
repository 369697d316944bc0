// SPDX-License-Identifier: Apache-2.0
// One stream of events for all tabs of a browser, which allows six connections to one address: a lock
// names the tab that reads it, the others hear of it over a channel. When that tab closes, the next in
// line reads on from the cursor that it has; one whose cursor does not fit asks for everything anew.
import { EventStream, type StreamHandler, type StreamState } from "./stream";
import { isNewer, type Wire } from "./types";

const NAME = "parley.events";
const ANSWER_MS = 3000; // for the reading tab to answer one that comes
const REMIND_MS = 200; // after the reader should have come back
const SILENCE_MS = 50_000; // it hears something every 15 s, and says so

export interface SharedHandler extends StreamHandler {
  // All that a tab must be told to know what this one does; without ids.
  snapshot(): Wire[];
  // Another tab has signed in.
  signedIn(): void;
}

type Word =
  | { kind: "hello"; from: string }
  | { kind: "lead"; term: string }
  | { kind: "snapshot"; term: string; to: string; cursor: string; events: Wire[]; state: StreamState }
  | { kind: "events"; term: string; after: string | undefined; events: Wire[] }
  | { kind: "state"; term: string; state: StreamState; retryAt?: number }
  | { kind: "alive"; term: string }
  | { kind: "retry" }
  | { kind: "refused" }
  | { kind: "signed_in" };

// What of a browser this needs; without it every tab has a stream of its own.
export interface Platform {
  locks: Pick<LockManager, "request">;
  channel: Pick<BroadcastChannel, "postMessage"> & { onmessage: ((event: MessageEvent<Word>) => void) | null };
}

export function findPlatform(): Platform | undefined {
  // Browsers have locks on safe origins only.
  if (typeof BroadcastChannel === "undefined" || !navigator.locks) return undefined;
  return { locks: navigator.locks, channel: new BroadcastChannel(NAME) };
}

type Role = "stopped" | "alone" | "reader" | "listener";

export class SharedStream {
  private role: Role = "stopped";
  private readonly tab = Math.random().toString(36).slice(2);
  private term = "";
  private cursor: string | undefined;
  private state: StreamState = "connecting";
  private own: EventStream | undefined;
  private release: (() => void) | undefined;
  // A listener that has had its snapshot; a reader to whom others listen, and who waits for one.
  private isJoined = false;
  private wasJoined = false;
  private hasListeners = false;
  private readonly waiting = new Set<string>();
  private watchdog: ReturnType<typeof setTimeout> | undefined;
  private round = 0; // of starting; a lock that comes after a stop is not wanted any more

  constructor(
    private readonly path: string,
    private readonly handler: SharedHandler,
    private readonly platform: Platform | undefined,
  ) {
    if (platform) platform.channel.onmessage = ({ data }) => this.hear(data);
  }

  start(): void {
    this.stop();
    ++this.round;
    if (!this.platform) return this.read("alone");
    this.role = "listener";
    this.handler.state("connecting");
    this.queue({ steal: false });
    this.join();
  }

  stop(): void {
    ++this.round;
    this.role = "stopped";
    this.isJoined = false;
    clearTimeout(this.watchdog);
    this.own?.stop();
    this.own = undefined;
    this.release?.();
    this.release = undefined;
  }

  retry(): void {
    if (this.role === "listener") this.say({ kind: "retry" });
    else this.own?.retry();
  }

  // This browser is signed out, or in: all of its tabs are.
  refuse(): void {
    this.say({ kind: "refused" });
    this.end();
  }
  welcome(): void {
    this.say({ kind: "signed_in" });
  }

  // Forgets where it was: whoever signs in next gets everything.
  private end(): void {
    this.stop();
    this.cursor = undefined;
    this.handler.state("refused");
  }

  private say(word: Word): void {
    this.platform?.channel.postMessage(word);
  }

  // ---- becoming the reader

  private queue({ steal }: { steal: boolean }): void {
    const { round } = this;
    const hold = (): Promise<void> | undefined => {
      if (round !== this.round || this.role === "reader") return undefined;
      const held = new Promise<void>((resolve) => (this.release = resolve));
      this.read("reader");
      return held;
    };
    const lost = (): void => {
      if (round !== this.round || this.role !== "reader") return;
      this.stepDown();
    };
    this.platform!.locks.request(NAME, steal ? { steal } : {}, hold).catch(lost);
  }

  private read(role: "alone" | "reader"): void {
    clearTimeout(this.watchdog);
    this.role = role;
    this.term = `${String(Date.now()).padStart(15, "0")} ${this.tab}`;
    this.hasListeners ||= this.wasJoined;
    this.say({ kind: "lead", term: this.term });
    const stream = new EventStream(
      this.path,
      {
        events: (events) => this.own === stream && this.pass(events),
        state: (state, retryAt) => this.own === stream && this.tell(state, retryAt),
        alive: () => this.hasListeners && this.say({ kind: "alive", term: this.term }),
      },
      this.cursor,
    );
    this.own = stream;
    stream.start();
  }

  // Another tab took the lock: this one was asleep.
  private stepDown(): void {
    this.own?.stop();
    this.own = undefined;
    this.release = undefined;
    this.role = "listener";
    this.queue({ steal: false });
    this.join();
  }

  // ---- reading

  private pass(events: Wire[]): void {
    const after = this.cursor;
    this.handler.events(events);
    this.advance(events);
    if (this.hasListeners) this.say({ kind: "events", term: this.term, after, events });
    if (this.cursor === undefined) return;
    for (const tab of this.waiting) this.bring(tab, this.cursor);
    this.waiting.clear();
  }

  private tell(state: StreamState, retryAt?: number): void {
    this.state = state;
    if (state === "refused") return this.refuse();
    this.handler.state(state, retryAt);
    if (this.hasListeners) this.say({ kind: "state", term: this.term, state, ...(retryAt !== undefined && { retryAt }) });
  }

  private bring(to: string, cursor: string): void {
    this.say({ kind: "snapshot", term: this.term, to, cursor, events: this.handler.snapshot(), state: this.state });
  }

  private advance(events: Wire[]): void {
    for (const event of events) {
      if (event.type === "reset") this.cursor = undefined;
      else if (event.id !== undefined) this.cursor = event.id;
    }
  }

  // ---- listening

  private join(): void {
    this.isJoined = false;
    this.say({ kind: "hello", from: this.tab });
    this.watch(ANSWER_MS);
  }

  // A reader that says nothing sleeps, or is gone without the browser's noticing.
  private watch(ms: number): void {
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(() => this.role === "listener" && this.queue({ steal: true }), ms);
  }

  private hear(word: Word): void {
    switch (word.kind) {
      case "signed_in":
        return this.role === "stopped" ? this.handler.signedIn() : undefined;
      case "refused":
        return this.role === "stopped" ? undefined : this.end();
      case "hello":
        return this.role === "reader" ? this.meet(word.from) : undefined;
      case "retry":
        return this.role === "reader" ? this.own?.retry() : undefined;
      default:
        return this.role === "listener" && word.term >= this.term ? this.follow(word) : undefined;
    }
  }

  private meet(tab: string): void {
    this.hasListeners = true;
    if (this.cursor !== undefined) return this.bring(tab, this.cursor);
    this.waiting.add(tab);
    this.say({ kind: "state", term: this.term, state: this.state });
  }

  private follow(word: Exclude<Word, { kind: "hello" | "retry" | "refused" | "signed_in" }>): void {
    const isNew = word.term !== this.term;
    this.term = word.term;
    this.watch(SILENCE_MS);
    switch (word.kind) {
      case "snapshot":
        return word.to === this.tab ? this.begin(word) : undefined;
      case "events":
        return this.isJoined ? this.take(word) : undefined;
      case "state":
        // Without its snapshot this tab is still on its way.
        return this.isJoined || word.state !== "live" ? this.note(word) : undefined;
      case "lead":
        // The one before went before it answered.
        return isNew && !this.isJoined ? this.join() : undefined;
      case "alive":
        return;
    }
  }

  // A browser lets a tab that is not seen wait for minutes: who listens reminds it.
  private note({ state, retryAt }: Word & { kind: "state" }): void {
    this.handler.state(state, retryAt);
    if (retryAt !== undefined) setTimeout(() => this.role === "listener" && this.retry(), retryAt - Date.now() + REMIND_MS);
  }

  private begin({ events, cursor, state }: Word & { kind: "snapshot" }): void {
    const before: Wire[] = this.wasJoined ? [{ type: "reset" }] : [];
    this.isJoined = this.wasJoined = true;
    this.handler.state(state);
    this.handler.events([...before, ...events, { type: "snapshot.end", cursor, id: cursor }]);
    this.cursor = cursor;
  }

  // Only what follows on what is known; everything else is a reason to begin anew.
  private take({ after, events }: Word & { kind: "events" }): void {
    const fits = after !== undefined && this.cursor !== undefined && !isNewer(after, this.cursor);
    if (!fits || events.some(({ type }) => type === "reset")) return this.join();
    const fresh = events.filter(({ id }) => id === undefined || isNewer(id, this.cursor!));
    if (fresh.length === 0) return;
    this.handler.events(fresh);
    this.advance(fresh);
  }
}
