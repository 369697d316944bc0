// SPDX-License-Identifier: Apache-2.0
// The options of one question: arrows move, Space or Enter or a click chooses. Moving alone chooses
// nothing, because a choice may be sent. Many of them can be searched; what is chosen stays in sight.
import { useRef, useState } from "preact/hooks";
import { t } from "../../i18n";
import { isRecommended, shownLabel } from "../../model/answers";
import type { Answer, Option, Question } from "../../model/types";
import { visible } from "../../model/visible";
import { Icon } from "../icons";
import { Prose } from "../prose";

const DIGITS = 9;

// Each option has a digit, or none has: "1" could be the beginning of "12".
export const hasDigits = (question: Question): boolean => question.options.length <= DIGITS;

interface Props {
  question: Question;
  answer: Answer;
  labelledBy: string;
  isLocked: boolean;
  shown: number; // the option whose preview is shown
  onChoose(index: number): void;
  onShow(index: number): void;
}

// Every word, in any order, somewhere in label or description.
function isFound(option: Option, words: string): boolean {
  const text = `${option.label} ${option.description ?? ""}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

export function Options(props: Props) {
  const { question, answer, labelledBy } = props;
  const list = useRef<HTMLDivElement>(null);
  const [words, setWords] = useState("");
  const all = question.options.map((option, index) => ({ option, index }));
  const listed = all.filter(({ option }) => isFound(option, words) || answer.selected.includes(option.label));
  const chosen = listed.findIndex(({ option }) => answer.selected.includes(option.label));

  const moveTo = (at: number): void => {
    const target = list.current?.children[Math.min(Math.max(at, 0), listed.length - 1)];
    if (at >= listed.length) list.current?.parentElement?.querySelector<HTMLElement>(".other textarea")?.focus();
    else if (target instanceof HTMLElement) target.focus();
  };
  const move = (event: KeyboardEvent, at: number) => {
    const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: listed.length - 1 };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    moveTo(to);
  };

  return (
    <>
      {!hasDigits(question) && (
        <label class="search option-filter">
          <Icon name="search" />
          <span class="unseen">{t("card.filter")}</span>
          <input
            type="search"
            value={words}
            placeholder={t("card.filter")}
            onInput={(event) => setWords(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" && event.key !== "ArrowDown") return;
              event.preventDefault(); // looks for, and chooses nothing
              if (!event.ctrlKey && !event.metaKey) moveTo(0);
            }}
          />
          <span class="hint" role="status">
            {t("card.filter_count", { n: listed.length, total: all.length })}
          </span>
        </label>
      )}
      <div
        class="options"
        ref={list}
        role={question.multi_select ? "group" : "radiogroup"}
        aria-labelledby={labelledBy}
      >
        {listed.map(({ index }, at) => (
          <OptionButton
            key={index}
            {...props}
            index={index}
            isReachable={question.multi_select || at === Math.max(0, chosen)}
            onKeyDown={(event) => move(event, at)}
          />
        ))}
      </div>
    </>
  );
}

interface ButtonProps extends Props {
  index: number;
  isReachable: boolean;
  onKeyDown(event: KeyboardEvent): void;
}

function OptionButton({ question, answer, isLocked, shown, index, isReachable, onChoose, onShow, onKeyDown }: ButtonProps) {
  const option = question.options[index]!;
  const isOn = answer.selected.includes(option.label);
  const role = question.multi_select ? "checkbox" : "radio";
  return (
    <button
      type="button"
      role={role}
      class="option"
      aria-checked={isOn}
      aria-disabled={isLocked || undefined}
      tabIndex={isReachable ? 0 : -1}
      data-shown={shown === index || undefined}
      onClick={() => !isLocked && onChoose(index)}
      onKeyDown={onKeyDown}
      onFocus={() => onShow(index)}
      onPointerEnter={() => onShow(index)}
    >
      <span class={`mark ${role}`}>{isOn && <Icon name="check" />}</span>
      <span class="words">
        <span class="label" dir="auto">
          {visible(shownLabel(question, option.label))}
        </span>
        {isRecommended(question, index) && <span class="badge good">{t("card.recommended")}</span>}
        {option.description && (
          <span class="description" dir="auto">
            <Prose text={option.description} />
          </span>
        )}
      </span>
      {hasDigits(question) && (
        <kbd class="key" aria-hidden="true">
          {index + 1}
        </kbd>
      )}
    </button>
  );
}
