// SPDX-License-Identifier: Apache-2.0
// What this browser remembers about its person: kept in local storage, never sent.
import { effect, signal, type Signal } from "@preact/signals";

const PREFIX = "parley.";

export function readKept<T>(key: string, fallback: T): T {
  try {
    const text = localStorage.getItem(PREFIX + key);
    return text === null ? fallback : (JSON.parse(text) as T);
  } catch {
    return fallback;
  }
}

export function keep(key: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // A browser that keeps nothing still works.
  }
}

export const keptKeys = (prefix: string): string[] => {
  try {
    return Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index)!)
      .filter((key) => key.startsWith(PREFIX + prefix))
      .map((key) => key.slice(PREFIX.length));
  } catch {
    return [];
  }
};

const TYPED = ["draft.", "reason.", "composer.", "sending."];

// What was typed here by somebody else is not this person's to read: whether there was such a one.
export function claimBrowser(principal: string): boolean {
  const before = readKept("principal", "");
  keep("principal", principal);
  if (before === "" || before === principal) return false;
  for (const prefix of TYPED) for (const key of keptKeys(prefix)) keep(key, undefined);
  return true;
}

function kept<T>(key: string, fallback: T): Signal<T> {
  const value = signal(readKept(key, fallback));
  effect(() => keep(key, value.value));
  return value;
}

export type Theme = "auto" | "light" | "dark";
export type Sort = "oldest" | "newest" | "urgent";

export const theme = kept<Theme>("theme", "auto");
export const language = kept("language", "");
export const sort = kept<Sort>("sort", "oldest");
export const oneClick = kept("one_click", true);
export const notifies = kept("notifies", false);
export const sounds = kept("sounds", false);
