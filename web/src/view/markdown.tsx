// SPDX-License-Identifier: Apache-2.0
// A text of an agent, laid out. Blocks that do not change are not made again, so that a text can
// grow for long.
import { memo } from "preact/compat";
import { useLayoutEffect, useRef } from "preact/hooks";
import { blocks } from "../model/blocks";
import { render } from "../model/markdown";
import { visible } from "../model/visible";
import { equip } from "./equip";
import { unpadded } from "./prose";

// A block longer than this, such as a paragraph without end, is shown as plain text: to lay it out
// again with each word would hold up the page.
const BLOCK_LAID_OUT_MAX = 20_000;

export const Block = memo(function Block({ text }: { text: string }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (text.length > BLOCK_LAID_OUT_MAX) return place.current!.replaceChildren(plain(text));
    const made = render(text);
    const finish = equip(made);
    place.current!.replaceChildren(made);
    finish();
  }, [text]);
  return <div class="block" ref={place} />;
});

function plain(text: string): HTMLElement {
  const paragraph = document.createElement("p");
  paragraph.className = "plain";
  paragraph.textContent = visible(text);
  return paragraph;
}

export const Markdown = ({ text }: { text: string }) => (
  <div class="markdown" dir="auto">
    {blocks(unpadded(text)).map((block, index) => (
      <Block key={index} text={block} />
    ))}
  </div>
);
