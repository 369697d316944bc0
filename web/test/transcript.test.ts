// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { blocks } from "../src/model/blocks";
import { Transcript } from "../src/model/transcript";
import type { Part } from "../src/model/types";
import { ask } from "./asks";
import { until } from "./browser";

const part = (of: Part, id?: string) => ({ type: "session.part", session: "ses_1", part: of, ...(id && { id }) });
const text = (transcript: Transcript): string => {
  const item = transcript.items.value.find(({ kind }) => kind === "text");
  const { done, tail } = item?.kind === "text" ? item.text.shown.value : { done: [], tail: "" };
  return [...done, tail].filter(Boolean).join("\n\n");
};

test("text grows, whole parts replace it, and each event counts once", async () => {
  const transcript = new Transcript();
  transcript.take(part({ type: "text-start", part_id: "p", text: "one " }));
  transcript.take(part({ type: "text-delta", part_id: "p", text: "two\n\nthr" }));
  transcript.take(part({ type: "text-end", part_id: "p", text: "one two\n\nthree" }, "10"));
  transcript.take(part({ type: "text-end", part_id: "p", text: "never" }, "10"));
  transcript.take(part({ type: "text-end", part_id: "q", text: "never" }, "9"));
  await until(() => text(transcript) === "one two\n\nthree");
  assert.equal(transcript.items.value.length, 1);
});

test("a tool call is one item from its input to its output", () => {
  const transcript = new Transcript();
  transcript.take(part({ type: "tool-input-start", call_id: "c", tool: "Bash" }));
  transcript.take(part({ type: "tool-input-delta", call_id: "c", text: '{"a"' }));
  transcript.take(part({ type: "tool-input-available", call_id: "c", input: { a: 1 } }, "1"));
  transcript.take(part({ type: "tool-output", call_id: "c", output: "no", error: true }, "2"));
  const [item] = transcript.items.value;
  assert.deepEqual(item?.kind === "tool" && item.tool.value, { tool: "Bash", input: '{\n  "a": 1\n}', output: "no", state: "failed" });
});

test("a message takes the place of the one that was being sent, and is queued until it is taken", () => {
  const transcript = new Transcript();
  const message = { id: "msg_1", text: "hi", by: { kind: "person" } as const };
  transcript.take({ type: "session.message", message, id: "1" });
  const [item] = transcript.items.value;
  assert.equal(item?.kind === "message" && item.isQueued.value, true);
  transcript.take({ type: "session.message", taken_up_to: "msg_1", id: "2" });
  assert.equal(item?.kind === "message" && item.isQueued.value, false);
});

test("what an agent tells without asking stands where it was told, once", () => {
  const transcript = new Transcript();
  for (const id of ["1", "1", "2"]) transcript.take({ type: "notice", session: "ses_1", text: `no. ${id}`, level: "error", id });
  assert.deepEqual(
    transcript.items.value.map((item) => item.kind === "notice" && [item.text, item.level]),
    [["no. 1", "error"], ["no. 2", "error"]],
  );
});

test("what cannot be read is one item, and the rest stands", (context) => {
  context.mock.method(console, "error", () => undefined);
  const transcript = new Transcript();
  transcript.take(part({ type: 7 } as never, "1"));
  transcript.take({ type: "ask.opened", ask: ask(), id: "2" });
  assert.deepEqual(transcript.items.value.map(({ kind }) => kind), ["broken", "ask"]);
});

test("earlier items come before, none of them twice", () => {
  const [now, earlier] = [new Transcript(), new Transcript()];
  const one = ask();
  now.take({ type: "ask.opened", ask: one, id: "5" });
  earlier.take(part({ type: "finish", reason: "done" }, "3"));
  earlier.take({ type: "ask.opened", ask: one, id: "4" });
  now.prepend(earlier);
  assert.deepEqual(now.items.value.map(({ kind }) => kind), ["finish", "ask"]);
});

test("a text is cut at empty lines, and never inside a fence", () => {
  assert.deepEqual(blocks("a\nb\n\n\nc\n\n```\nd\n\ne\n```\n\nf"), ["a\nb", "c", "```\nd\n\ne\n```", "f"]);
  assert.deepEqual(blocks("````\n```\n\nx"), ["````\n```\n\nx"]);
});
