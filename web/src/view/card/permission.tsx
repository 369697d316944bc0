// SPDX-License-Identifier: Apache-2.0
// What is permitted, where it is decided: the command, the change, the plan or every field of the
// input, whole and wrapped, never folded.
import { useId } from "preact/hooks";
import { t } from "../../i18n";
import { fieldsOf, namesTool, type Field } from "../../model/headline";
import { saidElsewhere } from "../../model/said_elsewhere";
import type { Permission } from "../../model/types";
import { visible } from "../../model/visible";
import { Markdown } from "../markdown";
import { Code, unpadded } from "../prose";
import { Diff } from "./diff";

const ONE_LINE_MAX = 60;

const FieldView = ({ field: { name, text } }: { field: Field }) => {
  const isShort = !text.includes("\n") && text.length <= ONE_LINE_MAX;
  return (
    <div class={isShort ? "input-field is-short" : "input-field"}>
      {name && <dt>{visible(name)}</dt>}
      <dd dir="auto">{text === "" ? <span class="hint">{t("permission.empty")}</span> : <Code text={visible(unpadded(text))} />}</dd>
    </div>
  );
};

const Fields = ({ fields }: { fields: Field[] }) => (
  <dl class="input-fields">
    {fields.map((field) => (
      <FieldView key={field.name} field={field} />
    ))}
  </dl>
);

// A command of many lines stands below as a whole: its lines in one say nothing more.
const isBeginning = (summary: string, text: string): boolean =>
  text.includes("\n") && text.split("\n").join(" ↵ ").startsWith(summary.replace(/…$/, ""));

export function PermissionView({ permission }: { permission: Permission }) {
  const id = useId();
  const all = fieldsOf(permission.input);
  const isSaid = saidElsewhere(permission);
  const shown = all.filter((field) => !isSaid(field));
  // Where all of it follows below, the line above is only its beginning.
  const isRepeated = shown.length > 0 && shown.length === all.length;
  const isCommand = isRepeated && shown.some(({ text }) => isBeginning(permission.summary, text));
  const isCalled = isRepeated && namesTool(permission);
  const isPlanTitle = permission.plan?.trim().replace(/^#+\s*/, "").startsWith(permission.summary.trim()) ?? false;
  const summary = ["permission-summary", isRepeated && "is-repeated", (isCommand || isCalled || isPlanTitle) && "unseen"].filter(Boolean).join(" ");
  const isWhole = permission.diff === undefined && permission.plan === undefined;
  return (
    <div class="permission" role="group" aria-labelledby={id}>
      <h2 class="permission-head" id={id}>
        {(!namesTool(permission) || isCalled) && <span class="tool-chip">{visible(permission.tool)}</span>}{" "}
        <span class={summary} dir="auto">
          <Code text={visible(permission.summary)} />
        </span>
      </h2>
      {shown.length > 0 && <Fields fields={shown} />}
      {permission.diff !== undefined && <Diff text={permission.diff} />}
      {permission.plan !== undefined && (
        <div class="plan">
          <Markdown text={permission.plan} />
        </div>
      )}
      {!isWhole && all.length > 0 && (
        <details class="whole-input">
          <summary>{t("permission.input")}</summary>
          <Fields fields={all} />
        </details>
      )}
    </div>
  );
}
