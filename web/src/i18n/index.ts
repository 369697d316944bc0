// SPDX-License-Identifier: Apache-2.0
// The page's words in the reader's language, and times and numbers as written there.
import { computed, effect } from "@preact/signals";
import { language } from "../model/settings";
import { en, type Key } from "./en";
import { de } from "./de";
import { es } from "./es";
import { zh } from "./zh";

export type Words = Record<Key, string>;
export type { Key };

export const LANGUAGES: Record<string, { name: string; words: Words }> = {
  en: { name: "English", words: en },
  de: { name: "Deutsch", words: de },
  es: { name: "Español", words: es },
  zh: { name: "中文", words: zh },
};

const RIGHT_TO_LEFT = /^(ar|dv|fa|he|ku|ps|ug|ur|yi)\b/;

// What was chosen, else the first of the browser's that we have.
export const locale = computed(() => {
  if (language.value in LANGUAGES) return language.value;
  const wanted = navigator.languages.map((tag) => tag.toLowerCase().split("-")[0]!);
  return wanted.find((tag) => tag in LANGUAGES) ?? "en";
});

// The same with the browser's region, which decides how times are written.
const region = computed(() => navigator.languages.find((tag) => tag.split("-")[0] === locale.value) ?? locale.value);

const plural = computed(() => new Intl.PluralRules(locale.value));

export function t(key: Key, values: Record<string, string | number> = {}): string {
  const words = LANGUAGES[locale.value]!.words;
  return words[key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

type Counted = Key extends infer K ? (K extends `${infer Stem}_one` ? Stem : never) : never;

export function count(stem: Counted, n: number, values: Record<string, string | number> = {}): string {
  const form = plural.value.select(n) === "one" ? "one" : "other";
  return t(`${stem}_${form}` as Key, { n: n.toLocaleString(region.value), ...values });
}

const TIME = { hour: "2-digit", minute: "2-digit" } as const;

// What says which day it was: nothing today, and the year where it is another.
function dayParts(date: Date): Intl.DateTimeFormatOptions {
  const today = new Date();
  if (date.toDateString() === today.toDateString()) return {};
  const isThisYear = date.getFullYear() === today.getFullYear();
  return { day: "numeric", month: "short", ...(!isThisYear && { year: "numeric" }) };
}

// "14:03" today, with the date otherwise.
export function clockTime(at: string): string {
  const date = new Date(at);
  return date.toLocaleString(region.value, { ...TIME, ...dayParts(date) });
}

// The same as a part of a sentence: "at 14:03", "on 12 Nov at 14:03".
export function moment(kind: "at" | "until" | "since", at: string): string {
  const date = new Date(at);
  const time = date.toLocaleTimeString(region.value, TIME);
  const parts = dayParts(date);
  if (!("day" in parts)) return t(`time.${kind}`, { time });
  return t(`time.${kind}_day`, { time, day: date.toLocaleDateString(region.value, parts) });
}

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

export function ago(at: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(at)) / 1000);
  for (const [unit, size] of STEPS) {
    if (seconds < size) continue;
    const format = new Intl.RelativeTimeFormat(locale.value, { numeric: "always", style: "narrow" });
    return format.format(-Math.floor(seconds / size), unit);
  }
  return t("time.now");
}

const LONG: [unit: Key, minutes: number][] = [
  ["time.days", 1440],
  ["time.hours", 60],
  ["time.minutes", 1],
];

// "1:05", or from an hour on in words: "1 h 29 min".
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  let minutes = Math.floor(seconds / 60);
  const first = LONG.findIndex(([, size]) => minutes >= size);
  const words = LONG.slice(first, first + 2).map(([unit, size]) => {
    const n = Math.floor(minutes / size);
    minutes %= size;
    return n > 0 ? t(unit, { n }) : "";
  });
  return words.filter(Boolean).join(" ");
}

effect(() => {
  document.documentElement.lang = locale.value;
  document.documentElement.dir = RIGHT_TO_LEFT.test(locale.value) ? "rtl" : "ltr";
});
