// SPDX-License-Identifier: Apache-2.0
// What a process has used, and what is in the middle of many numbers.
import { readFile } from "node:fs/promises";

export async function usage(pid) {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const stat = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1].split(" ");
  const mib = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]) / 1024;
  return { rss: mib("VmRSS"), own: mib("RssAnon"), peak: mib("VmHWM"),
           cpuMs: (Number(stat[11]) + Number(stat[12])) * 10 };
}

export function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
