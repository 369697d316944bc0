// SPDX-License-Identifier: Apache-2.0
// What a screen reader is told while it reads something else: a new question, once; the connection.
import { signal } from "@preact/signals";
import { t } from "../i18n";
import { connection, onEvent } from "../model/state";
import { visible } from "../model/visible";

const said = signal("");
let wasLost = false;

onEvent((event) => {
  // Those of a snapshot have no cursor: they are not new.
  if (event.type === "ask.opened" && event.id !== undefined && typeof event.ask === "object")
    said.value = t("inbox.new", { question: visible(event.ask.questions[0]?.question ?? "") });
});
connection.subscribe(({ state }) => {
  if (state === "lost") wasLost = true;
  if (state === "live" && wasLost) {
    wasLost = false;
    said.value = t("connection.restored");
  }
});

export const LiveRegion = () => (
  <div class="unseen" aria-live="polite" aria-atomic="true">
    {said.value}
  </div>
);
