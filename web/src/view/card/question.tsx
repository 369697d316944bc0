// SPDX-License-Identifier: Apache-2.0
// One question of an ask: its text, the editor of its kind, a note.
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../../i18n";
import { remark } from "../../model/answers";
import { TextField } from "../fields";
import { Icon } from "../icons";
import { Prose } from "../prose";
import { editorOf, type EditorProps } from "./editors";

type Props = Omit<EditorProps, "labelledBy" | "faultId"> & { fault?: string | undefined };

export function QuestionView({ fault, ...props }: Props) {
  const id = useId();
  const { question } = props;
  const { Editor, wanted } = editorOf(question);
  const hints = [wanted(question), question.required === false ? t("card.optional") : ""].filter(Boolean);
  return (
    <div class="question">
      <h2 id={`${id}q`} class={`question-text ${isLong(question.question) ? "is-long" : ""}`} dir="auto">
        <Prose text={question.question} />
      </h2>
      {hints.map((hint) => (
        <p class="hint" key={hint}>
          {hint}
        </p>
      ))}
      <Editor {...props} labelledBy={`${id}q`} faultId={fault === undefined ? undefined : `${id}f`} />
      {fault && (
        <p class="fault" id={`${id}f`} role="alert">
          <Icon name="warn" /> {fault}
        </p>
      )}
      <Note {...props} />
    </div>
  );
}

// A heading of many lines is none: it is read as text.
const HEADING_MAX = 160;
export const isLong = (text: string): boolean => text.length > HEADING_MAX || text.trim().split("\n").length > 3;

function Note({ answer, onChange, onEnter }: Pick<EditorProps, "answer" | "onChange" | "onEnter">) {
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
