// SPDX-License-Identifier: Apache-2.0
// The client of the native API. Each call has its own connection; any number may be under way.
import type * as native from "../native.js";
import {
  HOLD_SECONDS, isAway, isGone, NO_BROKER, newAsk, type NewAsk, pathOf, read,
  READ_SECONDS, STREAM_SECONDS, textOf, WITHDRAWAL_SECONDS,
} from "./calls.js";
import { ParleyError, Refused } from "./errors.js";
import { EventReader } from "./event_reader.js";
import type { AskOptions, ClientOptions, More, Patient } from "./options.js";
import { Temper, Watchdog } from "./patience.js";
import type { Transport } from "./transport.js";
import {
  answersOf, type Answered, type Ask, type Asked, type Choice, isSettled, type SettledAsk,
  type Watched,
} from "./values.js";

interface Call extends Patient {
  body?: unknown;
  /** The broker may wait so long before it answers. */
  holdSeconds?: number;
  patienceSeconds?: number;
}

export class BaseClient {
  readonly #transport: Transport;
  readonly #temper: Temper;

  constructor(transport: Transport, options: ClientOptions) {
    this.#transport = transport;
    this.#temper = new Temper(options);
  }

  // Asking.

  /**
   * Asks, waits for as long as it takes, and gives the settled ask: across restarts of the broker,
   * by its key. Aborted, it takes an ask without a key of yours back.
   */
  ask(question: string, options: Choice[], more?: More): Promise<SettledAsk>;
  ask(question: string, more?: More): Promise<SettledAsk>;
  ask(questions: Asked, more?: AskOptions): Promise<SettledAsk>;
  async ask(asked: Asked, first: Choice[] | More = [], second?: More): Promise<SettledAsk> {
    const { wanted, signal } = this.#wish(asked, first, second);
    let opened: Ask | undefined;
    try {
      for (;;) {
        opened = await this.#open(wanted, { signal });
        try {
          return await this.wait(opened, { signal });
        } catch (error) {
          if (!isGone(error)) throw error;
        }
      }
    } catch (error) {
      if (signal?.aborted && !wanted.isLasting) await this.#takeBack(wanted, opened);
      throw error;
    }
  }

  /** Asks, and gives the ask as it stands, mostly pending. */
  open(question: string, options: Choice[], more?: More): Promise<Ask>;
  open(question: string, more?: More): Promise<Ask>;
  open(questions: Asked, more?: AskOptions): Promise<Ask>;
  async open(asked: Asked, first: Choice[] | More = [], second?: More): Promise<Ask> {
    const { wanted, signal } = this.#wish(asked, first, second);
    return this.#open(wanted, { signal });
  }

  /** The ask once it is settled; after `timeoutSeconds`, in whole ones, as it stands then. */
  wait(ask: Ask | string, options?: Patient & { timeoutSeconds?: never }): Promise<SettledAsk>;
  wait(ask: Ask | string, options: Patient & { timeoutSeconds?: number }): Promise<Ask>;
  async wait(
    ask: Ask | string, { timeoutSeconds = Infinity, signal }: Patient & { timeoutSeconds?: number } = {},
  ): Promise<Ask> {
    const end = performance.now() + timeoutSeconds * 1000;
    for (;;) {
      const left = Math.max(0, (end - performance.now()) / 1000);
      const holdSeconds = Math.ceil(Math.min(HOLD_SECONDS, left));
      const path = pathOf(["asks", idOf(ask)], { wait: holdSeconds });
      const seen = await this.#call("GET", path, { holdSeconds, signal }) as Ask;
      if (isSettled(seen) || performance.now() >= end) return seen;
    }
  }

  /** Takes an ask back. Settled by others first: AlreadySettled. */
  async withdraw(ask: Ask | string, reason?: string): Promise<SettledAsk> {
    return this.#settle(ask, "withdraw", { reason });
  }

  // Answering.

  async get(id: string): Promise<Ask> {
    return await this.#call("GET", pathOf(["asks", id])) as Ask;
  }

  /** Oldest first; page after page as they are read. */
  async *list(
    { state = "pending", session }: { state?: native.AskState | "settled"; session?: string } = {},
  ): AsyncGenerator<Ask, void, undefined> {
    let after: string | null = null;
    do {
      const path = pathOf(["asks"], { state, session, after });
      const page = await this.#call("GET", path) as native.AskPage;
      yield* page.asks;
      after = page.next;
    } while (after !== null);
  }

  /** The first valid answer settles it: later ones get AlreadySettled. */
  async answer(
    ask: Ask | string, answered: Answered, more: { by?: string; partial?: boolean } = {},
  ): Promise<SettledAsk> {
    const known = typeof ask === "string" ? await this.get(ask) : ask;
    return this.#settle(known, "answer", { answers: answersOf(known, answered), ...more });
  }

  async dismiss(ask: Ask | string, reason?: string): Promise<SettledAsk> {
    return this.#settle(ask, "dismiss", { reason });
  }

