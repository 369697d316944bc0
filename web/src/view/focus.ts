// SPDX-License-Identifier: Apache-2.0
// On a narrow screen what is opened takes the place of the list. The focus goes with it, and back to
// the row that it came from; where it is not lost it stays.
import { useLayoutEffect, useRef } from "preact/hooks";

const isLost = (): boolean => {
  const focused = document.activeElement;
  return !(focused instanceof HTMLElement) || focused === document.body || focused.offsetParent === null;
};

// `open`: the address of what is open, if anything is.
export function useFocusOnOpen(open: string | undefined): void {
  const before = useRef(open);
  useLayoutEffect(() => {
    const left = before.current;
    before.current = open;
    if (left === open || !isLost()) return;
    const target = open ? ".detail-pane .back" : `.list-pane a[href="${CSS.escape(left ?? "")}"]`;
    document.querySelector<HTMLElement>(target)?.focus();
  }, [open]);
}
