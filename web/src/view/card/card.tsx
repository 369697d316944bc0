// SPDX-License-Identifier: Apache-2.0
// One ask, whatever its state: to be answered, on its way, or ended.
import { useComputed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ago, moment, t } from "../../i18n";
import { slowNow } from "../../model/clock";
import { headline, isPermission, shorten } from "../../model/headline";
import { isSnoozed, sessions } from "../../model/state";
import { sessionOf, type Ask } from "../../model/types";
import { visible } from "../../model/visible";
import { workOn } from "../../model/work";
import { address } from "../../model/route";
import { Boundary } from "../boundary";
import { Countdown } from "../countdown";
import { canCopy, copy } from "../copy";
import { useOpenCard } from "../focus";
import { Icon } from "../icons";
import { Context } from "./context";
import { Form } from "./form";
import { PermissionView } from "./permission";
import { RawCard } from "./raw";
import { SettledView } from "./settled";

export const sessionTitle = (id: string): string => {
  const session = sessions.value.get(id);
  return visible(session?.title ?? session?.name ?? session?.agent ?? id.slice(0, 12));
};

// With the session that it is a part of.
export const sessionPath = (id: string): string => {
  const parent = sessions.value.get(id)?.parent;
  return parent ? t("sessions.path", { parent: sessionTitle(parent), child: sessionTitle(id) }) : sessionTitle(id);
};

const linkTo = (ask: Ask): string => `${location.origin}/${address({ view: "inbox", ask: ask.id })}`;

const TITLE_MAX = 60;

function Head({ ask, isInChat }: { ask: Ask; isInChat: boolean }) {
  const title = useComputed(() => shorten(sessionPath(sessionOf(ask)), TITLE_MAX));
  const header = ask.questions.length === 1 ? ask.questions[0]?.header : undefined;
  return (
    <header class="card-head">
      <div class="chips">
        {header && (
          <span class="chip" dir="auto">
            {visible(header)}
          </span>
        )}
        {ask.urgency === "high" && <span class="badge bad">{t("card.urgent")}</span>}
        {ask.urgency === "low" && <span class="badge">{t("card.low")}</span>}
        {!ask.settlement && isSnoozed(ask) && (
          <span class="badge">{t("card.snoozed_until", { until: moment("until", ask.snoozed_until!) })}</span>
        )}
        {!ask.settlement && ask.asker_revoked && (
          <span class="badge" title={t("card.revoked_means")}>{t("card.revoked")}</span>
        )}
      </div>
      {canCopy() && (
        <button type="button" class="quiet copy-link" onClick={(event) => void copy(linkTo(ask), event.currentTarget)}>
          <Icon name="link" /> <span class="copy-words">{t("copy.link")}</span>
        </button>
      )}
      <p class="from">
        <span class="from-agent" dir="auto">{ask.agent ? t("card.asked_by", { agent: visible(ask.agent) }) : t("card.asked")}</span>
        {!isInChat && (
          <span class="from-session">
            <a href={address({ view: "sessions", session: sessionOf(ask) })} title={title.value} dir="auto">
              {title}
            </a>
          </span>
        )}
        <time dateTime={ask.created_at} title={new Date(ask.created_at).toLocaleString()}>
          {ago(ask.created_at, slowNow.value)}
        </time>
      </p>
      {!ask.settlement && <Countdown ask={ask} />}
    </header>
  );
}

interface Props {
  ask: Ask;
  isInChat?: boolean;
  // What to offer once it has ended.
  after?: preact.ComponentChildren;
}

export function Card({ ask, isInChat = false, after }: Props) {
  const place = useRef<HTMLElement>(null);
  const isSettled = ask.settlement !== undefined;
  const wasHere = useRef(isSettled);
  const next = useRef<HTMLElement>(null);
  useOpenCard(ask.id, place, !isInChat);
  // The focus was on what is gone now: it goes to what comes next, never to nowhere.
  useEffect(() => {
    if (isSettled && !wasHere.current && !isInChat) {
      const lost = document.activeElement === document.body || place.current?.contains(document.activeElement);
      if (lost) next.current?.querySelector<HTMLElement>("button, a")?.focus();
    }
    wasHere.current = isSettled;
  }, [isSettled]);
  return (
    <article class={`card ${isSettled ? "is-settled" : ""}`} ref={place} tabIndex={-1} aria-label={headline(ask)}>
      <Boundary of={ask} fallback={() => <RawCard ask={ask} />}>
        <Head ask={ask} isInChat={isInChat} />
        {ask.permission && <PermissionView permission={ask.permission} />}
        {ask.context && <Context text={ask.context} isWhole={isPermission(ask)} />}
        {isSettled ? <SettledView ask={ask} /> : <Form key={ask.id} ask={ask} work={workOn(ask)} />}
      </Boundary>
      {isSettled && after && <footer class="after" ref={next}>{after}</footer>}
    </article>
  );
}
