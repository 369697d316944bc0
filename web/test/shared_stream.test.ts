// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { SharedStream, type Platform } from "../src/model/shared_stream";
import type { StreamState } from "../src/model/stream";
import type { Wire } from "../src/model/types";
import { answerWith, calls, until } from "./browser";

const frame = (event: object, id?: string): string => `${id ? `id: ${id}\n` : ""}data: ${JSON.stringify(event)}\n\n`;

// A browser: one lock, one channel, and the tabs that share them.
class Browser {
  private readonly queue: { tab: number; run: () => Promise<void> | undefined; reject: (error: Error) => void }[] = [];
  private holder: { tab: number; reject: (error: Error) => void } | undefined;
  private readonly channels = new Map<number, { onmessage: ((event: never) => void) | null }>();
  private next = 0;

  platform(): Platform & { tab: number } {
    const tab = this.next++;
    const channel = { onmessage: null, postMessage: (word: unknown) => this.post(tab, word) };
    this.channels.set(tab, channel);
    return { tab, channel, locks: { request: (_: string, options: { steal?: boolean }, run: never) => this.request(tab, options, run) } as never };
  }

  // The tab is closed, or so fast asleep that it hears nothing.
  close(tab: number): void {
    this.channels.delete(tab);
    if (this.holder?.tab === tab) this.pass();
  }
  sleep(tab: number): void {
    this.channels.delete(tab);
  }

  private post(from: number, word: unknown): void {
    const data = JSON.parse(JSON.stringify(word)) as unknown;
    for (const [tab, channel] of this.channels)
      if (tab !== from) setTimeout(() => this.channels.has(tab) && channel.onmessage?.({ data } as never), 0);
  }

  private request(tab: number, { steal }: { steal?: boolean }, run: () => Promise<void> | undefined): Promise<void> {
    return new Promise((_, reject) => {
      this.queue[steal ? "unshift" : "push"]({ tab, run, reject });
      if (steal && this.holder) {
        this.holder.reject(new Error("stolen"));
        this.pass();
      } else if (!this.holder) this.pass();
    });
  }

  private pass(): void {
    this.holder = undefined;
    const next = this.queue.shift();
    if (!next) return;
    if (!this.channels.has(next.tab)) return this.pass();
    const mine = (this.holder = { tab: next.tab, reject: next.reject });
    void Promise.resolve(next.run()).then(() => this.holder === mine && this.pass());
  }
}

interface Tab {
  stream: SharedStream;
  seen: string[];
  states: StreamState[];
  number: number;
  come: number;
}

function open(browser: Browser): Tab {
  const platform = browser.platform();
  const tab: Tab = { seen: [], states: [], number: platform.tab, come: 0, stream: undefined as never };
  const told = new Set<string>();
  tab.stream = new SharedStream(
    "/v1/events",
    {
      events: (events) =>
        events.forEach((event: Wire) => {
          if (event.text) told.add(event.text);
          tab.seen.push(event.text ?? event.type);
        }),
      state: (state) => tab.states.push(state),
      snapshot: () => [...told].map((text) => ({ type: "notice", text })),
      signedIn: () => void ++tab.come,
    },
    platform,
  );
  tab.stream.start();
  return tab;
}

// A broker whose stream stays open, and is written to by a test.
function serve(): { write(text: string): void; streams: () => string[] } {
  let writer: ReadableStreamDefaultController<Uint8Array> | undefined;
  answerWith(() => new Response(new ReadableStream({ start: (controller) => void (writer = controller) }), { status: 200 }));
  return {
    write: (text) => writer!.enqueue(new TextEncoder().encode(text)),
    streams: () => calls.map(({ path }) => path),
  };
}

const notice = (n: number): string => frame({ type: "notice", text: String(n) }, String(n));
const END = frame({ type: "snapshot.end" }, "10");
const numbers = (tab: Tab): string => tab.seen.filter((text) => /^\d+$/.test(text)).join();

test("six tabs hold one connection, and a late one is told what the others know", async () => {
  const [browser, broker] = [new Browser(), serve()];
  const first = open(browser);
  await until(() => broker.streams().length === 1);
  broker.write(END + notice(11));
  await until(() => numbers(first) === "11");
  const others = Array.from({ length: 5 }, () => open(browser));
  await until(() => others.every((tab) => tab.seen.includes("snapshot.end")));
  broker.write(notice(12));
  await until(() => others.every((tab) => numbers(tab) === "11,12"));
  assert.ok(others.every((tab) => tab.states.at(-1) === "live"));
  assert.equal(broker.streams().length, 1);
});

test("when the reading tab closes the next goes on at its cursor: no gap, nothing twice", async () => {
  const [browser, broker] = [new Browser(), serve()];
  const tabs = [open(browser)];
  await until(() => broker.streams().length === 1);
  broker.write(END);
  tabs.push(open(browser), open(browser));
  await until(() => tabs.every((tab) => tab.seen.includes("snapshot.end")));
  broker.write(notice(11));
  await until(() => tabs.every((tab) => numbers(tab) === "11"));
  tabs[0]!.stream.stop();
  browser.close(tabs[0]!.number);
  await until(() => broker.streams().length === 2);
  assert.equal(broker.streams()[1], "/v1/events?after=11");
  broker.write(notice(12));
  await until(() => numbers(tabs[1]!) === "11,12" && numbers(tabs[2]!) === "11,12");
});

test("a tab that missed something asks for everything anew", async () => {
  const [browser, broker] = [new Browser(), serve()];
  const reader = open(browser);
  await until(() => broker.streams().length === 1);
  broker.write(END);
  const behind = open(browser);
  await until(() => behind.seen.includes("snapshot.end"));
  // What the reader says next builds on something that never came here.
  (behind.stream as unknown as { cursor: string }).cursor = "9";
  broker.write(notice(11));
  await until(() => behind.seen.includes("reset") && numbers(behind) === "11");
  assert.equal(numbers(reader), "11");
});

test("a reader that sleeps is replaced, and listens when it wakes", async () => {
  const [browser, broker] = [new Browser(), serve()];
  const sleeper = open(browser);
  await until(() => broker.streams().length === 1);
  broker.write(END);
  await until(() => sleeper.seen.includes("snapshot.end"));
  browser.sleep(sleeper.number);
  const next = open(browser);
  await until(() => broker.streams().length === 2);
  broker.write(END + notice(11));
  await until(() => numbers(next) === "11");
});

test("signed out in one tab is signed out in all, and so is signed in", async () => {
  const [browser, broker] = [new Browser(), serve()];
  const tabs = [open(browser)];
  await until(() => broker.streams().length === 1);
  broker.write(END);
  tabs.push(open(browser), open(browser));
  await until(() => tabs.every((tab) => tab.seen.includes("snapshot.end")));
  tabs[1]!.stream.refuse();
  await until(() => tabs.every((tab) => tab.states.at(-1) === "refused"));
  tabs[2]!.stream.start();
  tabs[2]!.stream.welcome();
  await until(() => tabs[0]!.come === 1 && tabs[1]!.come === 1);
});

test("where a browser has no locks every tab reads for itself", async () => {
  const broker = serve();
  const seen: Wire[] = [];
  const handler = { events: (events: Wire[]) => seen.push(...events), state: () => undefined, snapshot: () => [], signedIn: () => undefined };
  const stream = new SharedStream("/v1/events", handler, undefined);
  stream.start();
  await until(() => broker.streams().length === 1);
  broker.write(END);
  await until(() => seen.length === 1);
  stream.stop();
});
