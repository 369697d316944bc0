// SPDX-License-Identifier: Apache-2.0
// What a question is about, as the agent tells it. A long one is folded, with a fade and the number
// of lines below; one that says what is permitted never is.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { count, t } from "../../i18n";
import { Icon } from "../icons";
import { Markdown } from "../markdown";

const LINES_WORTH_FOLDING = 3;

export function Context({ text, isWhole }: { text: string; isWhole: boolean }) {
  const place = useRef<HTMLDivElement>(null);
  const [hidden, setHidden] = useState(0);
  const [isOpen, setOpen] = useState(isWhole);
  useLayoutEffect(() => {
    const { scrollHeight, clientHeight } = place.current!;
    const line = parseFloat(getComputedStyle(place.current!).lineHeight) || 24;
    const lines = Math.ceil((scrollHeight - clientHeight) / line);
    if (!isOpen && lines > 0 && lines < LINES_WORTH_FOLDING) setOpen(true);
    else if (!isOpen) setHidden(lines);
  }, [text]);
  return (
    <div class={`context ${isOpen ? "open" : ""}`} role="group" aria-label={t("card.context")}>
      <div class={`context-text ${hidden > 0 ? "is-long" : ""}`} ref={place}>
        <Markdown text={text} />
      </div>
      {hidden > 0 && (
        <button type="button" class="small fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="more" /> {isOpen ? t("card.less") : count("card.more_lines", hidden)}
        </button>
      )}
    </div>
  );
}
