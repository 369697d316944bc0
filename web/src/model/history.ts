// SPDX-License-Identifier: Apache-2.0
// What was decided, the last decision first: a page at a time as far as one looks, and to its end while
// something is searched for, so that nothing is said to be missing that was only not looked at.
import { computed, effect, signal } from "@preact/signals";
import { get, type Problem } from "./api";
import { historyOutcome, historyWords } from "./filters";
import { matches } from "./match";
import { isSignedOut, lookUp, onEvent, onReconnect, settled } from "./state";
import { readAsk, type Ask, type AskPage } from "./types";

const PAGE = 100;
const SEARCHED_PAGE = 1000;

const older = signal<ReadonlyMap<string, Ask>>(new Map());
const next = signal<string | null | undefined>(undefined); // null: there is no more
export const isLoading = signal(false);
export const fault = signal<Problem | null>(null);
export const isBegun = computed(() => next.value !== undefined);
export const isWhole = computed(() => next.value === null);

const past = computed(() =>
  [...new Map([...older.value, ...settled.value]).values()].sort((a, b) =>
    a.settlement!.at < b.settlement!.at ? 1 : -1,
  ),
);
// How many were looked at so far.
export const seenCount = computed(() => past.value.length);

const isFiltered = computed(() => historyOutcome.value !== "" || historyWords.value.trim() !== "");

export const found = computed(() =>
  past.value
    .filter((ask) => !historyOutcome.value || ask.settlement!.outcome === historyOutcome.value)
    .filter((ask) => matches(ask, historyWords.value)),
);

export const findPast = (id: string): Ask | undefined => settled.value.get(id) ?? older.value.get(id);

export async function loadMore(): Promise<void> {
  if (isLoading.value || next.value === null) return;
  isLoading.value = true;
  fault.value = null;
  try {
    let some = false;
    // A page may be empty, and still have one after it.
    while (!some && next.value !== null) some = await loadPage();
  } catch (error) {
    fault.value = error as Problem;
  }
  isLoading.value = false;
}

async function loadPage(): Promise<boolean> {
  const limit = isFiltered.value ? SEARCHED_PAGE : PAGE;
  const after = next.value ? `&after=${next.value}` : "";
  const page = await get<AskPage>(`/v1/asks?order=settled&limit=${limit}${after}`);
  older.value = new Map([...older.value, ...page.asks.map((ask): [string, Ask] => [ask.id, readAsk(ask)])]);
  next.value = page.next;
  return page.asks.length > 0;
}

// Whoever searches wants all of it; one page after the other, and it is seen how far it got.
effect(() => {
  if (isFiltered.value && !isLoading.value && !isWhole.value && !fault.value) queueMicrotask(() => void loadMore());
});

function forget(): void {
  older.value = new Map();
  next.value = undefined;
}

onReconnect(() => {
  if (fault.value) void loadMore();
});
// Something was missed: what is here may be not all.
onEvent((event) => {
  if (event.type !== "reset" || !isBegun.value) return;
  forget();
  void loadMore();
});

// What is left of it is looked up like one that was never seen.
onEvent((event) => {
  if (event.type !== "ask.content_deleted" || !older.value.has(event.ask)) return;
  older.value = new Map([...older.value].filter(([id]) => id !== event.ask));
  void lookUp(event.ask);
});

effect(() => {
  if (isSignedOut.value) forget();
});
