// SPDX-License-Identifier: Apache-2.0
// What was decided: by whom, where, when. Newest first.
import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../i18n";
import { get } from "../model/api";
import { showError } from "../model/notices";
import { address, route } from "../model/route";
import { lookUp, settled } from "../model/state";
import type { Ask, Outcome } from "../model/types";
import { Card } from "./card/card";
import { useFocusOnOpen } from "./focus";
import { Icon } from "./icons";
import { matches } from "./inbox";
import { Row } from "./row";
import { Rows } from "./rows";
import { SearchField } from "./search";

const PAGE = 100;
const OUTCOMES: Outcome[] = ["answered", "dismissed", "timed_out", "withdrawn"];

const search = signal("");
const outcome = signal<Outcome | "">("");
const older = signal<ReadonlyMap<string, Ask>>(new Map());
const next = signal<string | null | undefined>(undefined); // null: there is no more
let isLoading = false;

async function load(): Promise<void> {
  if (isLoading || next.value === null) return;
  isLoading = true;
  try {
    const after = next.value ? `&after=${next.value}` : "";
    const page = await get<{ asks: Ask[]; next: string | null }>(`/v1/asks?order=newest&limit=${PAGE}${after}`);
    const map = new Map(older.value);
    for (const ask of page.asks) if (ask.settlement) map.set(ask.id, ask);
    older.value = map;
    next.value = page.next;
  } catch (error) {
    showError(error);
  }
  isLoading = false;
}

const past = computed(() => {
  const all = new Map([...older.value, ...settled.value]);
  return [...all.values()].sort((a, b) => (a.settlement!.at < b.settlement!.at ? 1 : -1));
});

const listed = computed(() =>
  past.value
    .filter((ask) => !outcome.value || ask.settlement!.outcome === outcome.value)
    .filter((ask) => matches(ask, search.value)),
);

export function History() {
  const wanted = route.value.view === "history" ? route.value.ask : undefined;
  const open = wanted ? (settled.value.get(wanted) ?? older.value.get(wanted)) : undefined;
  const place = useFocusOnOpen(wanted && address(route.value));
  useEffect(() => {
    if (next.value === undefined) void load();
  }, []);
  useEffect(() => {
    if (wanted && !open) void lookUp(wanted);
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
        {listed.value.length === 0 ? (
          <p class="list-empty hint">{t(past.value.length > 0 ? "inbox.none_found" : "history.empty")}</p>
        ) : (
          <Rows
            items={listed.value}
            row={(ask) => <Row key={ask.id} ask={ask} isOpen={ask.id === wanted} isPast />}
            isOpen={(ask) => ask.id === wanted}
            open={wanted}
            onEnd={() => void load()}
          />
        )}
      </section>
      <section class="detail-pane" aria-label={t("history.title")}>
        {wanted && (
          <a class="back" href="#/history" data-back>
            <Icon name="back" flips /> {t("card.back")}
          </a>
        )}
        {open ? <Card key={open.id} ask={open} /> : <p class="blank hint">{t("inbox.choose")}</p>}
      </section>
    </div>
  );
}
