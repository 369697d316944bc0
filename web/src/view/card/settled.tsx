// SPDX-License-Identifier: Apache-2.0
// An ask that has ended: how, by whom, where and when, with the choice highlighted.
import { clockTime, moment, t, type Key } from "../../i18n";
import { en } from "../../i18n/en";
import { allInWords, inWords, isAnswered, shownLabel } from "../../model/answers";
import { shorten } from "../../model/headline";
import { isMe, nameOf } from "../../model/people";
import { wentOn } from "../../model/state";
import type { Answer, Ask, Question, Settlement } from "../../model/types";
import { visible } from "../../model/visible";
import { findWork, typedInto } from "../../model/work";
import { Icon, type IconName } from "../icons";
import { Prose } from "../prose";
import { isLong } from "./question";

export function doorPhrase(door: string): string {
  const key = `door.${door}`;
  return key in en ? t(key as Key) : t("door.other", { door: visible(door) });
}

export function deciderName(settlement: Settlement): string {
  const { kind, name } = settlement.decider;
  if (kind === "agent") return name ? visible(name) : t("settled.agent");
  if (kind === "rule") return name ? visible(name) : t("settled.rule");
  if (kind === "timer") return t("settled.timer");
  return isMe(settlement.decider) ? t("settled.you") : nameOf(settlement.decider);
}

export function settledPhrase(settlement: Settlement): string {
  const values = {
    who: deciderName(settlement),
    door: doorPhrase(settlement.door),
    when: moment("at", settlement.at),
  };
  switch (settlement.outcome) {
    case "answered":
      return t(settlement.decider.kind === "timer" ? "settled.answered_timer" : "settled.answered_by", values);
    case "dismissed":
      return t("settled.dismissed_by", values);
    case "timed_out":
      return t("settled.timed_out_at", values);
    case "withdrawn":
      return t("settled.withdrawn_by", values);
  }
}

const ANSWER_MAX = 120;

// In a list: what was answered comes first, then where and when.
export function decision(ask: Ask): string {
  const settlement = ask.settlement!;
  const words = allInWords(ask, settlement.answers ?? []).replace(/\s+/g, " ");
  if (settlement.outcome !== "answered" || settlement.decider.kind !== "person" || !words) return settledPhrase(settlement);
  const answer = visible(shorten(words, ANSWER_MAX));
  const isMine = isMe(settlement.decider);
  const chosen = isMine ? t("settled.you_chose", { answer }) : t("settled.chose", { who: nameOf(settlement.decider), answer });
  return `${chosen} · ${doorPhrase(settlement.door).trim()}, ${clockTime(settlement.at)}`;
}

const ICONS: Record<string, IconName> = {
  answered: "check",
  dismissed: "close",
  timed_out: "clock",
  withdrawn: "undo",
};

export function SettledView({ ask }: { ask: Ask }) {
  const settlement = ask.settlement!;
  return (
    <div class="settled">
      <p class={`outcome ${settlement.outcome}`} role="status">
        <Icon name={ICONS[settlement.outcome] ?? "check"} />
        <span>
          {settledPhrase(settlement)}
          <Delivery id={ask.id} />
        </span>
      </p>
      {settlement.note && (
        <p class="reason" dir="auto">
          {t("settled.reason")}: {visible(settlement.note)}
        </p>
      )}
      {ask.questions.map((question, index) => (
        <SettledQuestion key={index} question={question} answer={settlement.answers?.[index]} />
      ))}
      <Unused ask={ask} />
    </div>
  );
}

// Whether the agent has the answer, as far as is seen from here: nothing is said of older ones.
function Delivery({ id }: { id: string }) {
  const phase = findWork(id)?.phase.value.kind;
  if (wentOn.value.has(id)) return <span class="went-on"> · {t("send.went_on")}</span>;
  return phase === "recorded" ? <span class="went-on"> · {t("send.told")}</span> : null;
}

function SettledQuestion({ question, answer }: { question: Question; answer: Answer | undefined }) {
  return (
    <section class="settled-question">
      <h2 class={`question-text ${isLong(question.question) ? "is-long" : ""}`} dir="auto">
        <Prose text={question.question} />
      </h2>
      <ul>
        {question.options.map((option) => {
          const isChosen = answer?.selected.includes(option.label) ?? false;
          return (
            <li key={option.label} class={isChosen ? "chosen" : ""}>
              <span class="mark">{isChosen && <Icon name="check" />}</span>
              <span dir="auto">{visible(shownLabel(question, option.label))}</span>
              {isChosen && <span class="unseen"> ✓</span>}
            </li>
          );
        })}
        {answer?.other && (
          <li class="chosen">
            <span class="mark">
              <Icon name="check" />
            </span>
            <span class="said" dir="auto">
              {visible(answer.other)}
            </span>
          </li>
        )}
      </ul>
      {answer && !isAnswered(answer) && <p class="hint">{t("settled.unanswered")}</p>}
      {answer?.note && (
        <p class="reason" dir="auto">
          {t("settled.note")}: {visible(answer.note)}
        </p>
      )}
    </section>
  );
}

// What was typed here when somebody else was first: it is not used, and not thrown away either.
function Unused({ ask }: { ask: Ask }) {
  // Read anew when the work on it changes: what was used is forgotten.
  void findWork(ask.id)?.state.value;
  const typed = typedInto(ask).map((answer, index) => inWords(ask.questions[index], answer)).filter(Boolean);
  if (typed.length === 0) return null;
  return (
    <aside class="unused">
      <p>{t("settled.yours")}</p>
      {typed.map((text, index) => (
        <blockquote key={index} dir="auto">
          {visible(text)}
        </blockquote>
      ))}
    </aside>
  );
}
