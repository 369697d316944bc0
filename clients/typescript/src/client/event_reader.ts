// SPDX-License-Identifier: Apache-2.0
// The bytes of event streams as events, across connections: each once, in order.
import type { Cursor, Event } from "../native.js";
import type { Watched } from "./values.js";

export class EventReader {
  cursor: Cursor | undefined;
  readonly #snapshot = new Set<string>(); // asks that were given before the first cursor
  #decoder = new TextDecoder();
  #rest = "";
  #id: Cursor | undefined;
  #data: string[] = [];

  constructor(after?: Cursor) {
    this.cursor = after;
  }

  /** A new connection: what was cut off comes again. */
  begin(): void {
    this.#decoder = new TextDecoder();
    this.#rest = "";
    this.#clear();
  }

  *feed(chunk: Uint8Array): Generator<Watched> {
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) yield* this.#line(line.replace(/\r$/, ""));
  }

  *#line(line: string): Generator<Watched> {
    const [, name, value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name === "id") this.#id = value;
    else if (name === "data") this.#data.push(value);
    else if (line === "" && this.#data.length > 0) {
      const event = JSON.parse(this.#data.join("\n")) as Event;
      const cursor = this.#id;
      this.#clear();
      if (this.#isNew(event, cursor)) yield cursor === undefined ? { event } : { event, cursor };
    }
  }

  #isNew(event: Event, cursor: Cursor | undefined): boolean {
    if (cursor !== undefined) this.cursor = cursor;
    else if (event.type === "ask.opened") {
      if (this.#snapshot.has(event.ask.id)) return false;
      this.#snapshot.add(event.ask.id);
    }
    if (event.type === "snapshot.end" || event.type === "reset") this.#snapshot.clear();
    if (event.type === "reset") this.cursor = undefined;
    return true;
  }

  #clear(): void {
    this.#id = undefined;
    this.#data = [];
  }
}
