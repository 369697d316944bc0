// SPDX-License-Identifier: Apache-2.0
// What was written on another device while this one was being edited: the person says which counts.
import { t } from "../../i18n";
import { allInWords, isTouched } from "../../model/answers";
import { visible } from "../../model/visible";
import type { Work } from "../../model/work";
import { Icon } from "../icons";

export function Offer({ work }: { work: Work }) {
  const offer = work.offer.value;
  if (!offer?.answers || !isTouched(offer.answers)) return null;
  const { version, answers } = offer;
  return (
    <div class="progress offer" role="status">
      <Icon name="note" />
      <span class="offer-text">
        {t("draft.elsewhere")} <q dir="auto">{visible(allInWords(work.ask, answers))}</q>
      </span>
      <span class="buttons">
        <button type="button" onClick={() => work.dispatch({ kind: "take_offer", version })}>
          {t("draft.take")}
        </button>
        <button type="button" onClick={() => work.dispatch({ kind: "keep_mine", version })}>
          {t("draft.keep")}
        </button>
      </span>
    </div>
  );
}
