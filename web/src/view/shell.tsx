// SPDX-License-Identifier: Apache-2.0
// The frame around every view: where one can go, whether there is a connection, short messages.
import type { ComponentChildren } from "preact";
import { t, type Key } from "../i18n";
import { allInWords } from "../model/answers";
import { close, notices } from "../model/notices";
import { address, route, type Route } from "../model/route";
import { connection, now, stream, waitingCount } from "../model/state";
import { undoable } from "../model/submit";
import { sessionOf } from "../model/types";
import { visible } from "../model/visible";
import { UndoBar } from "./card/progress";
import { Icon, type IconName } from "./icons";
import { openAsk } from "./inbox";

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
    </div>
    <div class="corner">
      <UndoElsewhere />
      <Notices />
    </div>
  </div>
);

const shortCount = (n: number): string => (n > 999 ? "999+" : String(n));

// The address's own '#' is taken by the views.
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("content")?.focus();
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

// An answer that can still be taken back while another view is open.
function UndoElsewhere() {
  const work = undoable.value;
  const phase = work?.phase.value;
  const here = route.value;
  if (!work || phase?.kind !== "undo") return null;
  if (here.view === "sessions" && here.session === sessionOf(work.ask)) return null;
  if (here.view === "inbox" && openAsk.value?.id === work.ask.id) return null;
  return <UndoBar until={phase.until} answer={allInWords(work.ask, work.answers.value)} takesFocus={false} />;
}

const Notices = () => (
  <div class="notices" role="log" aria-live="polite">
    {notices.value.map(({ id, text, level }) => (
      <div key={id} class={`notice ${level}`}>
        <span dir="auto">{visible(text)}</span>
        <button type="button" class="quiet small" aria-label={t("notice.close")} onClick={() => close(id)}>
          <Icon name="close" />
        </button>
      </div>
    ))}
  </div>
);
