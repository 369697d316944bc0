// SPDX-License-Identifier: Apache-2.0
// The document's title: how many wait, and what is looked at.
import { effect } from "@preact/signals";
import { t } from "../i18n";
import { shorten, wholeHeadline } from "../model/headline";
import { openAsk } from "../model/reading";
import { route } from "../model/route";
import { isSignedOut, pending, settled, waitingCount } from "../model/state";
import { sessionTitle } from "./card/card";

const TITLE_MAX = 70;

function place(): string {
  const here = route.value;
  switch (here.view) {
    case "inbox":
      return openAsk.value ? wholeHeadline(openAsk.value) : t("nav.inbox");
    case "history": {
      const ask = here.ask ? (settled.value.get(here.ask) ?? pending.value.get(here.ask)) : undefined;
      return ask ? wholeHeadline(ask) : t("nav.history");
    }
    case "sessions":
      return here.session ? sessionTitle(here.session) : t("nav.sessions");
    case "settings":
      return t("nav.settings");
  }
}

effect(() => {
  if (isSignedOut.value) return void (document.title = "Parley");
  const count = waitingCount.value > 0 ? `(${waitingCount.value}) ` : "";
  document.title = `${count}${shorten(place(), TITLE_MAX)} · Parley`;
});
