// SPDX-License-Identifier: Apache-2.0
// A choice: options with previews, free text.
import { useRef, useState } from "preact/hooks";
import { t } from "../../i18n";
import { choose, hasOther, shownLabel, write } from "../../model/answers";
import { isDrawn } from "../../model/drawn";
import type { Question } from "../../model/types";
import { visible } from "../../model/visible";
import { TextField } from "../fields";
import { Markdown } from "../markdown";
import { unpadded } from "../prose";
import type { EditorProps } from "./editors";
import { isField, useCardKeys } from "./keys";
import { hasDigits, Options } from "./options";

export function ChoiceEditor({ question, answer, isLocked, labelledBy, faultId, onChange, onPick, onEnter }: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const other = useRef<HTMLTextAreaElement>(null);
  const hasPreviews = question.options.some((option) => option.preview);
  const firstChosen = question.options.findIndex((option) => answer.selected.includes(option.label));
  const [shown, setShown] = useState(Math.max(0, firstChosen));
  const preview = question.options[shown]?.preview;

  const pick = (index: number) => {
    const option = question.options[index]!;
    setShown(index);
    if (option.opens_text) {
      onChange(choose(question, answer, option.label));
      other.current?.focus();
    } else {
      onPick(choose(question, answer, option.label));
    }
  };

  useCardKeys(place, (event, target) => {
    if (isField(target) || event.ctrlKey || event.metaKey || event.altKey || isLocked) return;
    const index = Number(event.key) - 1;
    if (!hasDigits(question) || !Number.isInteger(index) || index < 0 || index >= question.options.length) return;
    event.preventDefault();
    pick(index);
  });

  return (
    <div class={hasPreviews ? "with-preview" : ""} ref={place}>
      <div class="choices">
        {question.options.length > 0 && (
          <Options
            question={question}
            answer={answer}
            labelledBy={labelledBy}
            isLocked={isLocked}
            shown={hasPreviews ? shown : -1}
            onChoose={pick}
            onShow={setShown}
          />
        )}
        {question.custom && (
          <div class={`other ${answer.other ? "on" : ""}`}>
            <TextField
              input={other}
              value={answer.other ?? ""}
              label={question.options.length ? t("card.other_label") : t("card.free_text")}
              placeholder={
                question.options.length && !hasOther(question) ? t("card.other") : t("card.free_text")
              }
              isInvalid={faultId !== undefined}
              {...(faultId !== undefined && { describedBy: faultId })}
              onInput={(text) => onChange(write(question, answer, text))}
              onEnter={onEnter}
            />
          </div>
        )}
      </div>
      {preview && (
        <div
          class="preview"
          role="group"
          aria-label={t("card.preview_of", { label: shownLabel(question, question.options[shown]!.label) })}
          tabIndex={0}
        >
          {isDrawn(preview) ? <pre class="drawn">{visible(unpadded(preview))}</pre> : <Markdown text={preview} />}
        </div>
      )}
    </div>
  );
}

export function choicesWanted({ options, multi_select, min = 0, max }: Question): string {
  if (options.length === 0) return "";
  if (!multi_select) return t("card.one_choice");
  if (max !== undefined && min === max) return t("card.choose_exactly", { max });
  if (max !== undefined) return min > 0 ? t("card.choose_between", { min, max }) : t("card.choose_max", { max });
  return min > 0 ? t("card.choose_min", { min }) : t("card.many_choices");
}
