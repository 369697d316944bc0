// SPDX-License-Identifier: Apache-2.0
// What a screen reader is told while it reads something else: a new question, once; the connection.
import { signal } from "@preact/signals";
import { t } from "../i18n";
import { wholeHeadline } from "../model/headline";
import { connection, onEvent } from "../model/state";

const KEPT = 3;

// Each is a node of its own: the same words twice are told twice, and none is told again.
const said = signal<{ id: number; text: string }[]>([]);
let next = 1;
let wasLost = false;

const say = (text: string): void => {
  said.value = [...said.value.slice(1 - KEPT), { id: next++, text }];
};

onEvent((event) => {
  // Those of a snapshot have no cursor: they are not new.
  if (event.type === "ask.opened" && event.id !== undefined && typeof event.ask === "object")
    say(t("inbox.new", { question: wholeHeadline(event.ask) }));
});
connection.subscribe(({ state }) => {
  if (state === "lost") wasLost = true;
  if (state === "live" && wasLost) {
    wasLost = false;
    say(t("connection.restored"));
  }
});

export const LiveRegion = () => (
  <div class="unseen" aria-live="polite" aria-relevant="additions">
    {said.value.map(({ id, text }) => (
      <p key={id}>{text}</p>
    ))}
  </div>
);
