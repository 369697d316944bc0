// SPDX-License-Identifier: Apache-2.0
// How long an ask still waits, and what happens then.
import { duration, t } from "../i18n";
import { allInWords } from "../model/answers";
import { brokerNow, slowNow } from "../model/clock";
import type { Ask } from "../model/types";
import { visible } from "../model/visible";
import { Icon } from "./icons";

const SOON_MS = 60_000;
const HOUR_MS = 3_600_000;

export function Countdown({ ask, isShort }: { ask: Ask; isShort?: boolean }) {
  if (!ask.deadline) return null;
  const until = Date.parse(ask.deadline);
  // In words it need not tick.
  const left = until - (until - slowNow.value > HOUR_MS ? slowNow.value : brokerNow.value);
  const then =
    typeof ask.on_timeout === "object"
      ? t("card.deadline_default", { answer: visible(allInWords(ask, ask.on_timeout.default)) })
      : t("card.deadline_deny");
  return (
    <span class={`countdown ${left < SOON_MS ? "soon" : ""}`} role="timer">
      <Icon name="clock" />
      {left > 0 ? t("card.deadline", { time: duration(left) }) : t("card.overdue")}
      {!isShort && <span class="then"> {then}</span>}
    </span>
  );
}
