// SPDX-License-Identifier: Apache-2.0
// The agents' conversations: a list with sub-sessions under their parents, and the one that is open.
import { computed, signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { ago, t } from "../i18n";
import { hostedAgent, NEW } from "../model/hosted";
import { address, route } from "../model/route";
import { slowNow } from "../model/clock";
import { isLoaded, sessions, stateOf } from "../model/state";
import type { Session } from "../model/types";
import { visible } from "../model/visible";
import { Blank, Command, Loading } from "./blank";
import { Boundary } from "./boundary";
import { sessionTitle } from "./card/card";
import { ChatView } from "./chat/chat";
import { useFocusOnOpen } from "./focus";
import { Icon } from "./icons";
import { NewSession, NewSessionLink } from "./new_session";
import { Rows } from "./rows";
import { SearchField } from "./search";
import { StateBadge } from "./state_badge";

const search = signal("");

interface Listed {
  session: Session;
  depth: number;
}

// Those that need a person first, then those that do something, the newest first; each followed by
// its sub-sessions, and placed by the neediest of them.
const NEED = { waiting: 0, working: 1, idle: 2, ended: 3 };

const listed = computed<Listed[]>(() => {
  const words = search.value.trim().toLowerCase();
  const all = [...sessions.value.values()].filter(
    (session) => !words || `${session.title} ${session.name} ${session.agent} ${session.id}`.toLowerCase().includes(words),
  );
  const known = new Set(all.map((session) => session.id));
  const children = new Map<string, Session[]>();
  for (const session of all) {
    const parent = session.parent && known.has(session.parent) ? session.parent : "";
    children.set(parent, [...(children.get(parent) ?? []), session]);
  }
  const need = new Map<string, number>();
  const needOf = (session: Session): number => {
    const known = need.get(session.id);
    if (known !== undefined) return known;
    need.set(session.id, NEED[stateOf(session)]); // also ends a circle of parents
    const least = Math.min(need.get(session.id)!, ...(children.get(session.id) ?? []).map(needOf));
    need.set(session.id, least);
    return least;
  };
  const found: Listed[] = [];
  const add = (parent: string, depth: number) => {
    const group = children.get(parent) ?? [];
    group.sort((a, b) => needOf(a) - needOf(b) || (a.id < b.id ? 1 : -1));
    for (const session of group) {
      found.push({ session, depth });
      add(session.id, depth + 1);
    }
  };
  add("", 0);
  return found;
});

export function Sessions() {
  const wanted = route.value.view === "sessions" ? route.value.session : undefined;
  const place = useFocusOnOpen(wanted && address(route.value));
  return (
    <div class={`split ${wanted ? "shows-detail" : ""}`} ref={place}>
      <section class="list-pane" aria-label={t("sessions.list")}>
        <div class="list-head">
          <div class="list-title">
            <h2 class="title">{t("sessions.title")}</h2>
            {hostedAgent.value && <NewSessionLink />}
          </div>
          {sessions.value.size > 0 && <SearchField value={search} label={t("sessions.search")} />}
        </div>
        {listed.value.length === 0 ? (
          <Nothing />
        ) : (
          <Rows
            items={listed.value}
            row={({ session, depth }) => (
              <SessionRow key={session.id} session={session} depth={depth} isOpen={session.id === wanted} />
            )}
            isOpen={({ session }) => session.id === wanted}
            open={wanted}
          />
        )}
      </section>
      <section class="detail-pane is-chat" aria-label={t("chat.log")}>
        {wanted && (
          <a class="back" href="#/sessions" data-back>
            <Icon name="back" flips /> {t("card.back")}
          </a>
        )}
        {wanted === NEW && hostedAgent.value && <NewSession />}
        {wanted && wanted !== NEW && <ChatView key={wanted} id={wanted} />}
        {!wanted && sessions.value.size > 0 && <p class="blank hint">{t("sessions.choose")}</p>}
      </section>
    </div>
  );
}

function Nothing() {
  if (search.value) return <p class="list-empty hint">{t("sessions.none_found")}</p>;
  if (!isLoaded.value) return <Loading />;
  return (
    <Blank title={t("sessions.empty")}>
      <p class="hint">{t("sessions.empty_hint")}</p>
      <Command text="parley run demo" />
    </Blank>
  );
}

// One that cannot be laid out can still be opened, and leaves the others alone.
function SessionRow({ session, depth, isOpen }: Listed & { isOpen: boolean }) {
  const link = (words: ComponentChildren) => (
    <a class="row" href={address({ view: "sessions", session: session.id })} aria-current={isOpen ? "true" : undefined}>
      {words}
    </a>
  );
  return (
    <li class={`depth-${Math.min(depth, 3)}`}>
      <Boundary of={session} fallback={() => link(<span class="row-text">{session.id}</span>)}>
        {link(<SessionWords session={session} depth={depth} />)}
      </Boundary>
    </li>
  );
}

const SessionWords = ({ session, depth }: Listed) => (
  <>
    <span class="row-top">
      {depth > 0 && <Icon name="branch" flips />}
      <span class="row-text" dir="auto">
        {sessionTitle(session.id)}
      </span>
      <time class="row-time" dateTime={session.created_at}>
        {ago(session.created_at, slowNow.value)}
      </time>
    </span>
    <span class="row-foot hint">
      <StateBadge session={session} />
      {session.agent && <span dir="auto">{visible(session.agent)}</span>}
    </span>
  </>
);
