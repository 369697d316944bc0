// SPDX-License-Identifier: Apache-2.0
// A text that grows, cut into blocks that will not change any more and the rest that may. Tells its
// readers a few times a second, however often it grows, and a few blocks at a time, so that no frame
// has much to lay out.
import { signal, type Signal } from "@preact/signals";
import { blocks } from "./blocks";

const PAUSE_MS = 40;
const BLOCKS_AT_ONCE = 4;
const CATCH_UP_FRAMES = 40; // in which any backlog is shown

const dirty = new Set<GrowingText>();
let isScheduled = false;
let flushedAt = 0;
let channel: MessageChannel | undefined;

// A page that is not seen gets no frames, and must go on nevertheless.
function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  if (!document.hidden) return void requestAnimationFrame(flush);
  channel ??= new MessageChannel();
  channel.port1.onmessage = flush;
  channel.port2.postMessage(null);
}

function flush(): void {
  const now = performance.now();
  if (!document.hidden && now - flushedAt < PAUSE_MS) return void requestAnimationFrame(flush);
  flushedAt = now;
  isScheduled = false;
  const texts = [...dirty];
  dirty.clear();
  for (const text of texts) text.publish();
}

export interface Shown {
  done: readonly string[]; // grows, and what stands in it stays
  tail: string;
}

export class GrowingText {
  readonly shown: Signal<Shown> = signal({ done: [], tail: "" });
  private whole = "";
  private done: string[] = [];
  private rest = "";

  append(text: string): void {
    this.whole += text;
    this.rest += text;
    dirty.add(this);
    schedule();
  }

  // All of it, from its start; what is shown already stays as it is.
  replace(text: string): void {
    if (text.startsWith(this.whole)) {
      if (text.length > this.whole.length) this.append(text.slice(this.whole.length));
      return;
    }
    this.whole = text;
    this.done = [];
    this.rest = text;
    dirty.add(this);
    schedule();
  }

  publish(): void {
    let tail = this.rest;
    // Only a text with an empty line in it can have a finished block.
    if (this.rest.includes("\n\n")) {
      const found = blocks(this.rest);
      const most = Math.max(BLOCKS_AT_ONCE, Math.ceil(found.length / CATCH_UP_FRAMES));
      const fresh = found.splice(0, Math.min(most, found.length - 1));
      const ending = /\n*$/.exec(this.rest)![0];
      this.rest = found.join("\n\n") + ending;
      if (fresh.length > 0) this.done = [...this.done, ...fresh];
      const isBehind = found.length > 1;
      tail = isBehind ? "" : this.rest;
      if (isBehind) {
        dirty.add(this);
        schedule();
      }
    }
    this.shown.value = { done: this.done, tail };
  }
}
