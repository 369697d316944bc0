// SPDX-License-Identifier: Apache-2.0
// One session: what was said and done, its questions in place, and a line to the agent.
import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../i18n";
import { post } from "../../model/api";
import { chatOf, type Chat } from "../../model/chat";
import { showError } from "../../model/notices";
import { address, go } from "../../model/route";
import { asksBySession, lookUp, pending, sessions, settled, stateOf } from "../../model/state";
import type { Item } from "../../model/transcript";
import type { Ask, Session } from "../../model/types";
import { visible } from "../../model/visible";
import { Blank, Loading } from "../blank";
import { Boundary } from "../boundary";
import { Card, sessionTitle } from "../card/card";
import { Icon } from "../icons";
import { StateBadge } from "../state_badge";
import { Composer } from "./composer";
import { MessageItem, SendingItem, TextItem } from "./messages";
import { SettledItem } from "./settled_item";
import { ToolItem } from "./tool";

// A chat that breaks as a whole is read again from the broker's log.
export function ChatView({ id }: { id: string }) {
  const broken = (again: () => void) => (
    <div class="blank" role="alert">
      <p>{t("chat.broken")}</p>
      <button
        type="button"
        class="primary"
        onClick={() => {
          void chatOf(id).load();
          again();
        }}
      >
        {t("chat.reload")}
      </button>
    </div>
  );
  return (
    <Boundary of={id} fallback={broken}>
      <Conversation id={id} />
    </Boundary>
  );
}

function Conversation({ id }: { id: string }) {
  const session = sessions.value.get(id);
  const chat = chatOf(id);
  const log = useRef<HTMLDivElement>(null);
  const waiting = asksBySession.value.get(id)?.[0];
  if (!session && chat.isGone.value) return <Missing chat={chat} />;
  // It may stand screens above, or before what was loaded.
  const showAsk = (ask: Ask) => {
    const card = log.current?.querySelector<HTMLElement>(`[data-ask="${CSS.escape(ask.id)}"] .card`);
    if (!card) return go({ view: "inbox", ask: ask.id });
    card.scrollIntoView({ block: "start" });
    card.focus({ preventScroll: true });
  };
  return (
    <div class="chat">
      <Head id={id} session={session} />
      <Log chat={chat} place={log} isWorking={session !== undefined && stateOf(session) === "working"} />
      {session?.ended_at ? (
        <p class="chat-end hint">{t("chat.end_session")}</p>
      ) : (
        <Composer session={id} onSay={(words) => chat.say(words)} {...(waiting && { onShowAsk: () => showAsk(waiting) })} />
      )}
    </div>
  );
}

function Missing({ chat }: { chat: Chat }) {
  return (
    <Blank icon="search" title={t("chat.gone")}>
      <div class="buttons">
        <button type="button" onClick={() => void chat.load()}>
          {t("chat.reload")}
        </button>
        <a class="button" href="#/sessions">
          {t("chat.to_sessions")}
        </a>
      </div>
    </Blank>
  );
}

function Head({ id, session }: { id: string; session: Session | undefined }) {
  const isAsking = useSignal(false);
  const children = [...sessions.value.values()].filter((one) => one.parent === id);
  const state = session && stateOf(session);
  return (
    <header class="chat-head">
      <div class="line">
        <div class="chat-title">
          <h2 dir="auto">{sessionTitle(id)}</h2>
          {session && <StateBadge session={session} />}
          {session?.agent && <span class="hint" dir="auto">{visible(session.agent)}</span>}
        </div>
        {(state === "working" || state === "waiting") && !isAsking.value && (
          <button type="button" class="small" onClick={() => (isAsking.value = true)}>
            <Icon name="stop" /> {t("chat.abort")}
          </button>
        )}
      </div>
      {session?.parent && (
        <p class="hint">
          <Icon name="branch" flips />{" "}
          <a href={address({ view: "sessions", session: session.parent })}>
            {t("sessions.sub", { parent: sessionTitle(session.parent) })}
          </a>
        </p>
      )}
      {children.length > 0 && (
        <ul class="sub-sessions" aria-label={t("sessions.subs")}>
          {children.map((child) => (
            <li key={child.id}>
              <a class="sub-session" href={address({ view: "sessions", session: child.id })}>
                <Icon name="branch" flips /> <span dir="auto">{sessionTitle(child.id)}</span>{" "}
                <StateBadge session={child} />
              </a>
            </li>
          ))}
        </ul>
      )}
      {isAsking.value && (
        <div class="confirm" role="group" aria-label={t("chat.abort")}>
          <p>{t("chat.abort_question")}</p>
          <div class="buttons">
            <button type="button" onClick={() => (isAsking.value = false)}>
              {t("chat.abort_no")}
            </button>
            <button
              type="button"
              class="danger"
              onClick={() => {
                isAsking.value = false;
                post(`/v1/sessions/${encodeURIComponent(id)}/abort`).catch(showError);
              }}
            >
              {t("chat.abort_yes")}
            </button>
          </div>
        </div>
      )}
    </header>
  );
}

