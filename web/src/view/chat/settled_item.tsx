// SPDX-License-Identifier: Apache-2.0
// A question of the past in the conversation: what was decided in a few lines, all of it on demand.
import { t } from "../../i18n";
import { inWords, isAnswered } from "../../model/answers";
import type { Ask } from "../../model/types";
import { visible } from "../../model/visible";
import { settledPhrase, SettledView } from "../card/settled";

export const SettledItem = ({ ask }: { ask: Ask }) => (
  <details class={`settled-item ${ask.settlement!.outcome}`}>
    <summary>
      <span class="settled-lines">
        {ask.questions.map((question, index) => {
          const answer = ask.settlement!.answers?.[index];
          return (
            <span key={index} dir="auto">
              <span class="hint">{visible(question.header || question.question)}:</span>{" "}
              <strong>
                {answer && isAnswered(answer) ? visible(inWords(question, answer)) : t(`settled.${ask.settlement!.outcome}`)}
              </strong>
            </span>
          );
        })}
      </span>
      <span class="hint">{settledPhrase(ask.settlement!)}</span>
    </summary>
    <SettledView ask={ask} />
  </details>
);
