// SPDX-License-Identifier: Apache-2.0
// What laid-out markdown gets beyond its own elements: a link shows where it leads, code can be
// copied, a table that is too wide scrolls and can be reached by the keyboard.
import { t } from "../i18n";
import { shorten } from "../model/headline";
import { visible } from "../model/visible";
import { canCopy, copy } from "./copy";

const ADDRESS_MAX = 80;
const WHOLE = /^\S{1,14}$/; // a date or a number is not broken, not even at its hyphens

const bare = (address: string): string => address.replace(/^(https?:\/\/|mailto:)/i, "").replace(/\/$/, "");

function showTarget(link: Element): void {
  const target = link.getAttribute("href") ?? "";
  if (!target || bare(link.textContent.trim()) === bare(target)) return;
  const shown = document.createElement("span");
  shown.className = "target";
  shown.textContent = ` (${shorten(visible(bare(target)), ADDRESS_MAX)})`;
  link.after(shown);
}

function offerCopy(code: Element): void {
  const frame = document.createElement("div");
  frame.className = "code";
  code.replaceWith(frame);
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy small";
  button.textContent = t("copy.code");
  button.addEventListener("click", () => void copy(code.textContent, button));
  frame.append(code, button);
}

function frameTable(table: Element): HTMLElement {
  const frame = document.createElement("div");
  frame.className = "table";
  table.replaceWith(frame);
  frame.append(table);
  for (const cell of table.querySelectorAll("th, td"))
    if (WHOLE.test(cell.textContent)) cell.classList.add("is-whole");
  return frame;
}

// Gives what is left to do once the nodes stand in the document.
export function equip(made: DocumentFragment): () => void {
  made.querySelectorAll("a[href]").forEach(showTarget);
  if (canCopy()) made.querySelectorAll("pre").forEach(offerCopy);
  const frames = [...made.querySelectorAll("table")].map(frameTable);
  return () => {
    for (const frame of frames) if (frame.scrollWidth > frame.clientWidth) frame.tabIndex = 0;
  };
}
