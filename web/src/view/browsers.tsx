// SPDX-License-Identifier: Apache-2.0
// For the owner: which browsers are signed in, and a way to sign each out.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { clockTime, t } from "../i18n";
import { call, get } from "../model/api";
import { showError } from "../model/notices";
import { self } from "../model/state";
import { visible } from "../model/visible";

interface SignedIn {
  name: string;
  role: string;
  created_at: string;
}

const PREFIX = "browser:";
// "browser:1f2e3d4c:HASH@ada" is ada's.
const shown = (name: string): string => {
  const id = name.slice(PREFIX.length, PREFIX.length + 8);
  const owner = name.split("@")[1];
  return owner ? `${owner} (${id})` : id;
};

export function Browsers() {
  const list = useSignal<SignedIn[]>([]);
  const load = () =>
    get<{ tokens: SignedIn[] }>("/v1/tokens").then((page) => {
      list.value = page.tokens.filter((token) => token.name.startsWith(PREFIX));
    }, showError);
  useEffect(() => void load(), []);
  const revoke = (name: string) =>
    call("DELETE", `/v1/tokens/${encodeURIComponent(name)}`).then(load, showError);
  return (
    <ul class="browsers">
      {list.value.map(({ name, role, created_at }) => (
        <li key={name} class="line">
          <span>
            {visible(shown(name))} <span class="badge">{role}</span>{" "}
            <span class="hint">
              {name === self.value?.sign_in ? t("settings.this_browser") : t("settings.since", { time: clockTime(created_at) })}
            </span>
          </span>
          <button type="button" class="small" onClick={() => void revoke(name)}>
            {t("settings.revoke")}
            <span class="unseen"> {shown(name)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
