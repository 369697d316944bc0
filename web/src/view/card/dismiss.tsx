// SPDX-License-Identifier: Apache-2.0
// Declining a question: asks once, and offers to say why.
import type { Signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../i18n";
import { isComposing, TextField } from "../fields";

interface Props {
  reason: Signal<string>; // outlives the panel
  onYes(): void;
  onNo(): void;
}

export function DismissPanel({ reason, onYes, onNo }: Props) {
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
        value={reason.value}
        label={t("card.dismiss_reason")}
        placeholder={t("card.dismiss_reason")}
        onInput={(text) => (reason.value = text)}
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
