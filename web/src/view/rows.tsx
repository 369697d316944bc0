// SPDX-License-Identifier: Apache-2.0
// A long list that is made as far as it is looked at.
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

const FIRST = 14; // about a screen
const PAGE = 40;

interface Props<T> {
  items: T[];
  row(item: T): VNode;
  onEnd?(): void;
}

export function Rows<T>({ items, row, onEnd }: Props<T>) {
  const [shown, setShown] = useState(FIRST);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // On a busy machine several changes come at once; any of them may be the one.
    const watcher = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      if (shown < items.length) setShown(shown + PAGE);
      else onEnd?.();
    });
    watcher.observe(end.current!);
    return () => watcher.disconnect();
  }, [shown, items.length, onEnd]);
  return (
    <>
      <ul class="rows">{items.slice(0, shown).map(row)}</ul>
      <div ref={end} class="rows-end" />
    </>
  );
}
