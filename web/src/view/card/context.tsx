// SPDX-License-Identifier: Apache-2.0
// What a question is about, as the agent tells it; a long one is folded, never cut.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../../i18n";
import { Markdown } from "../markdown";

export function Context({ text }: { text: string }) {
  const place = useRef<HTMLDivElement>(null);
  const [isLong, setLong] = useState(false);
  const [isOpen, setOpen] = useState(false);
  useLayoutEffect(() => {
    setLong(place.current!.scrollHeight > place.current!.clientHeight + 8);
  }, [text]);
  return (
    <section class={`context ${isOpen ? "open" : ""}`} aria-label={t("card.context")}>
      <div class="context-text" ref={place}>
        <Markdown text={text} />
      </div>
      {isLong && (
        <button type="button" class="quiet small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t(isOpen ? "card.less" : "card.more")}
        </button>
      )}
    </section>
  );
}
