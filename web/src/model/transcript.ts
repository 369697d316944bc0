// SPDX-License-Identifier: Apache-2.0
// What was said and done in a session, as a fold over its events: each event once, in order.
import { signal, type Signal } from "@preact/signals";
import type { Outgoing } from "./outbox";
import { GrowingText } from "./parts";
import { isNewer, type Message, type Part, type TextPart, type ToolPart, type Wire } from "./types";

export type Item =
  | { kind: "text"; id: string; text: GrowingText; isDone: Signal<boolean> }
  | { kind: "tool"; id: string; tool: Signal<ToolCall> }
  | { kind: "message"; id: string; message: Message; at: string; isQueued: Signal<boolean> }
  | { kind: "sending"; id: string; message: Outgoing }
  | { kind: "ask"; id: string }
  | { kind: "finish"; id: string; reason: string }
  | { kind: "notice"; id: string; text: string; level: "info" | "warning" | "error" }
  | { kind: "broken"; id: string };

export interface ToolCall {
  tool: string;
  input: string;
  output?: string;
  state: "running" | "done" | "failed";
}

// A part that has begun and not ended.
export interface Unfinished {
  kind: "text" | "tool";
  tool: string;
  text: string;
}

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? "");
export const isText = (part: Part): part is TextPart => part.type.startsWith("text-");
export const isTool = (part: Part): part is ToolPart => "call_id" in part;
export const partId = (part: Part): string => ("part_id" in part ? part.part_id : isTool(part) ? part.call_id : "");

export class Transcript {
  readonly items = signal<Item[]>([]);
  private readonly byId = new Map<string, Item>();
  private seen = ""; // the newest cursor that was taken

  take(event: Wire): void {
    if (event.id !== undefined) {
      if (this.seen && !isNewer(event.id, this.seen)) return;
      this.seen = event.id;
    }
    try {
      this.fold(event);
    } catch (error) {
      console.error("parley:", error);
      this.add({ kind: "broken", id: `broken ${event.id ?? this.items.value.length}` });
    }
  }

  private fold(event: Wire): void {
    if (event.type === "session.part") this.takePart(event.part, event.id);
    else if (event.type === "session.message") this.takeMessage(event);
    else if (event.type === "ask.opened") this.add({ kind: "ask", id: event.ask.id });
    else if (event.type === "notice")
      this.add({ kind: "notice", id: `notice ${event.id}`, text: event.text ?? "", level: event.level ?? "info" });
  }

  has(id: string): boolean {
    return this.byId.has(id);
  }

  add(item: Item): void {
    if (this.byId.has(item.id)) return;
    this.byId.set(item.id, item);
    this.items.value = [...this.items.value, item];
  }

  drop(id: string): void {
    if (this.byId.delete(id)) this.items.value = this.items.value.filter((item) => item.id !== id);
  }

  // What lies before all of this.
  prepend(earlier: Transcript): void {
    const fresh = earlier.items.value.filter((item) => !this.byId.has(item.id));
    for (const item of fresh) this.byId.set(item.id, item);
    this.items.value = [...fresh, ...this.items.value];
  }

  openPart(id: string, part: Unfinished): void {
    this.takePart(startOf(id, part), undefined);
  }

  private takePart(part: Part, cursor: string | undefined): void {
    if (part.type === "finish") this.add({ kind: "finish", id: `finish ${cursor}`, reason: part.reason ?? "" });
    else if (isText(part)) this.takeText(part);
    else if (isTool(part)) this.takeTool(part);
  }

  private takeText(part: TextPart): void {
    const id = `text ${part.part_id}`;
    let item = this.byId.get(id);
    if (item?.kind !== "text") {
      item = { kind: "text", id, text: new GrowingText(), isDone: signal(false) };
      this.add(item);
    }
    if (part.type === "text-end") {
      if (part.text !== undefined) item.text.replace(part.text);
      item.isDone.value = true;
    } else if (part.type === "text-start" || part.replace) {
      item.isDone.value = false;
      item.text.replace(part.text ?? "");
    } else {
      item.text.append(part.text);
    }
  }

  private takeTool(part: ToolPart): void {
    const id = `tool ${part.call_id}`;
    let item = this.byId.get(id);
    if (item?.kind !== "tool") {
      item = { kind: "tool", id, tool: signal({ tool: part.tool ?? "", input: "", state: "running" }) };
      this.add(item);
    }
    item.tool.value = nextCall(item.tool.value, part);
  }

  private takeMessage(event: Wire & { type: "session.message" }): void {
    if ("taken_up_to" in event) {
      for (const item of this.items.value)
        if (item.kind === "message" && item.message.id <= event.taken_up_to) item.isQueued.value = false;
      return;
    }
    this.drop(`sent ${event.message.id}`);
    this.add({
      kind: "message",
      id: event.message.id,
      message: event.message,
      at: event.at,
      isQueued: signal(true),
    });
  }
}

// The beginning of a part that is known up to here.
export const startOf = (id: string, { kind, tool, text }: Unfinished): Part =>
  kind === "text" ? { type: "text-start", part_id: id, text } : { type: "tool-input-start", call_id: id, tool, text };

function nextCall(call: ToolCall, part: ToolPart): ToolCall {
  const tool = part.tool ?? call.tool;
  switch (part.type) {
    case "tool-input-start":
      return { ...call, tool, input: part.text ?? "", state: "running" };
    case "tool-input-delta":
      return { ...call, tool, input: part.replace ? part.text : call.input + part.text };
    case "tool-input-available":
      return { ...call, tool, input: part.input === undefined ? call.input : asText(part.input) };
    case "tool-input-error":
      return { ...call, tool, output: asText(part.error), state: "failed" };
    case "tool-output":
      return { ...call, tool, output: asText(part.output), state: part.error ? "failed" : "done" };
    default:
      return call; // of a newer broker
  }
}
