// SPDX-License-Identifier: Apache-2.0
// The broker's events, read without a gap: remembers the last cursor, comes back with it after any
// break, and notices a connection that has gone silent. Server-Sent Events over fetch, because an
// EventSource neither says why it ended nor shows heartbeats.
import type { Wire } from "./types";

const SILENCE_MS = 45_000; // the broker sends something every 15 s
const RETRY_FIRST_MS = 150;
const RETRY_MAX_MS = 15_000;
const SLICE_MS = 8; // of parsing, before the page gets a turn

export type StreamState = "connecting" | "live" | "lost" | "refused";

export interface StreamHandler {
  events(batch: Wire[]): void;
  state(state: StreamState, retryAt?: number): void;
  // Something came, be it a heartbeat.
  alive?(): void;
}

// Turns text that arrives in pieces into events.
export class SseParser {
  private rest = "";

  // What is complete so far, one `data:` document each.
  *feed(text: string): Generator<Wire> {
    this.rest += text;
    let start = 0;
    for (;;) {
      const end = this.rest.indexOf("\n\n", start);
      if (end < 0) break;
      const event = parseFrame(this.rest.slice(start, end));
      start = end + 2;
      if (event) yield event;
    }
    this.rest = this.rest.slice(start);
  }
}

function parseFrame(frame: string): Wire | undefined {
  let data = "";
  let id: string | undefined;
  for (const line of frame.split("\n")) {
    if (line.startsWith("data: ")) data += (data && "\n") + line.slice(6);
    else if (line.startsWith("data:")) data += (data && "\n") + line.slice(5);
    else if (line.startsWith("id:")) id = line.slice(3).trim();
  }
  if (!data) return undefined;
  try {
    const event = JSON.parse(data) as Wire;
    if (id !== undefined) event.id = id;
    return event;
  } catch {
    return undefined; // not ours to fix; the next one may be good
  }
}

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      resolve();
    };
    channel.port2.postMessage(null);
  });

export class EventStream {
  private cursor: string | undefined;
  private retryMs = RETRY_FIRST_MS;
  private abort: AbortController | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isStopped = true;
  private wasOpen = false;

  constructor(
    private readonly path: string,
    private readonly handler: StreamHandler,
    cursor?: string, // to go on from
  ) {
    this.cursor = cursor;
  }

  start(): void {
    this.isStopped = false;
    void this.run();
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
    this.abort?.abort();
  }

  // Now rather than when the pause is over: the network is back, or a person asks.
  retry(): void {
    if (this.isStopped || this.timer === undefined) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    void this.run();
  }

  private async run(): Promise<void> {
    this.handler.state("connecting");
    this.abort = new AbortController();
    try {
      const response = await this.open(this.abort.signal);
      if (response.status === 401 || response.status === 403) {
        this.isStopped = true;
        this.handler.state("refused");
        return;
      }
      if (response.ok && response.body) await this.read(response.body.getReader(), this.abort);
    } catch {
      // The reason makes no difference: it is lost, and comes back.
    }
    this.comeBack();
  }

  private open(signal: AbortSignal): Promise<Response> {
    const after = this.cursor === undefined ? "" : `?after=${this.cursor}`;
    return fetch(this.path + after, {
      headers: { Accept: "text/event-stream" },
      credentials: "same-origin",
      cache: "no-store",
      signal,
    });
  }

  private async read(reader: ReadableStreamDefaultReader<Uint8Array>, abort: AbortController): Promise<void> {
    const parser = new SseParser();
    const decoder = new TextDecoder();
    let watchdog = setTimeout(() => abort.abort(), SILENCE_MS);
    this.retryMs = RETRY_FIRST_MS;
    // Without a cursor a snapshot comes, and what an earlier one had begun to tell is void.
    if (this.cursor === undefined && this.wasOpen) this.handler.events([{ type: "reset" }]);
    this.wasOpen = true;
    this.handler.state("live");
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        clearTimeout(watchdog);
        watchdog = setTimeout(() => abort.abort(), SILENCE_MS);
        this.handler.alive?.();
        await this.deliver(parser.feed(decoder.decode(value, { stream: true })));
      }
    } finally {
      clearTimeout(watchdog);
    }
  }

  private async deliver(events: Iterable<Wire>): Promise<void> {
    let batch: Wire[] = [];
    let until = performance.now() + SLICE_MS;
    const hand = () => {
      if (batch.length > 0) this.handler.events(batch);
      // Only what was handled counts as seen.
      for (const event of batch) {
        if (event.type === "reset") this.cursor = undefined;
        else if (event.id !== undefined) this.cursor = event.id;
      }
      batch = [];
    };
    for (const event of events) {
      batch.push(event);
      if (performance.now() < until) continue;
      hand();
      await turn();
      until = performance.now() + SLICE_MS;
    }
    hand();
  }

  private comeBack(): void {
    if (this.isStopped) return;
    const pause = this.retryMs * (0.75 + Math.random() / 2);
    this.retryMs = Math.min(this.retryMs * 2, RETRY_MAX_MS);
    this.handler.state("lost", Date.now() + pause);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.run();
    }, pause);
  }
}
