// SPDX-License-Identifier: Apache-2.0
// All answers of an ask before they are sent; what is missing is marked and one click away.
import { t } from "../../i18n";
import { inWords, isAnswered, isReady } from "../../model/answers";
import type { Answer, Ask } from "../../model/types";
import { visible } from "../../model/visible";
import { Icon } from "../icons";
import { Prose } from "../prose";

interface Props {
  ask: Ask;
  answers: Answer[];
  onGo(step: number): void;
}

export const Review = ({ ask, answers, onGo }: Props) => (
  <div class="review">
    <h2 class="question-text">{t("card.review_title")}</h2>
    <ol>
      {ask.questions.map((question, index) => {
        const answer = answers[index]!;
        const isDone = isReady(question, answer);
        return (
          <li key={index} class={isDone ? "" : "missing"}>
            <div class="review-words">
              <span class="hint" dir="auto">
                <Prose text={question.question} />
              </span>
              <strong dir="auto">
                {!isDone && <Icon name="warn" />} {isAnswered(answer) && visible(inWords(question, answer))}
                {!isAnswered(answer) && t(isDone ? "card.left_empty" : "card.missing")}
              </strong>
              {answer.note && (
                <span class="hint" dir="auto">
                  {t("settled.note")}: {visible(answer.note)}
                </span>
              )}
            </div>
            <button type="button" class="small" onClick={() => onGo(index)}>
              {t("card.change")}
              <span class="unseen"> {question.header}</span>
            </button>
          </li>
        );
      })}
    </ol>
  </div>
);
