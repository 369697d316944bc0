// SPDX-License-Identifier: Apache-2.0
// Keys that work wherever no text is typed.
import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { keyGuard } from "../model/key_guard";
import { step } from "../model/reading";
import { go, route } from "../model/route";
import { undo, undoable } from "../model/submit";
import { isField } from "./card/keys";
import { isComposing, isNewLine } from "./fields";
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
  if (event.defaultPrevented || isComposing(event) || isHelpOpen.value) return;
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

// A key that is held down moves and scrolls; it chooses, sends and opens nothing, nor does one that
// was struck before its ask could be seen (model/key_guard). One key stroke is one decision.
const DECIDES = /^(Enter|[0-9]| )$/;
const MODIFIES = /^(Control|Shift|Alt|AltGraph|Meta)$/;

function holdBack(event: KeyboardEvent): void {
  const { key, target } = event;
  if (!(target instanceof Element) || MODIFIES.test(key) || isComposing(event)) return;
  const isText = isField(target) && (key !== "Enter" || isNewLine(event));
  const isScroll = key === " " && !target.closest("button, a, summary");
  if (!DECIDES.test(key) || isText || isScroll) return keyGuard.letGo();
  // Elsewhere a digit and Ctrl+Enter go to the ask that is open; Enter leads to one at most.
  const isForAny = key === "Enter" ? event.ctrlKey || event.metaKey : key !== " ";
  const decides = target.closest(".form") !== null || (isForAny && !isField(target) && !target.closest("dialog"));
  if (keyGuard.takes({ key, at: event.timeStamp, isRepeat: event.repeat, decides })) return;
  event.preventDefault();
  event.stopPropagation();
}

const letGo = (): void => keyGuard.letGo();

export function useKeys(): void {
  useLayoutEffect(() => {
    document.addEventListener("keydown", holdBack, true);
    document.addEventListener("pointerdown", letGo, true);
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("keydown", holdBack, true);
      document.removeEventListener("pointerdown", letGo, true);
      document.removeEventListener("keydown", onKey);
    };
  }, []);
}
