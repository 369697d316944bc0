// SPDX-License-Identifier: Apache-2.0
// Not now: hides the question from one's own inbox for a while.
import { useLayoutEffect, useRef } from "preact/hooks";
import { count, t } from "../../i18n";
import { snooze } from "../../model/submit";
import type { Ask } from "../../model/types";
import { showError } from "../../model/notices";

const CHOICES = [
  { seconds: 600, text: () => count("card.snooze_minutes", 10) },
  { seconds: 3600, text: () => count("card.snooze_hours", 1) },
  { seconds: 14_400, text: () => count("card.snooze_hours", 4) },
  { seconds: 57_600, text: () => count("card.snooze_hours", 16) },
];

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
              snooze(ask, seconds).catch(showError);
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
