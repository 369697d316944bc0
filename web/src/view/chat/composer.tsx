// SPDX-License-Identifier: Apache-2.0
// A line to the agent. While it waits for an answer, what is sent is queued, and that is said.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n";
import type { Chat } from "../../model/chat";
import { keep, readKept } from "../../model/settings";
import { TextField } from "../fields";
import { Icon } from "../icons";

export function Composer({ chat, isWaiting }: { chat: Chat; isWaiting: boolean }) {
  const key = `composer.${chat.session}`;
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
    chat.say(words);
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {isWaiting && <p class="hint">{t("chat.queues")}</p>}
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