  /**
   * What happens, for ever: first what waits, then the event snapshot.end, then the rest. A lost
   * connection is made again by the last cursor, so that nothing is missed.
   */
  async *watch(
    { session, after, signal }: Patient & { session?: string; after?: native.Cursor } = {},
  ): AsyncGenerator<Watched, never, undefined> {
    const reader = new EventReader(after);
    let patience = this.#temper.start();
    for (;;) {
      let why: unknown = "the stream ended";
      try {
        const path = pathOf(["events"], { session, after: reader.cursor });
        for await (const chunk of this.#stream(path, reader, signal)) {
          for (const watched of reader.feed(chunk)) {
            patience = this.#temper.start();
            yield watched;
            if (watched.event.type === "stream.failed") throw failure(watched.event.problem);
          }
        }
      } catch (error) {
        why = final(error, signal);
      }
      await patience.pause(this.#transport, why, signal);
    }
  }

  // An agent's own session.

  /** Opens it, or finds the one of that name. */
  async session(name: string, more: Omit<native.SessionRequest, "name"> = {}): Promise<native.Session> {
    const body: native.SessionRequest = { ...more, name };
    return await this.#call("POST", pathOf(["sessions"]), { body }) as native.Session;
  }

  /** Adds to the session's stream: {type: "text-end", part_id: …, text: …}, … */
  async push(session: string, ...items: native.StreamEvent[]): Promise<void> {
    await this.#call("POST", pathOf(["sessions", session, "events"]), { body: items });
  }

  // The wire.

  #wish(asked: Asked, first: Choice[] | More, second: More = {}): { wanted: NewAsk } & Patient {
    const [choices, more] = Array.isArray(first) ? [first, second] : [[], first];
    const key = `once-${this.#transport.unique()}`;
    return { wanted: newAsk(asked, choices, more, key), signal: more.signal };
  }

  async #open({ body }: NewAsk, call: Call = {}): Promise<Ask> {
    return await this.#call("POST", pathOf(["asks"]), { ...call, body }) as Ask;
  }

  async #settle(ask: Ask | string, act: string, body: object): Promise<SettledAsk> {
    return await this.#call("POST", pathOf(["asks", idOf(ask), act]), { body }) as SettledAsk;
  }

  // A request that was under way when its caller gave up may have arrived: its key finds the ask.
  async #takeBack(wanted: NewAsk, opened: Ask | undefined): Promise<void> {
    const patienceSeconds = WITHDRAWAL_SECONDS;
    try {
      const { id } = opened ?? await this.#open(wanted, { patienceSeconds });
      await this.#call("POST", pathOf(["asks", id, "withdraw"]), { body: {}, patienceSeconds });
    } catch {
      // Settled meanwhile, or nobody is there to be told.
    }
  }

  async #call(method: "GET" | "POST", path: string, call: Call = {}): Promise<unknown> {
    const { body, holdSeconds = 0, signal } = call;
    const patience = this.#temper.start(call.patienceSeconds);
    const written = body === undefined ? undefined : JSON.stringify(body);
    for (;;) {
      signal?.throwIfAborted();
      const watchdog = new Watchdog(signal);
      let why: unknown;
      try {
        const [status, text] = await watchdog.within(holdSeconds + READ_SECONDS,
          this.#fetch(method, path, written, watchdog.signal));
        this.#temper.wasReached = true;
        if (!isAway(status)) return read(status, text);
        why = `status ${status}`;
      } catch (error) {
        why = final(error, signal);
      } finally {
        watchdog.close();
      }
      await patience.pause(this.#transport, why, signal);
    }
  }

  async #fetch(
    method: "GET" | "POST", path: string, body: string | undefined, signal: AbortSignal,
  ): Promise<[number, string]> {
    const reply = await this.#transport.send({ method, path, body, signal });
    return [reply.status, await textOf(reply)];
  }

  // The bytes of one connection; nothing from a broker that is away.
  async *#stream(path: string, reader: EventReader, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    signal?.throwIfAborted();
    const watchdog = new Watchdog(signal);
    try {
      const reply = await watchdog.within(READ_SECONDS,
        this.#transport.send({ method: "GET", path, signal: watchdog.signal }));
      if (isAway(reply.status)) return;
      if (reply.status !== 200) read(reply.status, await textOf(reply));
      if (!reply.contentType.startsWith("text/event-stream")) throw new ParleyError(NO_BROKER);
      this.#temper.wasReached = true;
      reader.begin();
      const chunks = reply.body[Symbol.asyncIterator]();
      for (;;) {
        const { done, value } = await watchdog.within(STREAM_SECONDS, chunks.next());
        if (done) return;
        yield value;
      }
    } finally {
      watchdog.close();
    }
  }
}

function idOf(ask: Ask | string): string {
  return typeof ask === "string" ? ask : ask.id;
}

function failure(problem: native.Problem): Refused {
  return new Refused(problem.status, problem);
}

// What ends a call is thrown; the rest is the reason to try again.
function final(error: unknown, signal?: AbortSignal): unknown {
  signal?.throwIfAborted();
  if (error instanceof ParleyError) throw error;
  return error;
}
