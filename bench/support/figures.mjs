// SPDX-License-Identifier: Apache-2.0
// What a benchmark measured, for programs: see bench/figures.h.
import { appendFileSync } from "node:fs";

export const PARLEY = "Parley";

export function record(what, who, unit, values) {
  const path = process.env.BENCH_FIGURES;
  if (!path) return;
  const figure = { what, who, unit, values: values.map((value) => Number(value.toPrecision(6))) };
  appendFileSync(path, `${JSON.stringify(figure)}\n`);
}
