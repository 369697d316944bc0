// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { EventStream, SseParser, type StreamState } from "../src/model/stream";
import type { Wire } from "../src/model/types";
import { answerWith, calls, until } from "./browser";

const frame = (event: object, id?: string): string => `${id ? `id: ${id}\n` : ""}data: ${JSON.stringify(event)}\n\n`;

test("frames are read however they are cut; comments and what is no JSON are passed over", () => {
  const parser = new SseParser();
  const text = `: hello\n\n${frame({ type: "notice", text: "ä" }, "7")}data: {no}\n\n${frame({ type: "reset" })}`;
  for (let at = 1; at < text.length; ++at) {
    const found = [...parser.feed(text.slice(0, at)), ...parser.feed(text.slice(at))];
    assert.deepEqual(found, [{ type: "notice", text: "ä", id: "7" }, { type: "reset" }]);
  }
});

// One connection after another, each with this text, then one that stays silent.
function serve(...texts: string[]): void {
  answerWith(() => {
    const text = texts.shift();
    if (text === undefined) return new Response(new ReadableStream(), { status: 200 });
    return new Response(text, { status: 200 });
  });
}

function listen(): { stream: EventStream; seen: Wire[]; states: StreamState[] } {
  const seen: Wire[] = [];
  const states: StreamState[] = [];
  const stream = new EventStream("/v1/events", {
    events: (batch) => seen.push(...batch),
    state: (state) => states.push(state),
  });
  return { stream, seen, states };
}

test("a broken connection comes back with the last cursor that was handled", async () => {
  const { stream, seen, states } = listen();
  serve(frame({ type: "snapshot.end" }, "5") + frame({ type: "notice" }, "6"), frame({ type: "notice" }, "7"));
  stream.start();
  await until(() => calls.length === 3);
  stream.stop();
  assert.deepEqual(calls.map(({ path }) => path), ["/v1/events", "/v1/events?after=6", "/v1/events?after=7"]);
  assert.deepEqual(seen.map(({ id }) => id), ["5", "6", "7"]);
  assert.deepEqual(states.slice(0, 4), ["connecting", "live", "lost", "connecting"]);
});

test("half a snapshot is void: the next one begins with a reset", async () => {
  const { stream, seen } = listen();
  serve(frame({ type: "ask.opened" }), frame({ type: "snapshot.end" }, "5"));
  stream.start();
  await until(() => seen.length === 3);
  stream.stop();
  assert.deepEqual(seen.map(({ type }) => type), ["ask.opened", "reset", "snapshot.end"]);
  assert.equal(calls[1]!.path, "/v1/events");
});

test("a reset forgets the cursor until the snapshot that follows it has ended", async () => {
  const { stream, seen } = listen();
  serve(frame({ type: "notice" }, "9") + frame({ type: "reset" }) + frame({ type: "ask.opened" }), frame({ type: "snapshot.end" }, "2"));
  stream.start();
  await until(() => seen.some(({ type }) => type === "snapshot.end"));
  stream.stop();
  assert.equal(calls[1]!.path, "/v1/events");
});

test("who is not let in is told, and does not knock again", async () => {
  const { stream, states } = listen();
  answerWith(() => new Response("", { status: 401 }));
  stream.start();
  await until(() => states.includes("refused"));
  stream.retry();
  assert.equal(calls.length, 1);
});

test("a person who asks now does not wait for the pause", async () => {
  const { stream, states } = listen();
  answerWith(() => undefined);
  stream.start();
  await until(() => states.at(-1) === "lost");
  serve();
  stream.retry();
  await until(() => states.at(-1) === "live");
  stream.stop();
});
