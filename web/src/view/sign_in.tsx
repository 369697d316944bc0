// SPDX-License-Identifier: Apache-2.0
// For a browser that is not known: a token, or how to get an address that signs in.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t, type Key } from "../i18n";
import { call, Problem } from "../model/api";
import { begin, refusal } from "../model/begin";
import { stream } from "../model/state";

function reason(error: unknown): Key {
  if (!(error instanceof Problem) || error.status === 0) return "sign_in.offline";
  if (error.status === 403) return "sign_in.agent";
  return error.status === 429 ? "sign_in.slow" : "sign_in.wrong";
}

export function SignIn() {
  const token = useSignal("");
  const isBusy = useSignal(false);
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);

  const submit = async () => {
    if (!token.value.trim() || isBusy.value) return;
    isBusy.value = true;
    refusal.value = null;
    try {
      await call("POST", "/sign-in", { bearer: token.value.trim() });
      await begin();
      stream.welcome();
    } catch (error) {
      refusal.value = reason(error);
      field.current?.select();
    }
    isBusy.value = false;
  };

  return (
    <main class="sign-in" id="content">
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <img src="/icon.svg" alt="" width="56" height="56" />
        <h1>Parley</h1>
        <p>{t("sign_in.text")}</p>
        <label>
          {t("sign_in.token")}
          <input
            ref={field}
            type="password"
            autocomplete="current-password"
            spellcheck={false}
            value={token.value}
            aria-invalid={refusal.value !== null}
            aria-describedby="sign-in-fault"
            onInput={(event) => (token.value = event.currentTarget.value)}
          />
        </label>
        <p id="sign-in-fault" class="fault" role="alert">
          {refusal.value && t(refusal.value)}
        </p>
        <button type="submit" class="primary" aria-disabled={isBusy.value}>
          {t("sign_in.submit")}
        </button>
        <p class="hint">
          {t("sign_in.where")} <code>parley token qr</code>
        </p>
      </form>
    </main>
  );
}
