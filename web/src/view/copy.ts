// SPDX-License-Identifier: Apache-2.0
// Copying a text, and saying that it was: browsers offer the clipboard on safe origins only.
import { t } from "../i18n";

const SAID_MS = 1500;

export const canCopy = (): boolean => navigator.clipboard !== undefined;

export async function copy(text: string, button: HTMLElement): Promise<void> {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = t("copy.done");
  } catch {
    button.textContent = t("copy.failed");
  }
  setTimeout(() => (button.textContent = before), SAID_MS);
}
