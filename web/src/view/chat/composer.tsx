// SPDX-License-Identifier: Apache-2.0
// A line to the agent. While it waits for an answer, what is sent is queued, and that is said.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n";
import { keep, readKept } from "../../model/settings";
import { TextField } from "../fields";
import { Icon } from "../icons";

interface Props {
  session: string; // what is typed is kept for it
  onSay(words: string): void;
  onShowAsk?(): void; // where the agent waits for an answer
}

export function Composer({ session, onSay, onShowAsk }: Props) {
  const key = `composer.${session}`;
  const text = useSignal("");
  useEffect(() => {
    text.value = readKept(key, "");
  }, [key]);
  const write = (words: string) => {
    text.value = words;
    keep(key, words || undefined);
  };
  const send = () => {
    const words = text.value.trim();
    if (!words) return;
    write("");
    onSay(words);
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {onShowAsk && (
        <p class="hint">
          {t("chat.queues")}{" "}
          <button type="button" class="link" onClick={onShowAsk}>
            {t("chat.show_ask")}
          </button>
        </p>
      )}
      <div class="composer-line">
        <TextField
          value={text.value}
          label={t("chat.composer")}
          placeholder={t("chat.placeholder")}
          onInput={write}
          onEnter={send}
        />
        <button type="submit" class="primary" aria-label={t("chat.send")} aria-disabled={!text.value.trim()}>
          <Icon name="send" flips /> <span class="send-text">{t("chat.send")}</span>
        </button>
      </div>
    </form>
  );
}
