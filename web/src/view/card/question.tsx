// SPDX-License-Identifier: Apache-2.0
// One question of an ask: its text, options with previews, free text, a note.
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../../i18n";
import { choose, hasOther, remark, shownLabel, write } from "../../model/answers";
import { isDrawn } from "../../model/drawn";
import type { Answer, Question } from "../../model/types";
import { visible } from "../../model/visible";
import { TextField } from "../fields";
import { Icon } from "../icons";
import { Markdown } from "../markdown";
import { Prose, unpadded } from "../prose";
import { isField, useCardKeys } from "./keys";
import { hasDigits, Options } from "./options";

interface Props {
  question: Question;
  answer: Answer;
  isLocked: boolean;
  fault?: string | undefined;
  onChange(answer: Answer): void;
  // A choice that may be the whole answer.
  onPick(answer: Answer): void;
  onEnter(): void;
}

export function QuestionView({ question, answer, isLocked, fault, onChange, onPick, onEnter }: Props) {
  const id = useId();
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
    <div class="question" ref={place}>
      <h2 id={`${id}q`} class={`question-text ${isLong(question.question) ? "is-long" : ""}`} dir="auto">
        <Prose text={question.question} />
      </h2>
      {question.options.length > 0 && (
        <p class="hint">{choicesWanted(question)}</p>
      )}
      {question.required === false && <p class="hint">{t("card.optional")}</p>}
      <div class={hasPreviews ? "with-preview" : ""}>
        <div class="choices">
          {question.options.length > 0 && (
            <Options
              question={question}
              answer={answer}
              labelledBy={`${id}q`}
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
                isInvalid={fault !== undefined}
                {...(fault !== undefined && { describedBy: `${id}f` })}
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
      {fault && (
        <p class="fault" id={`${id}f`} role="alert">
          <Icon name="warn" /> {fault}
        </p>
      )}
      <Note answer={answer} onChange={onChange} onEnter={onEnter} />
    </div>
  );
}

function choicesWanted({ multi_select, min = 0, max }: Question): string {
  if (!multi_select) return t("card.one_choice");
  if (max !== undefined && min === max) return t("card.choose_exactly", { max });
  if (max !== undefined) return min > 0 ? t("card.choose_between", { min, max }) : t("card.choose_max", { max });
  return min > 0 ? t("card.choose_min", { min }) : t("card.many_choices");
}

// A heading of many lines is none: it is read as text.
const HEADING_MAX = 160;
export const isLong = (text: string): boolean => text.length > HEADING_MAX || text.trim().split("\n").length > 3;

function Note({ answer, onChange, onEnter }: Pick<Props, "answer" | "onChange" | "onEnter">) {
  const [isOpen, setOpen] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const isShown = isOpen || (answer.note ?? "") !== "";
  useLayoutEffect(() => {
    if (isOpen) field.current?.focus();
  }, [isOpen]);
  if (!isShown) {
    return (
      <button type="button" class="small" onClick={() => setOpen(true)}>
        <Icon name="note" /> {t("card.add_note")}
      </button>
    );
  }
  return (
    <div class="note">
      <TextField
        input={field}
        value={answer.note ?? ""}
        label={t("card.note")}
        placeholder={t("card.note")}
        onInput={(text) => onChange(remark(answer, text))}
        onEnter={onEnter}
      />
    </div>
  );
}
