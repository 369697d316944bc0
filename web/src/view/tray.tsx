// SPDX-License-Identifier: Apache-2.0
// Below the content, which makes room for it: an answer that can still be taken back while something
// else is open, and short messages. Covers nothing, and moves nothing that one is about to press.
import { t } from "../i18n";
import { allInWords } from "../model/answers";
import { close, notices, type Notice } from "../model/notices";
import { openAsk } from "../model/reading";
import { address, go, route } from "../model/route";
import { undo, undoable } from "../model/submit";
import { sessionOf } from "../model/types";
import { visible } from "../model/visible";
import { sessionTitle } from "./card/card";
import { UndoBar } from "./card/progress";
import { focusCard } from "./focus";
import { Icon } from "./icons";
import { unpadded } from "./prose";

export const Tray = () => (
  <aside class="tray" aria-label={t("notice.label")}>
    <UndoElsewhere />
    <div class="notices" role="log" aria-live="polite">
      {notices.value.map((notice) => (
        <NoticeLine key={notice.id} notice={notice} />
      ))}
    </div>
  </aside>
);

function UndoElsewhere() {
  const work = undoable.value;
  const phase = work?.phase.value;
  const here = route.value;
  if (!work || phase?.kind !== "undo") return null;
  if (here.view === "sessions" && here.session === sessionOf(work.ask)) return null;
  if (here.view === "inbox" && openAsk.value?.id === work.ask.id) return null;
  // What was taken back is where one goes on.
  const back = () => {
    undo();
    go({ view: "inbox", ask: work.ask.id });
    focusCard(work.ask.id);
  };
  return (
    <UndoBar until={phase.until} answer={allInWords(work.ask, work.answers.value)} takesFocus={false} onUndo={back} />
  );
}

// Long ones are cut at two lines: who speaks has a session, where there is room.
const NoticeLine = ({ notice: { id, speaker, text, level, count } }: { notice: Notice }) => (
  <div class={`notice ${level}`}>
    <p class="notice-text">
      {speaker && (
        <a href={address({ view: "sessions", session: speaker })} dir="auto">
          {speaker === "?" ? t("notice.somebody") : sessionTitle(speaker)}
        </a>
      )}
      {speaker && ": "}
      <span dir="auto">{visible(unpadded(text))}</span>
    </p>
    {count > 1 && <span class="badge">×{count}</span>}
    <button type="button" class="quiet small" aria-label={t("notice.close")} onClick={() => close(id)}>
      <Icon name="close" />
    </button>
  </div>
);
