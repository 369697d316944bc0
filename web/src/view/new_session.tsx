// SPDX-License-Identifier: Apache-2.0
// A session that a person begins: it is there once the broker has the first message.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../i18n";
import { findLive, hostedAgent, liveNames, nameFor, NEW } from "../model/hosted";
import { discard, say, type Outgoing } from "../model/outbox";
import { replace } from "../model/route";
import { Composer } from "./chat/composer";
import { SendingItem } from "./chat/messages";
import { Icon } from "./icons";

export const NewSessionLink = () => (
  <a class="button small" href={`#/session/${NEW}`}>
    <Icon name="plus" /> {t("sessions.new")}
  </a>
);

export function NewSession() {
  const message = useSignal<Outgoing | null>(null);
  const begun = useComputed(() => (message.value ? findLive(message.value.session) : undefined));
  const id = begun.value?.id;
  useEffect(() => {
    if (id) replace({ view: "sessions", session: id });
  }, [id]);
  const drop = (one: Outgoing) => {
    discard(one);
    message.value = null;
  };
  return (
    <div class="chat">
      <header class="chat-head">
        <div class="chat-title">
          <h2>{t("sessions.new")}</h2>
        </div>
      </header>
      <div class="log-frame">
        <div class="log">
          <div class="log-inner">
            {message.value ? (
              <SendingItem message={message.value} onDiscard={() => drop(message.value!)} />
            ) : (
              <p class="hint">{t("sessions.new_hint", { agent: hostedAgent.value ?? "" })}</p>
            )}
          </div>
        </div>
      </div>
      {!message.value && (
        <Composer session={NEW} onSay={(words) => (message.value = say(nameFor(words, liveNames()), words))} />
      )}
    </div>
  );
}
