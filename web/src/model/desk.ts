// SPDX-License-Identifier: Apache-2.0
// What lies on a person's desk, in the order in which they want it.
import { computed } from "@preact/signals";
import { inboxSession, inboxWords, showsSnoozed } from "./filters";
import { matches } from "./match";
import { sort, type Sort } from "./settings";
import { isSnoozed, pending } from "./state";
import { sessionOf, type Ask } from "./types";

const URGENCY = { high: 0, normal: 1, low: 2 };
const byAge = (a: Ask, b: Ask): number => (a.id < b.id ? -1 : 1);
const ORDERS: Record<Sort, (a: Ask, b: Ask) => number> = {
  oldest: byAge,
  newest: (a, b) => byAge(b, a),
  urgent: (a, b) => URGENCY[a.urgency ?? "normal"] - URGENCY[b.urgency ?? "normal"] || byAge(a, b),
};

const isWanted = (ask: Ask): boolean =>
  (!inboxSession.value || sessionOf(ask) === inboxSession.value) && matches(ask, inboxWords.value);

export const listed = computed(() =>
  [...pending.value.values()]
    .filter((ask) => isSnoozed(ask) === showsSnoozed.value)
    .filter(isWanted)
    .sort(ORDERS[sort.value]),
);

// How many of the list stand before this one, which need not be there itself.
export function rankOf(ask: Ask): number {
  const before = ORDERS[sort.value];
  return listed.value.filter((other) => other.id !== ask.id && before(other, ask) < 0).length;
}

// A card that a search or a filter leaves out may stay open, but is not what a key is meant for.
export const takesKeys = (ask: Ask): boolean => !ask.settlement && isWanted(ask);

// The one that follows, for when an ask is done.
export function nextAfter(id: string): Ask | undefined {
  const others = listed.value.filter((ask) => ask.id !== id);
  return others.find((ask) => ORDERS[sort.value](pending.value.get(id) ?? ({ id } as Ask), ask) < 0) ?? others[0];
}
