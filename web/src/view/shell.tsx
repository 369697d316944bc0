// SPDX-License-Identifier: Apache-2.0
// The frame around every view: where one can go, whether there is a connection, short messages.
import type { ComponentChildren } from "preact";
import { t, type Key } from "../i18n";
import { address, route, type Route } from "../model/route";
import { now } from "../model/clock";
import { connection, storeAway, stream, waitingCount } from "../model/state";
import { focusCard } from "./focus";
import { Help } from "./help";
import { Icon, type IconName } from "./icons";
import { Tray } from "./tray";

const PLACES: { view: Route["view"]; icon: IconName; text: Key }[] = [
  { view: "inbox", icon: "inbox", text: "nav.inbox" },
  { view: "sessions", icon: "chat", text: "nav.sessions" },
  { view: "history", icon: "clock", text: "nav.history" },
  { view: "settings", icon: "gear", text: "nav.settings" },
];

export const Shell = ({ children }: { children: ComponentChildren }) => (
  <div class="shell">
    <a class="skip" href="#content" onClick={skip}>
      {t("nav.skip")}
    </a>
    <nav class="nav" aria-label={t("nav.label")}>
      <span class="brand">
        <img src="/icon.svg" alt="" width="28" height="28" /> <span class="brand-name">Parley</span>
      </span>
      {PLACES.map(({ view, icon, text }) => (
        <a
          key={view}
          class="place"
          href={address({ view } as Route)}
          aria-current={route.value.view === view ? "page" : undefined}
        >
          <span class="place-icon">
            <Icon name={icon} />
            {view === "inbox" && waitingCount.value > 0 && <span class="count">{shortCount(waitingCount.value)}</span>}
          </span>
          <span class="place-name">{t(text)}</span>
        </a>
      ))}
      <ConnectionDot />
    </nav>
    <div class="column">
      <ConnectionBar />
      <main id="content" tabIndex={-1}>
        <h1 class="unseen">Parley</h1>
        {children}
      </main>
      <Tray />
    </div>
    <Help />
  </div>
);

const shortCount = (n: number): string => (n > 999 ? "999+" : String(n));

// The address's own '#' is taken by the views.
function skip(event: Event): void {
  event.preventDefault();
  if (!focusCard()) document.getElementById("content")?.focus();
}

function ConnectionDot() {
  const { state } = connection.value;
  const text = t(state === "live" ? "connection.live" : "connection.connecting");
  return (
    <span class={`connection ${state}`}>
      <span class="dot" /> <span class="connection-text">{text}</span>
    </span>
  );
}

function ConnectionBar() {
  const { state, retryAt } = connection.value;
  if (storeAway.value) {
    return (
      <div class="connection-bar">
        <Icon name="warn" />
        <span role="status">{t("connection.store_away", { why: storeAway.value.detail })}</span>
      </div>
    );
  }
  if (state !== "lost" || retryAt === undefined) return null;
  const seconds = Math.max(0, Math.ceil((retryAt - now.value) / 1000));
  return (
    <div class="connection-bar">
      <Icon name="warn" />
      <span>
        <span role="status">{t("connection.lost")}</span>{" "}
        <span aria-hidden="true">{t("connection.retry_in", { seconds })}</span>
      </span>
      <button type="button" class="small" onClick={() => stream.retry()}>
        {t("connection.retry")}
      </button>
    </div>
  );
}
