// SPDX-License-Identifier: Apache-2.0
// One ask in a list.
import { memo } from "preact/compat";
import { ago, count, t } from "../i18n";
import { address } from "../model/route";
import { slowNow } from "../model/state";
import { sessionOf, type Ask } from "../model/types";
import { visible } from "../model/visible";
import { sessionTitle } from "./card/card";
import { Countdown } from "./countdown";

export const Row = memo(function Row({ ask, isOpen, isPast }: { ask: Ask; isOpen: boolean; isPast?: boolean }) {
  const [first] = ask.questions;
  return (
    <li>
      <a
        class={`row ${ask.urgency === "high" && !isPast ? "is-urgent" : ""}`}
        href={address(isPast ? { view: "history", ask: ask.id } : { view: "inbox", ask: ask.id })}
        aria-current={isOpen ? "true" : undefined}
      >
        <span class="row-top">
          {first?.header && (
            <span class="chip" dir="auto">
              {visible(first.header)}
            </span>
          )}
          {ask.urgency === "high" && !isPast && <span class="badge bad">{t("card.urgent")}</span>}
          {isPast && ask.settlement && (
            <span class={`badge ${ask.settlement.outcome}`}>{t(`settled.${ask.settlement.outcome}`)}</span>
          )}
          <time class="row-time" dateTime={ask.created_at}>
            {ago(ask.settlement?.at ?? ask.created_at, slowNow.value)}
          </time>
        </span>
        <span class="row-text" dir="auto">
          {visible(first?.question ?? ask.id)}
        </span>
        <span class="row-foot hint">
          <span class="row-session" dir="auto">
            {ask.agent ? `${visible(ask.agent)} · ` : ""}
            {sessionTitle(sessionOf(ask))}
          </span>
          {ask.questions.length > 1 && <span>{count("inbox.questions", ask.questions.length)}</span>}
          {!isPast && <Countdown ask={ask} isShort />}
        </span>
      </a>
    </li>
  );
});
