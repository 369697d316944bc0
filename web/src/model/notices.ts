// SPDX-License-Identifier: Apache-2.0
// Short messages at the edge of the page: what an agent tells without asking, and what went wrong.
// Each speaker has one at a time, the newest, and few are shown at once: nobody fills the page.
import { signal } from "@preact/signals";
import { onEvent } from "./state";
import { sessionOf } from "./types";

const SHOWN_MS = 12_000;
const SHOWN_MAX = 2;
const CHANGE_MS = 1000; // a notice that was just shown can be read before the next of its speaker

export interface Notice {
  id: number;
  speaker: string; // the session that speaks; "" is the page itself
  text: string;
  level: "info" | "warning" | "error";
  count: number; // how many of this speaker it stands for
}

export const notices = signal<Notice[]>([]);
let next = 1;
const timers = new Map<string, ReturnType<typeof setTimeout>>();
const held = new Map<string, Notice>();
const changedAt = new Map<string, number>();

function put(notice: Notice): void {
  const { speaker } = notice;
  const before = notices.value.find((one) => one.speaker === speaker);
  const shown = { ...notice, count: notice.count + (before?.count ?? 0) };
  const others = notices.value.filter((one) => one.speaker !== speaker);
  notices.value = [...others, shown].slice(-SHOWN_MAX);
  changedAt.set(speaker, Date.now());
  clearTimeout(timers.get(speaker));
  timers.set(speaker, setTimeout(() => close(shown.id), SHOWN_MS));
}

export function show(text: string, level: Notice["level"] = "info", speaker = ""): void {
  const notice = { id: next++, speaker, text, level, count: 1 };
  const wait = (changedAt.get(speaker) ?? 0) + CHANGE_MS - Date.now();
  const waiting = held.get(speaker);
  if (waiting) return void held.set(speaker, { ...notice, count: waiting.count + 1 });
  if (wait <= 0) return put(notice);
  held.set(speaker, notice);
  setTimeout(() => {
    const newest = held.get(speaker);
    held.delete(speaker);
    if (newest) put(newest);
  }, wait);
}

export const showError = (error: unknown): void => show(error instanceof Error ? error.message : String(error), "error");

export function close(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

onEvent((event) => {
  if (event.type === "notice") show(event.text ?? "", event.level, sessionOf(event) || "?");
});
