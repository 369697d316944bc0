// SPDX-License-Identifier: Apache-2.0
// What this browser's person may choose, and for the owner who else is signed in.
import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { LANGUAGES, t } from "../i18n";
import { signOut } from "../model/begin";
import { allowNotifications, isBlocked } from "../model/attention";
import { showError } from "../model/notices";
import { language, notifies, oneClick, sounds, theme, type Theme } from "../model/settings";
import { isNamePutOff } from "../model/people";
import { self } from "../model/state";
import { visible } from "../model/visible";
import { Browsers, roleName } from "./browsers";
import { Keys } from "./help";

const Group = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <section class="group card">
    <h3>{title}</h3>
    {children}
  </section>
);

interface SwitchProps {
  value: Signal<boolean>;
  label: string;
  hint?: string;
  onTurn?(on: boolean): void;
}

const Switch = ({ value, label, hint, onTurn }: SwitchProps) => (
  <label class="switch">
    <span>
      {label}
      {hint && <span class="hint">{hint}</span>}
    </span>
    <input
      type="checkbox"
      role="switch"
      checked={value.value}
      onChange={(event) => {
        value.value = event.currentTarget.checked;
        onTurn?.(value.value);
      }}
    />
  </label>
);

export function Settings() {
  const who = self.value;
  return (
    <div class="page">
      <h2 class="title">{t("settings.title")}</h2>
      <Group title={t("settings.you")}>
        {who && (
          <div class="line">
            <span>{t("settings.signed_in_as", { principal: visible(who.name ?? who.principal), role: roleName(who.role) })}</span>
            {who.needs_name && (
              <button type="button" onClick={() => (isNamePutOff.value = false)}>
                {t("name.submit")}
              </button>
            )}
            {who.sign_in && (
              <button type="button" onClick={() => signOut().catch(showError)}>
                {t("settings.sign_out")}
              </button>
            )}
          </div>
        )}
      </Group>
      <Group title={t("settings.answering")}>
        <Switch value={oneClick} label={t("settings.one_click")} hint={t("settings.one_click_hint")} />
      </Group>
      <Group title={t("settings.attention")}>
        <Switch
          value={notifies}
          label={t("settings.notify")}
          hint={isBlocked() ? t("settings.notify_denied") : t("settings.notify_hint")}
          onTurn={(on) => on && void allowNotifications()}
        />
        <Switch value={sounds} label={t("settings.sound")} />
      </Group>
      <Group title={t("settings.look")}>
        <label class="field">
          {t("settings.theme")}
          <select value={theme.value} onChange={(event) => (theme.value = event.currentTarget.value as Theme)}>
            <option value="auto">{t("settings.theme_auto")}</option>
            <option value="light">{t("settings.theme_light")}</option>
            <option value="dark">{t("settings.theme_dark")}</option>
          </select>
        </label>
        <label class="field">
          {t("settings.language")}
          <select value={language.value} onChange={(event) => (language.value = event.currentTarget.value)}>
            <option value="">{t("settings.language_auto")}</option>
            {Object.entries(LANGUAGES).map(([tag, { name: own }]) => (
              <option key={tag} value={tag} lang={tag}>
                {own}
              </option>
            ))}
          </select>
        </label>
      </Group>
      {who?.role === "owner" && (
        <Group title={t("settings.browsers")}>
          <Browsers />
        </Group>
      )}
      <Group title={t("settings.keys")}>
        <Keys />
      </Group>
    </div>
  );
}
