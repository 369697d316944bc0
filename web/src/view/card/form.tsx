// SPDX-License-Identifier: Apache-2.0
// Answering: the questions as steps with free movement, a review, and what is on its way.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../i18n";
import { allInWords, isReady, isSimple, isTouched } from "../../model/answers";
import { oneClick } from "../../model/settings";
import { showError } from "../../model/notices";
import { isSnoozed } from "../../model/state";
import { dismiss, pick, send, sendSoon, snooze } from "../../model/submit";
import type { Answer, Ask } from "../../model/types";
import type { Work } from "../../model/work";
import type { Phase } from "../../model/work_state";
import { isComposing } from "../fields";
import { isLost } from "../focus";
import { Icon } from "../icons";
import { DismissPanel } from "./dismiss";
import { useCardKeys, useForm } from "./keys";
import { Offer } from "./offer";
import { Progress } from "./progress";
import { QuestionView } from "./question";
import { Review } from "./review";
import { SnoozePanel } from "./snooze";
import { Steps } from "./steps";

type Panel = "none" | "dismiss" | "snooze";

export function Form({ ask, work }: { ask: Ask; work: Work }) {
  if (ask.questions.length === 0) throw new Error("an ask without questions");
  const place = useRef<HTMLFormElement>(null);
  const panel = useSignal<Panel>("none");
  useFocusBack(place, panel.value);
  const count = ask.questions.length;
  const phase = work.phase.value;
  const { number: picture, marked: answers } = work.picture.value;
  const step = Math.min(work.step.value, count > 1 ? count : 0);
  useForm(place, step);
  const isReview = count > 1 && step === count;
  const isLocked = phase.kind === "sending" || phase.kind === "recorded";
  // A click will do, and nothing is there that would have to be sent.
  const isByClick = isSimple(ask) && oneClick.value && !isTouched(answers);
  const missing = ask.questions.filter((one, index) => !isReady(one, answers[index]));

  const go = (to: number) => {
    work.step.value = Math.min(Math.max(to, 0), count > 1 ? count : 0);
    place.current?.scrollIntoView({ block: "nearest" });
  };

  const submit = () => {
    if (count === 1) sendSoon(work, picture);
    else send(work, picture);
  };

  const forward = () => {
    if (count > 1 && !isReview) go(step + 1);
    else submit();
  };

  const choose = (index: number, answer: Answer) => {
    if (isSimple(ask) && oneClick.value) pick(work, picture, index, answer);
    else work.set(index, answer);
  };

  // Enter on what is chosen already goes on; Ctrl+Enter does from anywhere.
  useCardKeys(place, (event, target) => {
    if (event.key !== "Enter" || isComposing(event)) return;
    const isAnywhere = event.ctrlKey || event.metaKey;
    const isOnChosen = target.getAttribute("aria-checked") === "true" && (count > 1 || !oneClick.value);
    if (!isAnywhere && !isOnChosen) return;
    event.preventDefault();
    forward();
  });

  useFocusOnStep(place, step);
  useFocusAfterUndo(place, phase.kind);
  const question = ask.questions[step];
  const fault = phase.kind === "failed" ? faultOf(phase.problem.errors, step) : undefined;

  return (
    <form class="form" ref={place} onSubmit={(event) => event.preventDefault()}>
      {count > 1 && <Steps ask={ask} answers={answers} step={step} onGo={go} />}
      {isReview || !question ? (
        <Review ask={ask} answers={answers} onGo={go} />
      ) : (
        <QuestionView
          key={step}
          question={question}
          answer={answers[step]!}
          isLocked={isLocked}
          fault={fault}
          onChange={(answer) => work.set(step, answer)}
          onPick={(answer) => choose(step, answer)}
          onEnter={forward}
        />
      )}
      {work.isChecked.value && missing.length > 0 && (isReview || count === 1) && (
        <p class="fault" role="alert">
          <Icon name="warn" />{" "}
          {count === 1
            ? t("card.answer_this")
            : t("card.answer_all", { missing: missing.map((one) => one.header).join(", ") })}
        </p>
      )}
      <Offer work={work} />
      <Progress work={work} answer={allInWords(ask, answers)} />
      {panel.value === "dismiss" && (
        <DismissPanel
          work={work}
          onNo={() => (panel.value = "none")}
          onYes={() => {
            panel.value = "none";
            dismiss(work, picture);
          }}
        />
      )}
      {panel.value === "snooze" && <SnoozePanel ask={ask} onDone={() => (panel.value = "none")} />}
      {panel.value === "none" && phase.kind !== "undo" && !isLocked && (
        <div class={isByClick ? "actions is-quiet" : "actions"}>
          {ask.dismissible !== false && (
            <button type="button" data-opens="dismiss" onClick={() => (panel.value = "dismiss")}>
              {t("card.dismiss")}
            </button>
          )}
          {isSnoozed(ask) && (
            <button type="button" onClick={() => snooze(ask, 0).catch(showError)}>
              {t("card.wake")}
            </button>
          )}
          <button type="button" data-opens="snooze" onClick={() => (panel.value = "snooze")}>
            {t("card.snooze")}
          </button>
          <Saved work={work} />
          {count > 1 && step > 0 && (
            <button type="button" onClick={() => go(step - 1)}>
              {t("card.previous")}
            </button>
          )}
          {!isByClick && (
            <button
              type="button"
              class="primary"
              aria-disabled={(isReview || count === 1) && missing.length > 0}
              onClick={forward}
            >
              {count > 1 && !isReview ? t("card.next") : t(count > 1 ? "card.submit_all" : "card.submit")}
            </button>
          )}
        </div>
      )}
    </form>
  );
}

function faultOf(errors: { path: string; detail: string }[], step: number): string | undefined {
  const found = errors.filter(({ path }) => path === "" || path.startsWith(`/answers/${step}`) || path === "/answers");
  return found.length > 0 ? found.map(({ detail }) => detail).join(" ") : undefined;
}

// Moving to another step moves the focus there too, but opening a card never takes it away. Before
// the browser paints: a key pressed at once must not go to what was there before.
function useFocusOnStep(place: preact.RefObject<HTMLFormElement | null>, step: number): void {
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    const target = place.current?.querySelector<HTMLElement>(
      ".question [tabindex='0'], .question textarea, .actions .primary",
    );
    target?.focus();
  }, [step]);
}

// What was taken back is where one goes on.
function useFocusAfterUndo(place: preact.RefObject<HTMLFormElement | null>, phase: Phase["kind"]): void {
  const before = useRef(phase);
  useLayoutEffect(() => {
    const wasUndo = before.current === "undo";
    before.current = phase;
    if (!wasUndo || phase !== "editing" || !isLost()) return;
    const chosen = place.current?.querySelector<HTMLElement>("[aria-checked=true], .on textarea, [tabindex='0'], textarea");
    chosen?.focus();
  }, [phase]);
}

// A panel that is closed gives the focus back to the button that opened it.
function useFocusBack(place: preact.RefObject<HTMLFormElement | null>, panel: Panel): void {
  const before = useRef<Panel>("none");
  useLayoutEffect(() => {
    if (panel === "none" && before.current !== "none")
      place.current?.querySelector<HTMLElement>(`[data-opens=${before.current}]`)?.focus();
    before.current = panel;
  }, [panel]);
}

const Saved = ({ work }: { work: Work }) => {
  const saving = work.saving.value;
  const words = { clean: "", unsaved: t("draft.unsaved"), saving: t("draft.saving"), saved: t("draft.saved") };
  return <p class="draft-state">{words[saving]}</p>;
};
