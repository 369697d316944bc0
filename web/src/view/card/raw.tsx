// SPDX-License-Identifier: Apache-2.0
// The last resort: a question that cannot be laid out is shown as it was sent, with a text box.
import { useState } from "preact/hooks";
import { t } from "../../i18n";
import { post } from "../../model/api";
import { showError } from "../../model/notices";
import { takeAsk } from "../../model/state";
import type { Ask } from "../../model/types";
import { visible } from "../../model/visible";
import { TextField } from "../fields";

// What was typed: a card that breaks is made anew whenever its ask is.
const typed = new Map<string, string>();

export function RawCard({ ask }: { ask: Ask }) {
  const [text, setShown] = useState(typed.get(ask.id) ?? "");
  const setText = (words: string) => {
    typed.set(ask.id, words);
    setShown(words);
  };
  const send = () => {
    if (!text.trim()) return;
    const count = Math.max(1, ask.questions.length);
    const answers = Array.from({ length: count }, () => ({ selected: [], other: text.trim() }));
    post<Ask>(`/v1/asks/${ask.id}/answer`, { answers }).then(takeAsk, showError);
  };
  return (
    <div class="raw">
      <p role="alert">{t("card.raw")}</p>
      <pre tabIndex={0}>{visible(JSON.stringify(ask.questions.length > 0 ? ask.questions : ask, null, 2))}</pre>
      {!ask.settlement && (
        <>
          <TextField value={text} label={t("card.free_text")} placeholder={t("card.free_text")} onInput={setText} />
          <button type="button" class="primary" onClick={send}>
            {t("card.submit")}
          </button>
        </>
      )}
    </div>
  );
}
