// SPDX-License-Identifier: Apache-2.0
// Who did something: the name that the broker knows, and beside it the one that was claimed; and how a
// new person gets one.
import { signal } from "@preact/signals";
import { t } from "../i18n";
import { post } from "./api";
import { readKept } from "./settings";
import { self } from "./state";
import type { Decider, Self } from "./types";
import { visible } from "./visible";

export const isMe = ({ principal }: Decider): boolean =>
  principal !== undefined && principal === self.value?.principal;

export function nameOf({ name, principal, claimed }: Decider): string {
  const known = visible(name ?? principal ?? t("settled.somebody"));
  return claimed ? t("settled.claimed", { name: known, claimed: visible(claimed) }) : known;
}

// What this browser called its person when names were a setting of its own, or what the broker proposes.
export const suggestedName = (): string => readKept("name", "") || (self.value?.name ?? "");

// The person was asked and would rather not say now.
export const isNamePutOff = signal(false);

// Refused as `name-taken` where somebody else is called so.
export async function nameMyself(name: string): Promise<void> {
  self.value = await post<Self>("/v1/self/name", { name });
}
