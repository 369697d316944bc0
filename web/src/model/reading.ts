// SPDX-License-Identifier: Apache-2.0
// Which ask of the inbox is open, and the way from one to the next. Every step begins where the one
// before it ended, whether or not that was drawn yet: no key is lost.
import { computed, signal } from "@preact/signals";
import { listed, rankOf } from "./desk";
import { go, replace, route } from "./route";
import { pending, settled } from "./state";

// There is room for a list and what is open of it beside each other.
const WIDE = "(min-width: 860px)";
export const isWide = signal(matchMedia(WIDE).matches);
matchMedia(WIDE).addEventListener("change", (event) => (isWide.value = event.matches));

// Without a choice of the person's, the first of the list is open where there is room beside it, and
// stays so when the list changes.
export const kept = signal("");
export const openAsk = computed(() => {
  const wanted = route.value.view === "inbox" ? route.value.ask : undefined;
  const id = wanted ?? (isWide.value ? kept.value || listed.value[0]?.id : undefined);
  return id === undefined ? undefined : (pending.value.get(id) ?? settled.value.get(id));
});

// One that has left the list still has its place there: its neighbours are the next steps.
export function step(by: 1 | -1): void {
  if (route.value.view !== "inbox") return;
  const list = listed.value;
  const open = openAsk.value;
  const rank = open ? rankOf(open) : 0;
  const isListed = open !== undefined && list[rank]?.id === open.id;
  const at = isListed ? rank + by : by > 0 ? rank : rank - 1;
  const to = list[Math.min(Math.max(at, 0), list.length - 1)];
  // Reading along is no way that one would go back.
  if (to) (route.value.ask ? replace : go)({ view: "inbox", ask: to.id });
}
