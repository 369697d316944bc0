// SPDX-License-Identifier: Apache-2.0
// How long to go on trying, and for how long to listen to nothing.
import { Unreachable } from "./errors.js";
import type { ClientOptions } from "./options.js";
import type { Transport } from "./transport.js";

const PAUSES_SECONDS = [0.05, 0.1, 0.2, 0.5, 1];

/** How patient a client is: with a broker that it has reached before, and until it first does. */
export class Temper {
  wasReached = false;
  readonly #away: number;
  readonly #first: number;

  constructor({ patienceSeconds = Infinity, firstSeconds = 0 }: ClientOptions) {
    this.#away = patienceSeconds;
    this.#first = firstSeconds;
  }

  /** Of a call that may take so many seconds; of any other, what there is of it meanwhile. */
  start(seconds?: number): Patience {
    return new Patience(() => seconds ?? (this.wasReached ? this.#away : this.#first));
  }
}

/** Of one call. */
export class Patience {
  readonly #start = performance.now();
  readonly #seconds: () => number;
  #tries = 0;

  constructor(seconds: () => number) {
    this.#seconds = seconds;
  }

  /** Waits until it is time for the next try. */
  async pause(transport: Transport, why: unknown, signal?: AbortSignal): Promise<void> {
    const last = PAUSES_SECONDS.length - 1;
    const milliseconds = (PAUSES_SECONDS[Math.min(this.#tries++, last)] ?? 1) * 1000;
    if (performance.now() + milliseconds > this.#start + this.#seconds() * 1000) {
      const reason = why instanceof Error ? why.message || why.name : String(why);
      throw new Unreachable(
        `no broker answers at ${transport.address}: ${reason}; ${transport.remedy}`, { cause: why });
    }
    await sleep(milliseconds, signal);
  }
}

function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, milliseconds);
    if (signal?.aborted) end();
    else signal?.addEventListener("abort", end);
  });
}

/** A signal of one connection: aborted with its caller's, or when nothing is heard for too long. */
export class Watchdog {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(outer?: AbortSignal) {
    this.#outer = outer;
    if (outer?.aborted) this.#stop();
    else outer?.addEventListener("abort", this.#stop);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What `work` gives, if it comes in time. */
  async within<T>(seconds: number, work: Promise<T>): Promise<T> {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => this.#controller.abort(new Error(`it said nothing for ${seconds} s`)), seconds * 1000);
    try {
      return await work;
    } catch (error) {
      throw this.signal.aborted ? this.signal.reason : error;
    } finally {
      clearTimeout(this.#timer);
    }
  }

  /** Closes the connection if it is still open. */
  close(): void {
    this.#outer?.removeEventListener("abort", this.#stop);
    this.#controller.abort();
  }

  #stop = (): void => this.#controller.abort(this.#outer?.reason);
}
