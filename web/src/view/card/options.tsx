// SPDX-License-Identifier: Apache-2.0
// The options of one question: arrows move, Space or Enter or a click chooses. Moving alone chooses
// nothing, because a choice may be sent.
import { useRef } from "preact/hooks";
import { t } from "../../i18n";
import { isRecommended, shownLabel } from "../../model/answers";
import type { Answer, Question } from "../../model/types";
import { visible } from "../../model/visible";
import { Icon } from "../icons";
import { Prose } from "../prose";

interface Props {
  question: Question;
  answer: Answer;
  labelledBy: string;
  isLocked: boolean;
  shown: number; // the option whose preview is shown
  onChoose(index: number): void;
  onShow(index: number): void;
}

export function Options({ question, answer, labelledBy, isLocked, shown, onChoose, onShow }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const role = question.multi_select ? "checkbox" : "radio";
  const chosen = question.options.findIndex((option) => answer.selected.includes(option.label));
  const reachable = Math.max(0, chosen);

  const move = (event: KeyboardEvent, index: number) => {
    const count = question.options.length;
    const steps: Record<string, number> = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: count - 1 };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const target = list.current!.children[Math.min(Math.max(to, 0), count - 1)] as HTMLElement;
    if (to >= count) (list.current!.parentElement!.querySelector(".other textarea") as HTMLElement | null)?.focus();
    else target.focus();
  };

  return (
    <div
      class="options"
      ref={list}
      role={question.multi_select ? "group" : "radiogroup"}
      aria-labelledby={labelledBy}
    >
      {question.options.map((option, index) => {
        const isOn = answer.selected.includes(option.label);
        return (
          <button
            key={option.label}
            type="button"
            role={role}
            class="option"
            aria-checked={isOn}
            aria-disabled={isLocked || undefined}
            tabIndex={question.multi_select || index === reachable ? 0 : -1}
            data-shown={shown === index || undefined}
            onClick={() => !isLocked && onChoose(index)}
            onKeyDown={(event) => move(event, index)}
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
            {index < 9 && (
              <kbd class="key" aria-hidden="true">
                {index + 1}
              </kbd>
            )}
          </button>
        );
      })}
    </div>
  );
}
