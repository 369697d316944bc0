// SPDX-License-Identifier: Apache-2.0
// A long list that is made as far as it is looked at, and around what is open of it, which stays in
// sight. Where that is far down, what lies between is a gap as high as its rows would be about, and is
// made when it is looked at: ten thousand rows are never in the document at once.
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

const FIRST = 14; // about a screen
const PAGE = 40;
const ROW_PX = 104; // about

interface Props<T> {
  items: T[];
  row(item: T): VNode;
  isOpen(item: T): boolean;
  open: string | undefined; // what is open
  onEnd?(): void;
}

// Which rows are made: those before `head`, and from `from` to `to`.
interface Made {
  head: number;
  from: number;
  to: number;
}

function madeOf(count: number, at: number, head: number, grown: number): Made {
  const from = Math.max(0, at - FIRST - grown);
  const to = Math.min(count, at + FIRST + grown);
  // What is open is near, or not there: one piece.
  if (at < 0 || from <= head + PAGE) return { head: Math.min(count, Math.max(head, to)), from: count, to: count };
  return { head, from, to };
}

export function Rows<T>({ items, row, isOpen, open, onEnd }: Props<T>) {
  const asked = useRef(FIRST);
  const [grown, setGrown] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const at = open === undefined ? -1 : items.findIndex(isOpen);
  const made = madeOf(items.length, at, asked.current, grown);
  if (at >= 0) asked.current = Math.max(asked.current, made.head);
  const gap = made.to > made.from ? made.from - made.head : 0;
  const isWhole = gap > 0 ? made.to === items.length : made.head === items.length;
  useEffect(() => {
    const more = () => {
      asked.current = made.head + PAGE;
      setGrown((before) => before + PAGE);
    };
    // On a busy machine several changes come at once; any of them may be the one.
    const watcher = new IntersectionObserver((entries) => {
      const seen = entries.filter(({ isIntersecting }) => isIntersecting).map(({ target }) => target);
      if (seen.some((place) => place !== end.current || !isWhole)) more();
      else if (seen.length > 0) onEnd?.();
    });
    for (const place of [end.current, list.current?.querySelector(".rows-gap")]) if (place) watcher.observe(place);
    return () => watcher.disconnect();
  }, [made.head, made.from, made.to, items.length, onEnd]);
  useLayoutEffect(() => {
    const found = list.current?.querySelector("[aria-current]")?.closest("li");
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
  const rows = items.slice(0, made.head).map(row);
  if (gap > 0) rows.push(<li key="gap" class="rows-gap" aria-hidden="true" style={{ height: `${gap * ROW_PX}px` }} />);
  rows.push(...items.slice(made.from, made.to).map(row));
  return (
    <>
      <ul class="rows" ref={list}>
        {rows}
      </ul>
      <div ref={end} class="rows-end" />
    </>
  );
}
