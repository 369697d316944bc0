// SPDX-License-Identifier: Apache-2.0
// Declining a question: asks once, and offers to say why.
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../i18n";
import type { Work } from "../../model/work";
import { isComposing, TextField } from "../fields";

interface Props {
  work: Work; // which keeps the reason
  onYes(): void;
  onNo(): void;
}

export function DismissPanel({ work, onYes, onNo }: Props) {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.closest(".confirm")?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <div
      class="confirm"
      role="group"
      aria-label={t("card.dismiss")}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || isComposing(event)) return;
        event.stopPropagation();
        onNo();
      }}
    >
      <p>{t("card.dismiss_question")}</p>
      <TextField
        input={field}
        value={work.reason.value}
        label={t("card.dismiss_reason")}
        placeholder={t("card.dismiss_reason")}
        onInput={(text) => work.explain(text)}
      />
      <div class="buttons">
        <button type="button" onClick={onNo}>
          {t("card.dismiss_no")}
        </button>
        <button type="button" class="danger" onClick={onYes}>
          {t("card.dismiss_yes")}
        </button>
      </div>
    </div>
  );
}
