// SPDX-License-Identifier: Apache-2.0
// The questions of an ask as tabs: which are answered, where one is, free movement.
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../i18n";
import { isAnswered, isReady } from "../../model/answers";
import type { Answer, Ask } from "../../model/types";
import { visible } from "../../model/visible";
import { Icon } from "../icons";

interface Props {
  ask: Ask;
  answers: Answer[];
  step: number;
  onGo(step: number): void;
}

export function Steps({ ask, answers, step, onGo }: Props) {
  const count = ask.questions.length;
  const list = useRef<HTMLOListElement>(null);
  // In one row that scrolls where there is no room for all; where one is stays in sight.
  useLayoutEffect(() => {
    const here = list.current?.children[step] as HTMLElement | undefined;
    if (list.current && here) list.current.scrollLeft = here.offsetLeft - list.current.clientWidth / 3;
  }, [step]);
  return (
    <div class="steps" role="group" aria-label={t("card.steps")}>
      <ol ref={list}>
        {ask.questions.map((question, index) => (
          <li key={index}>
            <button
              type="button"
              class="step"
              aria-current={index === step ? "step" : undefined}
              onClick={() => onGo(index)}
            >
              <span class="step-mark">{isAnswered(answers[index]) && isReady(question, answers[index]) ? <Icon name="check" /> : index + 1}</span>
              <span dir="auto">{visible(question.header || String(index + 1))}</span>
              {!isReady(question, answers[index]) && <span class="unseen"> ({t("card.missing")})</span>}
            </button>
          </li>
        ))}
        <li>
          <button
            type="button"
            class="step"
            aria-current={step === count ? "step" : undefined}
            onClick={() => onGo(count)}
          >
            {t("card.review")}
          </button>
        </li>
      </ol>
      {step < count && <p class="hint">{t("card.step_of", { n: step + 1, total: count })}</p>}
    </div>
  );
}
