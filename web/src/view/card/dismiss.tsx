// SPDX-License-Identifier: Apache-2.0
// Declining a question: asks once, and offers to say why.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../../i18n";
import { TextField } from "../fields";

interface Props {
  onYes(reason: string): void;
  onNo(): void;
}

export function DismissPanel({ onYes, onNo }: Props) {
  const [reason, setReason] = useState("");
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
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onNo();
      }}
    >
      <p>{t("card.dismiss_question")}</p>
      <TextField
        input={field}
        value={reason}
        label={t("card.dismiss_reason")}
        placeholder={t("card.dismiss_reason")}
        onInput={setReason}
      />
      <div class="buttons">
        <button type="button" onClick={onNo}>
          {t("card.dismiss_no")}
        </button>
        <button type="button" class="danger" onClick={() => onYes(reason)}>
          {t("card.dismiss_yes")}
        </button>
      </div>
    </div>
  );
}
