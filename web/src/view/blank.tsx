// SPDX-License-Identifier: Apache-2.0
// What stands where there is nothing to show: why, and what helps.
import type { ComponentChildren } from "preact";
import { t } from "../i18n";
import { connection } from "../model/state";
import { canCopy, copy } from "./copy";
import { Icon, type IconName } from "./icons";

interface Props {
  icon?: IconName;
  isBad?: boolean;
  title: string;
  children?: ComponentChildren;
}

export const Blank = ({ icon, isBad, title, children }: Props) => (
  <div class="blank">
    {icon && (
      <span class={isBad ? "blank-mark bad" : "blank-mark"}>
        <Icon name={icon} />
      </span>
    )}
    <h2>{title}</h2>
    {children}
  </div>
);

// A command to try, ready to be copied.
export const Command = ({ text }: { text: string }) => (
  <div class="command">
    <code>{text}</code>
    {canCopy() && (
      <button type="button" class="quiet small" onClick={(event) => void copy(text, event.currentTarget)}>
        {t("copy.code")}
      </button>
    )}
  </div>
);

const ROWS = 7;

// While the first answer of the broker is on its way, or does not come.
export function Loading() {
  if (connection.value.state === "lost") {
    return (
      <Blank icon="warn" isBad title={t("offline.title")}>
        <p class="hint">{t("offline.text")}</p>
      </Blank>
    );
  }
  return (
    <div class="skeleton">
      <p class="unseen" role="status">
        {t("inbox.loading")}
      </p>
      {Array.from({ length: ROWS }, (_, index) => (
        <span key={index} class="skeleton-row" />
      ))}
    </div>
  );
}
