// SPDX-License-Identifier: Apache-2.0
// Keys for a card, wherever the focus is: they are for the card that has it, or for the only one on
// the page, never for several; and for none while a field elsewhere is typed into.
import { createContext, type RefObject } from "preact";
import { useContext, useLayoutEffect } from "preact/hooks";
import { keyGuard, keyTime } from "../../model/key_guard";

// False for a card that a search has filtered out: keys from elsewhere are not meant for it.
export const TakesKeys = createContext(true);

// The forms on the page, each in a card of its own.
const forms = new Set<HTMLElement>();

// Whatever else the keys are for from now on has only just come up: another form or none beside it,
// another question, one that the search leaves in again.
export function useForm(place: RefObject<HTMLElement | null>, step: number): void {
  const takesKeys = useContext(TakesKeys);
  useLayoutEffect(() => {
    const mine = place.current!;
    forms.add(mine);
    return () => {
      forms.delete(mine);
      keyGuard.appeared(keyTime());
    };
  }, []);
  useLayoutEffect(() => keyGuard.appeared(keyTime()), [step, takesKeys]);
}

export const isField = (target: Element): boolean =>
  target.closest("textarea, input, select, [contenteditable]") !== null;

export function useCardKeys(place: RefObject<HTMLElement | null>, onKey: (event: KeyboardEvent, target: Element) => void): void {
  const takesKeys = useContext(TakesKeys);
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      // A key may come from the document itself, and after the card has gone.
      if (!(event.target instanceof Element) || place.current === null || event.defaultPrevented) return;
      const target = event.target;
      const isInside = place.current.closest(".card")?.contains(target) ?? false;
      const isElsewhere = isField(target) || target.closest("dialog, .card") !== null || forms.size > 1 || !takesKeys;
      if (isInside || !isElsewhere) onKey(event, target);
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  });
}
