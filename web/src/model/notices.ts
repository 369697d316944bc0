// SPDX-License-Identifier: Apache-2.0
// Short messages at the edge of the page: what an agent tells without asking, and what went wrong.
import { signal } from "@preact/signals";
import { onEvent } from "./state";

const SHOWN_MS = 12_000;
const SHOWN_MAX = 4;

export interface Notice {
  id: number;
  text: string;
  level: "info" | "warning" | "error";
}

export const notices = signal<Notice[]>([]);
let next = 1;

export function show(text: string, level: Notice["level"] = "info"): void {
  const id = next++;
  notices.value = [...notices.value, { id, text, level }].slice(-SHOWN_MAX);
  setTimeout(() => close(id), SHOWN_MS);
}

export const showError = (error: unknown): void => show(error instanceof Error ? error.message : String(error), "error");

export function close(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

onEvent((event) => {
  if (event.type === "notice") show(event.text ?? "", event.level);
});
