// SPDX-License-Identifier: Apache-2.0
// One ask in a list.
import { memo } from "preact/compat";
import { ago, count, moment, t } from "../i18n";
import { address } from "../model/route";
import { slowNow } from "../model/clock";
import { drafted } from "../model/drafts";
import { headline, namesTool } from "../model/headline";
import { isWide } from "../model/reading";
import { isSnoozed } from "../model/state";
import { sessionOf, type Ask } from "../model/types";
import { visible } from "../model/visible";
import { Boundary } from "./boundary";
import { sessionPath } from "./card/card";
import { decision } from "./card/settled";
import { Countdown } from "./countdown";
import { focusCard } from "./focus";
import { Code } from "./prose";

interface Props {
  ask: Ask;
  isOpen: boolean;
  isPast?: boolean;
}

// One that cannot be laid out is still there, can be opened, and leaves the others alone.
export const Row = memo(function Row({ ask, isOpen, isPast }: Props) {
  const href = address(isPast ? { view: "history", ask: ask.id } : { view: "inbox", ask: ask.id });
  const bare = () => (
    <a class="row" href={href} aria-current={isOpen ? "true" : undefined}>
      <span class="row-text">{ask.id}</span>
    </a>
  );
  return (
    <li>
      <Boundary of={ask} fallback={bare}>
        <Link ask={ask} isOpen={isOpen} isPast={isPast ?? false} href={href} />
      </Boundary>
    </li>
  );
});

function Link({ ask, isOpen, isPast, href }: Props & { href: string }) {
  // A path alone does not say whether it is read or written; a call names its tool itself.
  const tool = ask.permission && !namesTool(ask.permission) ? ask.permission.tool : undefined;
  const chip = tool ?? ask.questions[0]?.header;
  const isCode = ask.permission !== undefined && ask.permission.plan === undefined;
  return (
    <a
      class={`row ${ask.urgency === "high" && !isPast ? "is-urgent" : ""}`}
      href={href}
      aria-current={isOpen ? "true" : undefined}
      onClick={(event) => {
        // By the keyboard: the focus goes along, where the list stays beside it.
        if (event.detail === 0 && isWide.value) focusCard(ask.id);
      }}
    >
      <span class="row-top">
        {chip && (
          <span class="chip" dir="auto">
            {visible(chip)}
          </span>
        )}
        {ask.urgency === "high" && !isPast && <span class="badge bad">{t("card.urgent")}</span>}
        {!isPast && isSnoozed(ask) && (
          <span class="badge">{t("card.snoozed_until", { until: moment("until", ask.snoozed_until!) })}</span>
        )}
        {!isPast && ask.asker_revoked && (
          <span class="badge" title={t("card.revoked_means")}>{t("card.revoked")}</span>
        )}
        {!isPast && drafted.value.has(ask.id) && <span class="badge">{t("draft.mark")}</span>}
        {isPast && ask.settlement && (
          <span class={`badge ${ask.settlement.outcome}`}>{t(`settled.${ask.settlement.outcome}`)}</span>
        )}
        <time class="row-time" dateTime={ask.created_at}>
          {ago(ask.settlement?.at ?? ask.created_at, slowNow.value)}
        </time>
      </span>
      <span class={isCode ? "row-text is-code" : "row-text"} dir="auto">
        {isCode ? <Code text={headline(ask)} /> : headline(ask)}
      </span>
      <span class="row-foot hint">
        <span class="row-session" dir="auto">
          {ask.agent ? `${visible(ask.agent)} · ` : ""}
          {sessionPath(sessionOf(ask))}
        </span>
        {ask.questions.length > 1 && <span>{count("inbox.questions", ask.questions.length)}</span>}
        {!isPast && <Countdown ask={ask} isShort />}
      </span>
      {isPast && ask.settlement && <span class="row-decision">{decision(ask)}</span>}
    </a>
  );
}