const NEAR_END_PX = 80;

interface LogProps {
  chat: Chat;
  place: RefObject<HTMLDivElement | null>;
  isWorking: boolean;
}

function Log({ chat, place, isWorking }: LogProps) {
  const inner = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const lastTop = useRef(0);
  const isAway = useSignal(false);
  const items = chat.transcript.value.items.value;

  const toEnd = () => {
    const log = place.current;
    if (log) log.scrollTop = log.scrollHeight;
  };
  // Who is at the end stays there as the text grows; who reads further up is left alone.
  useEffect(() => {
    const watcher = new ResizeObserver(() => isAtEnd.current && toEnd());
    watcher.observe(inner.current!);
    watcher.observe(place.current!);
    return () => watcher.disconnect();
  }, []);
  useLayoutEffect(toEnd, [chat.session, chat.state.value]);

  // What was read stays where it is when more comes before it.
  const fromEnd = useRef<number | null>(null);
  const showEarlier = () => {
    const log = place.current;
    if (log) fromEnd.current = log.scrollHeight - log.scrollTop;
    chat.loadEarlier().catch(showError);
  };
  useLayoutEffect(() => {
    const log = place.current;
    if (!log || fromEnd.current === null) return;
    log.scrollTop = log.scrollHeight - fromEnd.current;
    fromEnd.current = null;
  }, [items[0]?.id]);

  const onScroll = () => {
    const log = place.current;
    if (!log) return;
    const isNear = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR_END_PX;
    // A text that grew since is no reader who went up.
    if (isNear || log.scrollTop < lastTop.current) isAtEnd.current = isNear;
    lastTop.current = log.scrollTop;
    isAway.value = !isAtEnd.current;
  };

  return (
    <div class="log-frame">
      <div class="log" ref={place} onScroll={onScroll} role="log" aria-label={t("chat.log")} tabIndex={0}>
        <div class="log-inner" ref={inner}>
          {chat.hasEarlier.value && (
            <button type="button" class="quiet small" onClick={showEarlier}>
              {t("chat.earlier")}
            </button>
          )}
          {items.length === 0 && (chat.state.value === "loading" ? <Loading /> : <p class="hint">{t("chat.empty")}</p>)}
          {items.map((item) => (
            <Boundary key={item.id} of={item} fallback={() => <BadItem />}>
              <ItemView item={item} chat={chat} />
            </Boundary>
          ))}
          {isWorking && (
            <p class="working hint">
              <span class="spinner" /> {t("chat.working")}
            </p>
          )}
        </div>
      </div>
      {isAway.value && (
        <button type="button" class="to-end small" onClick={toEnd}>
          {t("chat.latest")}
        </button>
      )}
    </div>
  );
}

const BadItem = () => <p class="hint">{t("chat.bad_part")}</p>;

function ItemView({ item, chat }: { item: Item; chat: Chat }) {
  switch (item.kind) {
    case "text":
      return <TextItem item={item} />;
    case "tool":
      return <ToolItem item={item} />;
    case "message":
      return <MessageItem item={item} />;
    case "sending":
      return <SendingItem message={item.message} onDiscard={() => chat.discard(item.message)} />;
    case "ask":
      return <AskItem id={item.id} />;
    case "notice":
      return (
        <p class={`told is-${item.level} hint`} dir="auto">
          {item.level !== "info" && <Icon name="warn" />} {visible(item.text)}
        </p>
      );
    case "broken":
      return <BadItem />;
    case "finish":
      return (
        <p class="turn-end hint">
          <span>{item.reason ? visible(item.reason) : t("chat.finished")}</span>
        </p>
      );
  }
}

function AskItem({ id }: { id: string }) {
  const ask = pending.value.get(id) ?? settled.value.get(id);
  useEffect(() => {
    if (!ask) void lookUp(id);
  }, [id]);
  if (!ask) return null;
  return <div data-ask={id}>{ask.settlement ? <SettledItem ask={ask} /> : <Card ask={ask} isInChat />}</div>;
}
