// SPDX-License-Identifier: Apache-2.0
// The asks that are known. One that has ended stays ended, whatever comes later: a reply that was
// slow, or a snapshot that is older than what was already told.
import type { Ask } from "./types";

const SETTLED_KEPT = 500;
const ENDED_KEPT = 20_000; // ids alone

function trim<T>(keys: Iterable<T>, excess: number, drop: (key: T) => void): void {
  for (const key of keys) {
    if (excess-- <= 0) return;
    drop(key);
  }
}

export class AskBook {
  readonly pending = new Map<string, Ask>();
  // The newest ones with their settlements, so that an open card can say how it ended.
  readonly settled = new Map<string, Ask>();
  private readonly ended = new Set<string>();

  // Whether this changed anything.
  take(ask: Ask): boolean {
    if (ask.settlement) return this.settle(ask);
    if (this.ended.has(ask.id)) return false;
    this.pending.set(ask.id, ask);
    return true;
  }

  // All that is pending; gives the ids of those that are not any more.
  takeSnapshot(asks: Iterable<Ask>): string[] {
    const before = [...this.pending.keys()];
    this.pending.clear();
    for (const ask of asks) this.take(ask);
    return before.filter((id) => !this.pending.has(id));
  }

  forget(): void {
    this.pending.clear();
    this.settled.clear();
    this.ended.clear();
  }

  private settle(ask: Ask): boolean {
    this.pending.delete(ask.id);
    this.settled.set(ask.id, ask);
    this.ended.add(ask.id);
    trim(this.settled.keys(), this.settled.size - SETTLED_KEPT, (id) => this.settled.delete(id));
    trim(this.ended, this.ended.size - ENDED_KEPT, (id) => this.ended.delete(id));
    return true;
  }
}
