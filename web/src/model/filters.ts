// SPDX-License-Identifier: Apache-2.0
// What of a list is wanted. It stands in the address, so that a reload and a link keep it.
import { signal, type Signal } from "@preact/signals";
import type { Outcome } from "./types";

export const inboxWords = signal("");
export const inboxSession = signal("");
export const showsSnoozed = signal(false);
export const historyWords = signal("");
export const historyOutcome = signal<Outcome | "">("");

const text = <T extends string>(value: Signal<T>) => ({
  get: (): string => value.value,
  set: (words: string): void => void (value.value = words as T),
});

const OUTCOMES: readonly string[] = ["answered", "dismissed", "timed_out", "withdrawn"];

const FILTERS: Record<string, Record<string, { get(): string; set(words: string): void }>> = {
  inbox: {
    q: text(inboxWords),
    session: text(inboxSession),
    snoozed: { get: () => (showsSnoozed.value ? "1" : ""), set: (words) => void (showsSnoozed.value = words === "1") },
  },
  history: {
    q: text(historyWords),
    outcome: {
      get: () => historyOutcome.value,
      set: (words) => void (historyOutcome.value = OUTCOMES.includes(words) ? (words as Outcome) : ""),
    },
  },
};

// As the end of an address: "?q=deploy", or nothing.
export function filterQuery(view: string): string {
  const query = new URLSearchParams();
  for (const [key, { get }] of Object.entries(FILTERS[view] ?? {})) if (get()) query.set(key, get());
  return query.size > 0 ? `?${query.toString()}` : "";
}

export function readFilters(view: string, query: string): void {
  const given = new URLSearchParams(query);
  for (const [key, { set }] of Object.entries(FILTERS[view] ?? {})) set(given.get(key) ?? "");
}
