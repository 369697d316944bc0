// SPDX-License-Identifier: Apache-2.0
// Not now: hides the question from one's own inbox for a while.
import { useLayoutEffect, useRef } from "preact/hooks";
import { count, moment, t } from "../../i18n";
import { nextAfter } from "../../model/desk";
import { snooze } from "../../model/submit";
import type { Ask } from "../../model/types";
import { show, showError } from "../../model/notices";
import { isWide } from "../../model/reading";
import { go, route } from "../../model/route";
import { focusCard } from "../focus";

const CHOICES = [
  { seconds: 600, text: () => count("card.snooze_minutes", 10) },
  { seconds: 3600, text: () => count("card.snooze_hours", 1) },
  { seconds: 14_400, text: () => count("card.snooze_hours", 4) },
  { seconds: 57_600, text: () => count("card.snooze_hours", 16) },
];

// Goes on to the next one, unless the person has gone elsewhere meanwhile.
function putOff(ask: Ask, seconds: number): void {
  const next = nextAfter(ask.id);
  const here = route.value;
  snooze(ask, seconds).then((snoozed) => {
    if (snoozed.snoozed_until) show(t("card.snoozed_until", { until: moment("until", snoozed.snoozed_until) }));
    if (route.value !== here || here.view !== "inbox") return;
    go({ view: "inbox", ...(next && { ask: next.id }) });
    if (next && isWide.value) focusCard(next.id);
  }, showError);
}

export function SnoozePanel({ ask, onDone }: { ask: Ask; onDone(): void }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    place.current?.querySelector("button")?.focus();
    place.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <div
      class="confirm"
      ref={place}
      role="group"
      aria-label={t("card.snooze")}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onDone();
      }}
    >
      <p>{t("card.snooze_for")}</p>
      <div class="buttons">
        {CHOICES.map(({ seconds, text }) => (
          <button
            key={seconds}
            type="button"
            onClick={() => {
              putOff(ask, seconds);
              onDone();
            }}
          >
            {text()}
          </button>
        ))}
        <button type="button" class="quiet" onClick={onDone}>
          {t("card.dismiss_no")}
        </button>
      </div>
    </div>
  );
}
