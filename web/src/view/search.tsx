// SPDX-License-Identifier: Apache-2.0
import type { Signal } from "@preact/signals";
import { Icon } from "./icons";

export const SearchField = ({ value, label }: { value: Signal<string>; label: string }) => (
  <label class="search">
    <Icon name="search" />
    <span class="unseen">{label}</span>
    <input
      type="search"
      value={value.value}
      placeholder={label}
      onInput={(event) => (value.value = event.currentTarget.value)}
    />
  </label>
);
