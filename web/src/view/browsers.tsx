// SPDX-License-Identifier: Apache-2.0
// For the owner: which browsers are signed in, on what, last used when; and a way to sign each out.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ago, moment, t, type Key } from "../i18n";
import { en } from "../i18n/en";
import { call, get } from "../model/api";
import { slowNow } from "../model/clock";
import { showError } from "../model/notices";
import { self } from "../model/state";
import type { Token, TokenPage } from "../model/types";
import { visible } from "../model/visible";

const PREFIX = "browser:";
// "browser:1f2e3d4c:HASH@ada" is ada's.
const shown = ({ name, device }: Token): string => {
  const id = name.slice(PREFIX.length, PREFIX.length + 8);
  const owner = name.split("@")[1];
  return [owner, device, id].filter(Boolean).join(" · ");
};

export const roleName = (role: string): string => {
  const key = `role.${role}`;
  return key in en ? t(key as Key) : role;
};

const times = ({ created_at, last_used_at }: Token): string => {
  const since = moment("since", created_at);
  return last_used_at ? `${since} · ${t("settings.last_used", { time: ago(last_used_at, slowNow.value) })}` : since;
};

export function Browsers() {
  const list = useSignal<Token[]>([]);
  const load = () =>
    get<TokenPage>("/v1/tokens").then((page) => {
      list.value = page.tokens.filter((token) => token.name.startsWith(PREFIX));
    }, showError);
  useEffect(() => void load(), []);
  const revoke = (name: string) =>
    call("DELETE", `/v1/tokens/${encodeURIComponent(name)}`).then(load, showError);
  return (
    <ul class="browsers">
      {list.value.map((one) => (
        <li key={one.name} class="line">
          <span class="browser">
            <span dir="auto">{visible(shown(one))}</span> <span class="badge">{roleName(one.role)}</span>
            <span class="hint">
              {one.name === self.value?.sign_in && `${t("settings.this_browser")} · `}
              {times(one)}
            </span>
          </span>
          <button type="button" class="small" onClick={() => void revoke(one.name)}>
            {t("settings.revoke")}
            <span class="unseen"> {visible(shown(one))}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
