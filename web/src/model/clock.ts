// SPDX-License-Identifier: Apache-2.0
// The broker's time, whatever this browser's clock says: every reply has a date, in whole seconds,
// which bounds how far the two differ. Deadlines and snoozes are the broker's.
import { computed, signal } from "@preact/signals";

// Between which the difference lies, in milliseconds.
interface Bounds {
  low: number;
  high: number;
}

const UNKNOWN: Bounds = { low: -Infinity, high: Infinity };

// A reply that was asked for at `asked` and here at `heard` says it was `said` (a whole second, just
// begun or nearly over). One that contradicts the others: a clock was set, and they are void.
export function narrow(bounds: Bounds, asked: number, heard: number, said: number): Bounds {
  const fresh = { low: said - heard, high: said + 1000 - asked };
  const both = { low: Math.max(bounds.low, fresh.low), high: Math.min(bounds.high, fresh.high) };
  return both.low <= both.high ? both : fresh;
}

let bounds = UNKNOWN;
const offset = signal(0);

export function hearDate(header: string | null, asked: number, heard: number): void {
  const said = Date.parse(header ?? "");
  if (Number.isNaN(said)) return;
  bounds = narrow(bounds, asked, heard, said);
  // Changed only where it is certainly wrong: a countdown must not hop about.
  if (offset.value < bounds.low || offset.value > bounds.high) offset.value = Math.round((bounds.low + bounds.high) / 2);
}

// This browser's clock, for what happens in this browser.
export const now = signal(Date.now());
setInterval(() => (now.value = Date.now()), 1000);

export const brokerNow = computed(() => now.value + offset.value);
// The same in steps of ten seconds, for what need not tick.
export const slowNow = computed(() => Math.floor(brokerNow.value / 10_000) * 10_000);
