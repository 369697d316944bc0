// SPDX-License-Identifier: Apache-2.0
// The keys, in the settings and behind "?".
import { useLayoutEffect, useRef } from "preact/hooks";
import { t, type Key } from "../i18n";
import { isHelpOpen } from "./keys";

const KEYS: [string[], Key][] = [
  [["j", "k"], "settings.key_move"],
  [["Enter"], "settings.key_enter"],
  [["1", "…", "9"], "settings.key_choose"],
  [["Ctrl", "Enter"], "settings.key_send"],
  [["z"], "settings.key_undo"],
  [["/"], "settings.key_search"],
  [["Esc"], "settings.key_escape"],
  [["?"], "settings.key_help"],
];

export const Keys = () => (
  <dl class="keys">
    {KEYS.map(([keys, text]) => (
      <div key={text}>
        <dt>
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </dt>
        <dd>{t(text)}</dd>
      </div>
    ))}
  </dl>
);

export function Help() {
  const place = useRef<HTMLDialogElement>(null);
  const isOpen = isHelpOpen.value;
  useLayoutEffect(() => {
    if (isOpen) place.current?.showModal();
    else place.current?.close();
  }, [isOpen]);
  return (
    <dialog class="help" ref={place} aria-labelledby="help-title" onClose={() => (isHelpOpen.value = false)}>
      <h2 id="help-title">{t("settings.keys")}</h2>
      <Keys />
      <button type="button" onClick={() => (isHelpOpen.value = false)}>
        {t("help.close")}
      </button>
    </dialog>
  );
}
