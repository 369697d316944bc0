// SPDX-License-Identifier: Apache-2.0
// What the agent says and what people say to it.
import { memo } from "preact/compat";
import { clockTime, t } from "../../i18n";
import { flush, type Outgoing } from "../../model/outbox";
import { isMe, nameOf } from "../../model/people";
import type { Item } from "../../model/transcript";
import { visible } from "../../model/visible";
import { Block } from "../markdown";

type Of<K extends Item["kind"]> = Extract<Item, { kind: K }>;

const GROUP = 25; // finished blocks that are looked at as one

const Group = memo(function Group({ blocks }: { blocks: readonly string[] }) {
  return (
    <>
      {blocks.map((block, index) => (
        <Block key={index} text={block} />
      ))}
    </>
  );
}, (before, after) => before.blocks.length === after.blocks.length && before.blocks[0] === after.blocks[0]);

export function TextItem({ item }: { item: Of<"text"> }) {
  const { done, tail } = item.text.shown.value;
  const groups: (readonly string[])[] = [];
  for (let at = 0; at < done.length; at += GROUP) groups.push(done.slice(at, at + GROUP));
  return (
    <div class={`said-by-agent ${item.isDone.value ? "" : "is-growing"}`}>
      <div class="markdown" dir="auto">
        {groups.map((blocks, index) => (
          <Group key={index} blocks={blocks} />
        ))}
        {tail && <Block key="tail" text={tail} />}
      </div>
    </div>
  );
}

export const MessageItem = ({ item }: { item: Of<"message"> }) => (
  <div class="said-by-person">
    <div class="bubble" dir="auto">
      {visible(item.message.text)}
    </div>
    <p class="hint">
      {isMe(item.message.by) ? t("chat.you") : nameOf(item.message.by)}
      {item.at && ` · ${clockTime(item.at)}`}
      {item.isQueued.value && ` · ${t("chat.queued")}`}
    </p>
  </div>
);

export const SendingItem = ({ message, onDiscard }: { message: Outgoing; onDiscard(): void }) => (
  <div class="said-by-person">
    <div class="bubble" dir="auto">
      {visible(message.text)}
    </div>
    {message.state.value === "failed" ? (
      <p class="fault" role="alert">
        {t("chat.not_sent")}{" "}
        <button type="button" class="small" onClick={() => void flush()}>
          {t("send.retry")}
        </button>{" "}
        <button type="button" class="quiet small" onClick={onDiscard}>
          {t("chat.discard")}
        </button>
      </p>
    ) : (
      <p class="hint">{t("send.sending")}</p>
    )}
  </div>
);
