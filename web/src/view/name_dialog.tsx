// SPDX-License-Identifier: Apache-2.0
// Asks a person whom the broker does not know by name what they are called: once, and others see it
// beside what they decide.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../i18n";
import { Problem } from "../model/api";
import { isNamePutOff, nameMyself, suggestedName } from "../model/people";
import { self } from "../model/state";
import { visible } from "../model/visible";

const NAME_MAX = 64;

export function NameDialog() {
  const isWanted = self.value?.needs_name && !isNamePutOff.value;
  return isWanted ? <Dialog onLater={() => (isNamePutOff.value = true)} /> : null;
}

function faultOf(error: unknown): string {
  if (!(error instanceof Problem)) return String(error);
  if (error.type === "name-taken") return t("name.taken");
  return error.isOffline ? t("sign_in.offline") : visible(error.errors[0]?.detail ?? error.detail);
}

function Dialog({ onLater }: { onLater(): void }) {
  const place = useRef<HTMLDialogElement>(null);
  const name = useSignal(suggestedName());
  const fault = useSignal("");
  const isBusy = useSignal(false);
  useLayoutEffect(() => {
    place.current?.showModal();
    place.current?.querySelector("input")?.select();
  }, []);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!name.value.trim() || isBusy.value) return;
    isBusy.value = true;
    fault.value = "";
    try {
      await nameMyself(name.value.trim());
    } catch (error) {
      fault.value = faultOf(error);
      place.current?.querySelector("input")?.focus();
    }
    isBusy.value = false;
  };
  return (
    <dialog class="help" ref={place} aria-labelledby="name-title" onCancel={onLater}>
      <form onSubmit={(event) => void submit(event)}>
        <h2 id="name-title">{t("name.title")}</h2>
        <p id="name-why">{t("name.why")}</p>
        <label class="field">
          {t("settings.name")}
          <input
            type="text"
            dir="auto"
            autocomplete="name"
            maxLength={NAME_MAX}
            value={name.value}
            aria-invalid={fault.value !== ""}
            aria-describedby="name-why name-fault"
            onInput={(event) => (name.value = event.currentTarget.value)}
          />
        </label>
        <p id="name-fault" class="fault" role="alert">
          {fault.value}
        </p>
        <div class="buttons">
          <button type="button" class="quiet" onClick={onLater}>
            {t("name.later")}
          </button>
          <button type="submit" class="primary" aria-disabled={!name.value.trim() || isBusy.value}>
            {t("name.submit")}
          </button>
        </div>
      </form>
    </dialog>
  );
}
