// SPDX-License-Identifier: Apache-2.0
// Keys that work wherever no text is typed.
import { useLayoutEffect } from "preact/hooks";
import { go, route } from "../model/route";
import { undo, undoable } from "../model/submit";
import { step } from "./inbox";

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("textarea, input, select, [contenteditable]") !== null;

function escape(target: EventTarget | null): void {
  if (isTyping(target)) return (target as HTMLElement).blur();
  if (undoable.value) return undo();
  const here = route.value;
  if (here.view === "inbox" && here.ask) go({ view: "inbox" });
  if (here.view === "history" && here.ask) go({ view: "history" });
  if (here.view === "sessions" && here.session) go({ view: "sessions" });
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  if (event.key === "Escape") return escape(event.target);
  if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
  switch (event.key) {
    case "j":
      return step(1);
    case "k":
      return step(-1);
    case "z":
      return undo();
    case "/":
      event.preventDefault();
      return document.querySelector<HTMLInputElement>(".search input")?.focus();
  }
}

export function useKeys(): void {
  useLayoutEffect(() => {
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}
