// SPDX-License-Identifier: Apache-2.0
// Keys that work wherever no text is typed.
import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { step } from "../model/reading";
import { go, route } from "../model/route";
import { undo, undoable } from "../model/submit";
import { isField } from "./card/keys";
import { focusSearch } from "./search";

export const isHelpOpen = signal(false);

const isTyping = (target: EventTarget | null): boolean => target instanceof Element && isField(target);

function escape(target: EventTarget | null): void {
  if (isTyping(target)) return (target as HTMLElement).blur();
  if (undoable.value) return undo();
  const here = route.value;
  if (here.view === "inbox" && here.ask) go({ view: "inbox" });
  if (here.view === "history" && here.ask) go({ view: "history" });
  if (here.view === "sessions" && here.session) go({ view: "sessions" });
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || isHelpOpen.value) return;
  if (event.key === "Escape") return escape(event.target);
  if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
  switch (event.key) {
    case "j":
      return step(1);
    case "k":
      return step(-1);
    case "z":
      return undo();
    case "?":
      isHelpOpen.value = true;
      return;
    case "/":
      event.preventDefault();
      return focusSearch();
  }
}

// A key that is held down moves and scrolls; it chooses, sends and opens nothing. One key stroke is
// one decision.
const DECIDES = /^(Enter|[0-9]| )$/;
function holdBack(event: KeyboardEvent): void {
  if (!event.repeat || !DECIDES.test(event.key) || !(event.target instanceof Element)) return;
  if (isField(event.target) && (event.key !== "Enter" || event.shiftKey)) return;
  if (event.key === " " && !event.target.closest("button, a, summary")) return;
  event.preventDefault();
  event.stopPropagation();
}

export function useKeys(): void {
  useLayoutEffect(() => {
    document.addEventListener("keydown", holdBack, true);
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("keydown", holdBack, true);
      document.removeEventListener("keydown", onKey);
    };
  }, []);
}
