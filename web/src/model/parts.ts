// SPDX-License-Identifier: Apache-2.0
// A text that grows, cut into blocks that will not change any more and the rest that may. Tells its
// readers once a frame, however often it grows.
import { signal, type Signal } from "@preact/signals";
import { blocks } from "./markdown";

const dirty = new Set<GrowingText>();
let isScheduled = false;
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
  private done: string[] = [];
  private rest = "";

  get text(): string {
    return [...this.done, this.rest].join("\n\n");
  }

  append(text: string): void {
    this.rest += text;
    dirty.add(this);
    schedule();
  }

  // All of it, from its start.
  replace(text: string): void {
    this.done = [];
    this.rest = text;
    dirty.add(this);
    schedule();
  }

  publish(): void {
    // Only a text with an empty line in it can have a finished block.
    if (this.rest.includes("\n\n")) {
      const found = blocks(this.rest);
      if (found.length > 1) {
        this.rest = found.pop()! + (this.rest.endsWith("\n") ? "\n" : "");
        this.done = [...this.done, ...found];
      }
    }
    this.shown.value = { done: this.done, tail: this.rest };
  }
}
