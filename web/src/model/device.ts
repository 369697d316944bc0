// SPDX-License-Identifier: Apache-2.0
// Which of a person's devices this is: a name of the browser's own, and one of the tab's, because two
// tabs can hold two different drafts.
import { keep, readKept } from "./settings";

const random = (): string => Math.random().toString(36).slice(2, 12).padEnd(10, "0");

function browserName(): string {
  const known = readKept("device", "");
  if (known) return known;
  const made = random();
  keep("device", made);
  return made;
}

export const browser = browserName();
export const device = `${browser}.${random()}`;
