// SPDX-License-Identifier: Apache-2.0
// How far an answer has got, told as it is: about to be sent, sending, recorded, not sent and why.
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../i18n";
import { retry, sendNow, undo, UNDO_MS } from "../../model/submit";
import { now } from "../../model/clock";
import { visible } from "../../model/visible";
import type { Work } from "../../model/work";
import { Icon } from "../icons";

export function Progress({ work, answer }: { work: Work; answer: string }) {
  const phase = work.phase.value;
  switch (phase.kind) {
    case "editing":
      return null;
    case "undo":
      return <UndoBar until={phase.until} answer={answer} />;
    case "sending":
      return (
        <p class="progress" role="status">
          <span class="spinner" /> {t("send.sending")}
        </p>
      );
    case "recorded":
      return (
        <p class="progress" role="status">
          <Icon name="check" /> {t("send.recorded")}
        </p>
      );
    case "failed":
      return (
        <div class="progress failed" role="alert">
          <Icon name="warn" />
          <span>
            {phase.retries ? t("send.failed_offline") : t("send.failed", { detail: visible(phase.problem.detail) })}{" "}
            {t("send.kept")}
          </span>
          <button type="button" onClick={() => retry(work)}>
            {t("send.retry")}
          </button>
        </div>
      );
  }
}

interface UndoProps {
  until: number;
  answer: string;
  takesFocus?: boolean;
  onUndo?(): void;
}

export function UndoBar({ until, answer, takesFocus = true, onUndo = undo }: UndoProps) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (!takesFocus) return;
    button.current?.focus();
    button.current?.closest(".undo")?.scrollIntoView({ block: "nearest" });
  }, []);
  const id = useId();
  // The clock of the page may be a second behind.
  const seconds = Math.max(1, Math.ceil(Math.min(until - now.value, UNDO_MS) / 1000));
  // The answer alone is cut where it is too long for the line.
  const [before, after] = t("send.undo_text", { answer: "\n", seconds }).split("\n");
  return (
    <div class="progress undo">
      {/* Read out with the button, not with every second. */}
      <span class="undo-text" id={id} role="timer">
        {before}
        <span class="undo-answer" dir="auto">
          {visible(answer.replace(/\s+/g, " "))}
        </span>
        {after}
      </span>
      <span class="buttons">
        <button type="button" ref={button} aria-describedby={id} onClick={onUndo}>
          <Icon name="undo" /> {t("send.undo")}
        </button>
        <button type="button" class="primary" onClick={sendNow}>
          {t("send.now")}
        </button>
      </span>
      <span class="undo-bar" ref={(bar) => bar?.style.setProperty("--undo", `${UNDO_MS}ms`)} />
    </div>
  );
}
