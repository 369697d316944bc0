// SPDX-License-Identifier: Apache-2.0
// Copying a text, and saying that it was: browsers offer the clipboard on safe origins only.
import { t } from "../i18n";

const SAID_MS = 1500;

export const canCopy = (): boolean => navigator.clipboard !== undefined;

// The buttons that say so now, and what they say otherwise.
const said = new WeakMap<HTMLElement, { words: string; timer: ReturnType<typeof setTimeout> }>();

// Where a pictogram stands beside its words, they alone change.
function say(button: HTMLElement, words: string): void {
  const place = button.querySelector(".copy-words") ?? button;
  const before = said.get(button);
  clearTimeout(before?.timer);
  const usual = before?.words ?? place.textContent;
  place.textContent = words;
  button.classList.add("is-said");
  const timer = setTimeout(() => {
    said.delete(button);
    place.textContent = usual;
    button.classList.remove("is-said");
  }, SAID_MS);
  said.set(button, { words: usual, timer });
}

export async function copy(text: string, button: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(button, t("copy.done"));
  } catch {
    say(button, t("copy.failed"));
  }
}
