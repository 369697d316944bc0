// SPDX-License-Identifier: Apache-2.0
// What was decided: by whom, where, when. Newest first.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { count, t } from "../i18n";
import { historyOutcome as outcome, historyWords as search } from "../model/filters";
import { fault, findPast, found, isBegun, isLoading, isWhole, loadMore, seenCount } from "../model/history";
import { address, route } from "../model/route";
import { lookUp } from "../model/state";
import type { Outcome } from "../model/types";
import { Blank } from "./blank";
import { Card } from "./card/card";
import { useFocusOnOpen } from "./focus";
import { Icon } from "./icons";
import { Row } from "./row";
import { Rows } from "./rows";
import { SearchField } from "./search";

const OUTCOMES: Outcome[] = ["answered", "dismissed", "timed_out", "withdrawn"];

export function History() {
  const wanted = route.value.view === "history" ? route.value.ask : undefined;
  const open = wanted ? findPast(wanted) : undefined;
  const place = useFocusOnOpen(wanted && address(route.value));
  useEffect(() => {
    if (!isBegun.value) void loadMore();
  }, []);
  const isMissing = useSignal(false);
  useEffect(() => {
    isMissing.value = false;
    if (wanted && !open) void lookUp(wanted).then((ask) => (isMissing.value = ask === null));
  }, [wanted]);
  return (
    <div class={`split ${wanted ? "shows-detail" : ""}`} ref={place}>
      <section class="list-pane" aria-label={t("history.list")}>
        <div class="list-head">
          <div class="list-title">
            <h2 class="title">{t("history.title")}</h2>
          </div>
          <SearchField value={search} label={t("history.search")} />
          <div class="filters">
            <select
              aria-label={t("history.filter")}
              value={outcome.value}
              onChange={(event) => (outcome.value = event.currentTarget.value as Outcome | "")}
            >
              <option value="">{t("history.all")}</option>
              {OUTCOMES.map((one) => (
                <option key={one} value={one}>
                  {t(`settled.${one}`)}
                </option>
              ))}
            </select>
          </div>
        </div>
        {found.value.length > 0 && (
          <Rows
            items={found.value}
            row={(ask) => <Row key={ask.id} ask={ask} isOpen={ask.id === wanted} isPast />}
            isOpen={(ask) => ask.id === wanted}
            open={wanted}
            onEnd={() => void loadMore()}
          />
        )}
        <HowFar />
      </section>
      <section class="detail-pane" aria-label={t("history.title")}>
        {wanted && (
          <a class="back" href="#/history" data-back>
            <Icon name="back" flips /> {t("card.back")}
          </a>
        )}
        {open && <Card key={open.id} ask={open} />}
        {!open && isMissing.value && (
          <Blank icon="search" title={t("card.gone")}>
            <a class="button" href="#/history">
              {t("history.to_list")}
            </a>
          </Blank>
        )}
        {!wanted && found.value.length > 0 && <p class="blank hint">{t("inbox.choose")}</p>}
      </section>
    </div>
  );
}

// How much was looked at: "nothing" is said only when all of it was.
function HowFar() {
  const words = () => {
    if (fault.value) return t("history.not_loaded");
    if (isLoading.value) return count("history.looking", seenCount.value);
    if (found.value.length > 0 || !isWhole.value) return "";
    return t(seenCount.value > 0 ? "inbox.none_found" : "history.empty");
  };
  return (
    <p class="list-empty hint" role="status">
      {words()}{" "}
      {fault.value && (
        <button type="button" class="small" onClick={() => void loadMore()}>
          {t("send.retry")}
        </button>
      )}
    </p>
  );
}
