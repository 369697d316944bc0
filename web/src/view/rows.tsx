// SPDX-License-Identifier: Apache-2.0
// A long list that is made as far as it is looked at, and as far as what is open of it, which stays
// in sight.
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

const FIRST = 14; // about a screen
const PAGE = 40;

interface Props<T> {
  items: T[];
  row(item: T): VNode;
  isOpen(item: T): boolean;
  open: string | undefined; // what is open
  onEnd?(): void;
}

export function Rows<T>({ items, row, isOpen, open, onEnd }: Props<T>) {
  const [asked, setAsked] = useState(FIRST);
  const list = useRef<HTMLUListElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const at = open === undefined ? -1 : items.findIndex(isOpen);
  const shown = Math.max(asked, at + FIRST);
  useEffect(() => {
    // On a busy machine several changes come at once; any of them may be the one.
    const watcher = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      if (shown < items.length) setAsked(shown + PAGE);
      else onEnd?.();
    });
    watcher.observe(end.current!);
    return () => watcher.disconnect();
  }, [shown, items.length, onEnd]);
  useLayoutEffect(() => {
    const found = list.current?.children[at];
    const pane = list.current?.parentElement;
    if (!found || !pane) return;
    // What sticks to the pane's top covers rows.
    const head = pane.firstElementChild;
    const isStuck = head instanceof HTMLElement && getComputedStyle(head).position === "sticky";
    pane.style.scrollPaddingTop = isStuck ? `${head.offsetHeight}px` : "";
    found.scrollIntoView({ block: "nearest" });
    // The focus goes along inside of the list, and is left alone elsewhere.
    if (list.current!.contains(document.activeElement)) found.querySelector("a")?.focus({ preventScroll: true });
  }, [open, at >= 0]);
  return (
    <>
      <ul class="rows" ref={list}>
        {items.slice(0, shown).map(row)}
      </ul>
      <div ref={end} class="rows-end" />
    </>
  );
}
