// SPDX-License-Identifier: Apache-2.0
// Sessions that a person begins: whether the server has an agent for them, and what they are called.
import { signal } from "@preact/signals";
import { get } from "./api";
import { onReconnect, sessions } from "./state";
import type { Server, Session } from "./types";

// The address of a session that has yet to be begun; no session has this for an id.
export const NEW = "new";

// Who answers there; null: nobody.
export const hostedAgent = signal<string | null>(null);

export async function findHosted(): Promise<void> {
  hostedAgent.value = (await get<Server>("/v1/server")).agent ?? null;
}

// It may have been started anew with another.
onReconnect(() => void findHosted().catch(() => undefined));

const NAME_CHARS = 48;
const NOBODYS = "default"; // where programs ask that name no session

// A live session has its name alone: the words of the message, and a number where those are taken.
export function nameFor(text: string, live: ReadonlySet<string>): string {
  const line = text.replace(/[\s/]+/g, " ").trim();
  const letters = [...line];
  const words = letters.length > NAME_CHARS ? `${letters.slice(0, NAME_CHARS - 1).join("")}…` : line;
  // Dots alone would be another path, and what looks like an id is one.
  const isFree = !/^\.+$/.test(words) && !/^[a-z]{3}_/.test(words) && words !== NOBODYS;
  const first = isFree ? words : `“${words}”`;
  for (let number = 1; ; ++number) {
    const name = number === 1 ? first : `${first} ${number}`;
    if (!live.has(name)) return name;
  }
}

export const liveNames = (): Set<string> =>
  new Set([...sessions.value.values()].flatMap(({ name, ended_at }) => (name && !ended_at ? [name] : [])));

export const findLive = (name: string): Session | undefined =>
  [...sessions.value.values()].find((session) => session.name === name && !session.ended_at);
