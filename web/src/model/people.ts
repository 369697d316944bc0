// SPDX-License-Identifier: Apache-2.0
// Who did something: the name that the broker knows, and beside it the one that was claimed.
import { t } from "../i18n";
import { self } from "./state";
import type { Decider } from "./types";
import { visible } from "./visible";

export const isMe = ({ principal }: Decider): boolean =>
  principal !== undefined && principal === self.value?.principal;

export function nameOf({ name, principal, claimed }: Decider): string {
  const known = visible(name ?? principal ?? t("settled.somebody"));
  return claimed ? t("settled.claimed", { name: known, claimed: visible(claimed) }) : known;
}
