// SPDX-License-Identifier: Apache-2.0
// The field above a list. Enter opens the first that was found.
import type { Signal } from "@preact/signals";
import { isComposing } from "./fields";
import { Icon } from "./icons";

let field: HTMLInputElement | null = null;
export const focusSearch = (): void => field?.focus();

interface Props {
  value: Signal<string>;
  label: string;
  onEnter?(): void;
}

export const SearchField = ({ value, label, onEnter }: Props) => (
  <label class="search">
    <Icon name="search" />
    <span class="unseen">{label}</span>
    <input
      type="search"
      enterkeyhint="search"
      ref={(one) => void (field = one)}
      value={value.value}
      placeholder={label}
      onInput={(event) => (value.value = event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Enter" && !isComposing(event)) onEnter?.();
      }}
    />
  </label>
);
