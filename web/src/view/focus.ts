// SPDX-License-Identifier: Apache-2.0
// Where the focus goes when what had it is gone, or when the keyboard asks for a card.
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { keyGuard, keyTime } from "../model/key_guard";

export const isLost = (): boolean => {
  const focused = document.activeElement;
  return !(focused instanceof HTMLElement) || focused === document.body || focused.offsetParent === null;
};

// On a narrow screen what is opened takes the place of the list. The focus goes with it, and back to
// the row that it came from; where it is not lost it stays. `open`: the address of what is open.
export function useFocusOnOpen(open: string | undefined): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null);
  const before = useRef(open);
  useLayoutEffect(() => {
    const left = before.current;
    before.current = open;
    if (left === open || !isLost()) return;
    const target = open ? "a[data-back]" : `a[href="${CSS.escape(left ?? "")}"]`;
    place.current?.querySelector<HTMLElement>(target)?.focus();
  }, [open]);
  return place;
}

// The card beside the list. One that is asked for takes the focus as a whole, not one of its
// choices: a key that is held down must not choose.
let card: { id: string; place: HTMLElement } | undefined;
let wanted: string | undefined;

export function useOpenCard(id: string, place: RefObject<HTMLElement | null>, isOpen: boolean): void {
  useLayoutEffect(() => {
    if (!isOpen || !place.current) return;
    const mine = { id, place: place.current };
    card = mine;
    if (wanted === id) focusCard(id);
    return () => {
      if (card === mine) card = undefined;
    };
  }, [id, isOpen]);
}

// Now, or as soon as it is there.
export function focusCard(id?: string): boolean {
  wanted = undefined;
  keyGuard.used(keyTime());
  if (card && (id === undefined || card.id === id)) card.place.focus();
  else wanted = id;
  return wanted === undefined && card !== undefined;
}
