// SPDX-License-Identifier: Apache-2.0
// Which asks this person has begun to answer, on whichever device, so that lists can mark them.
import { signal } from "@preact/signals";
import { get } from "./api";
import { onEvent, onReconnect, onSettled } from "./state";
import type { DraftPage } from "./types";

export const drafted = signal<ReadonlySet<string>>(new Set());

function mark(id: string, isBegun: boolean): void {
  if (drafted.value.has(id) === isBegun) return;
  const next = new Set(drafted.value);
  if (isBegun) next.add(id);
  else next.delete(id);
  drafted.value = next;
}

async function load(): Promise<void> {
  try {
    const { drafts } = await get<DraftPage>("/v1/drafts");
    drafted.value = new Set(drafts.map(({ ask }) => ask));
  } catch {
    // Nothing is marked; the drafts themselves come with their asks.
  }
}

onEvent((event) => {
  if (event.type === "ask.draft") mark(event.ask, event.answers !== null);
});
onSettled((ask) => mark(ask.id, false));
onReconnect(() => void load());
