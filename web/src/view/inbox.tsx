// SPDX-License-Identifier: Apache-2.0
// What waits over all sessions, and the question that is open.
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { count, t } from "../i18n";
import { listed, nextAfter, takesKeys } from "../model/desk";
import { inboxSession as session, inboxWords as search, showsSnoozed } from "../model/filters";
import { shorten } from "../model/headline";
import { isWide, kept, openAsk } from "../model/reading";
import { address, go, route } from "../model/route";
import { sort, type Sort } from "../model/settings";
import { connection, isLoaded, lookUp, pending, waiting, waitingCount } from "../model/state";
import { sessionOf, type Ask } from "../model/types";
import { Blank, Command, Loading } from "./blank";
import { Card, sessionTitle } from "./card/card";
import { TakesKeys } from "./card/keys";
import { focusCard, useFocusOnOpen } from "./focus";
import { Icon } from "./icons";
import { Row } from "./row";
import { Rows } from "./rows";
import { SearchField } from "./search";

export function Inbox() {
  const wanted = route.value.view === "inbox" ? route.value.ask : undefined;
  const place = useFocusOnOpen(wanted && address(route.value));
  const isMissing = useSignal(false);
  const open = openAsk.value;
  // From the first picture on.
  useLayoutEffect(() => {
    if (!wanted && open) kept.value = open.id;
    if (wanted) kept.value = "";
  }, [wanted, open?.id]);
  useEffect(() => {
    isMissing.value = false;
    if (wanted && isLoaded.value && !open) void lookUp(wanted).then((ask) => (isMissing.value = ask === null));
  }, [wanted, isLoaded.value]);
  return (
    <div class={`split ${wanted ? "shows-detail" : ""}`} ref={place}>
      <section class="list-pane" aria-label={t("inbox.list")}>
        <ListHead />
        <List open={open?.id} />
      </section>
      <section class="detail-pane" aria-label={t("inbox.title")}>
        {wanted && (
          <a class="back" href="#/" data-back>
            <Icon name="back" flips /> {t("card.back")}
          </a>
        )}
        {open ? (
          <TakesKeys.Provider value={takesKeys(open)}>
            <Card key={open.id} ask={open} after={<After ask={open} />} />
          </TakesKeys.Provider>
        ) : (
          (wanted || isWide.value) && <NothingOpen isMissing={isMissing.value} />
        )}
      </section>
    </div>
  );
}

const TITLE_MAX = 48;

function openAndFocus(ask: Ask): void {
  go({ view: "inbox", ask: ask.id });
  if (isWide.value) focusCard(ask.id);
}

function openFirst(): void {
  const [first] = listed.value;
  if (first) openAndFocus(first);
}

function ListHead() {
  const sessionIds = [...new Set([...pending.value.values()].map(sessionOf))];
  const snoozed = pending.value.size - waiting.value.length;
  const hasSome = pending.value.size > 0 || search.value !== "" || session.value !== "";
  return (
    <div class="list-head">
      <div class="list-title">
        <h2 class="title">{t("inbox.title")}</h2>
        <span class="hint">
          {showsSnoozed.value
            ? count("inbox.snoozed", snoozed)
            : waitingCount.value > 0 && count("inbox.count", waitingCount.value)}
        </span>
      </div>
      {hasSome && <SearchField value={search} label={t("inbox.search")} onEnter={openFirst} />}
      <div class="filters" hidden={!hasSome}>
        <select aria-label={t("inbox.sort")} value={sort.value} onChange={(event) => (sort.value = event.currentTarget.value as Sort)}>
          <option value="oldest">{t("inbox.sort_oldest")}</option>
          <option value="newest">{t("inbox.sort_newest")}</option>
          <option value="urgent">{t("inbox.sort_urgent")}</option>
        </select>
        {(sessionIds.length > 1 || session.value) && (
          <select
            aria-label={t("inbox.session_filter")}
            value={session.value}
            onChange={(event) => (session.value = event.currentTarget.value)}
          >
            <option value="">{t("inbox.all_sessions")}</option>
            {sessionIds.map((id) => (
              <option key={id} value={id}>
                {shorten(sessionTitle(id), TITLE_MAX)}
              </option>
            ))}
          </select>
        )}
        {(snoozed > 0 || showsSnoozed.value) && (
          <button
            type="button"
            class="small"
            aria-pressed={showsSnoozed.value}
            onClick={() => (showsSnoozed.value = !showsSnoozed.value)}
          >
            <Icon name="snooze" /> {count("inbox.snoozed", snoozed)}
          </button>
        )}
      </div>
    </div>
  );
}

function List({ open }: { open: string | undefined }) {
  const list = listed.value;
  if (list.length > 0) {
    const row = (ask: Ask) => <Row key={ask.id} ask={ask} isOpen={ask.id === open} />;
    return <Rows items={list} row={row} isOpen={(ask) => ask.id === open} open={open} />;
  }
  if (!isLoaded.value) return isWide.value && connection.value.state === "lost" ? null : <Loading />;
  if (search.value || session.value || showsSnoozed.value) return <p class="list-empty hint">{t("inbox.none_found")}</p>;
  // Where there is room, it stands beside the list.
  return isWide.value ? null : <Empty />;
}

const Empty = () => (
  <Blank icon="check" title={t("inbox.empty")}>
    <p class="hint">{t("inbox.empty_hint")}</p>
    <p class="hint">{t("inbox.try")}</p>
    <Command text={'parley ask "Does it work?" -o Yes -o No'} />
  </Blank>
);

function NothingOpen({ isMissing }: { isMissing: boolean }) {
  if (isMissing) {
    return (
      <Blank icon="search" title={t("card.gone")}>
        <a class="button" href="#/">
          {t("card.to_inbox")}
        </a>
      </Blank>
    );
  }
  if (!isLoaded.value) return <Loading />;
  return pending.value.size > 0 ? <p class="blank hint">{t("inbox.choose")}</p> : <Empty />;
}

function After({ ask }: { ask: Ask }) {
  const next = nextAfter(ask.id);
  return (
    <>
      {next ? (
        <button type="button" class="primary" onClick={() => openAndFocus(next)}>
          {count("card.next_ask", listed.value.length)} <Icon name="next" flips />
        </button>
      ) : (
        <a class="button" href="#/">
          {t("card.to_inbox")}
        </a>
      )}
      <a class="button" href={`#/session/${encodeURIComponent(sessionOf(ask))}`}>
        {t("card.open_session")}
      </a>
    </>
  );
}
