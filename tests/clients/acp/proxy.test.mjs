// SPDX-License-Identifier: Apache-2.0
// `parley acp-proxy` between an editor and an agent that are made with the protocol's own SDK.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { PROGRAM, environment, until } from "../support/broker.mjs";
import { Editor } from "./support/editor.mjs";
import { World } from "./support/world.mjs";

const selected = (optionId) => ({ outcome: { outcome: "selected", optionId } });

test("the editor is first: the ask is withdrawn, and says what the editor chose", async (t) => {
  const w = await World.start(t);
  const editor = await Editor.start(w);
  const turn = editor.prompt("command");
  const request = await editor.asked();
  const ask = await w.asked();
  assert.equal(ask.session, editor.session);
  assert.equal(ask.questions[0].question, "May Tester run `make install`?");
  request.answer(selected("once"));
  assert.equal((await turn).stopReason, "end_turn");
  await editor.heard(`${JSON.stringify(selected("once"))}\n`);
  const { state, settlement } = await w.settled(ask.id);
  assert.equal(state, "withdrawn");
  assert.equal(settlement.note, "answered in the editor: Allow");
});

test("a person is first: the agent goes on with that, the editor drops its dialog, and its late answer "
  + "counts for nothing", async (t) => {
  const w = await World.start(t);
  const editor = await Editor.start(w);
  const turn = editor.prompt("command");
  const request = await editor.asked();
  const ask = await w.asked();
  await w.broker.answer(ask.id, [{ selected: ["Reject"], note: "not today" }]);
  assert.equal((await turn).stopReason, "end_turn");
  await editor.heard(`${JSON.stringify(selected("no"))}\n`);
  await until(() => request.isDropped, "the editor is told");
  request.answer(selected("always"));
  await editor.prompt("hello");
  await until(() => editor.said.includes('"heard":["hello"]'), "the agent goes on");
  assert.equal((await w.broker.call("GET", "/v1/asks")).body.asks[0].state, "answered");
});

test("a form in both places; a second one after it", async (t) => {
  const w = await World.start(t);
  const editor = await Editor.start(w);
  const first = editor.prompt("link");
  await editor.asked(1);
  await w.broker.answer((await w.asked()).id, [{ selected: ["I have opened it"] }]);
  await first;
  const second = editor.prompt("form");
  const request = await editor.asked(2);
  const ask = await w.asked();
  request.answer({ action: "decline" });
  await second;
  await editor.heard('{"action":"accept"}\n{"action":"decline"}\n');
  assert.equal((await w.settled(ask.id)).settlement.note, "answered in the editor: decline");
});

test("both at once, twenty times: one answer each", async (t) => {
  const w = await World.start(t);
  const editor = await Editor.start(w);
  for (let i = 1; i <= 20; ++i) {
    const turn = editor.prompt("edit");
    const request = await editor.asked(i);
    const ask = await w.asked();
    const answered = w.broker.answer(ask.id, [{ selected: ["Allow"] }]);
    request.answer(selected("no"));
    await Promise.all([turn, answered]);
    await w.settled(ask.id);
  }
  const answers = () => editor.said.trim().split("\n").length;
  await until(() => answers() >= 20, "all have answers");
  await editor.prompt("hello");
  await until(() => editor.said.includes("hello"), "the agent goes on");
  assert.equal(answers(), 21);
});

test("without a broker the editor works as before; one that comes back is told", async (t) => {
  const w = await World.start(t);
  const editor = await Editor.start(w);
  const turn = editor.prompt("command");
  const request = await editor.asked();
  const ask = await w.asked();
  await w.broker.kill();
  request.answer(selected("once"));
  assert.equal((await turn).stopReason, "end_turn");
  const next = editor.prompt("edit");
  const second = await editor.asked(2);
  await w.broker.restart();
  assert.equal((await w.settled(ask.id)).state, "withdrawn");
  await w.broker.answer((await w.asked()).id, [{ selected: ["Allow"] }]);
  await next;
  await until(() => second.isDropped, "the editor is told");
});

test("Parley's own tool and form are asked about nowhere else", async (t) => {
  const w = await World.start(t);
  const editor = await Editor.start(w);
  await editor.prompt("own");
  await editor.heard(`${JSON.stringify(selected("once"))}\n`);
  assert.equal(editor.requests.length, 0);
  const turn = editor.prompt("ownform");
  (await editor.asked()).answer({ action: "cancel" });
  await turn;
  assert.equal((await w.broker.call("GET", "/v1/asks")).body.asks.length, 0);
});

test("a permission is shown with what was told of its call before", async (t) => {
  const w = await World.start(t);
  const editor = await Editor.start(w);
  const turn = editor.prompt("bare");
  const ask = await w.asked();
  assert.match(ask.permission.diff, /-let b;\n\+let c;/);
  await w.broker.answer(ask.id, [{ selected: ["Allow"] }]);
  await turn;
});

test("a turn that the editor cancels takes its ask back", async (t) => {
  const w = await World.start(t);
  const editor = await Editor.start(w);
  const turn = editor.prompt("command");
  await editor.asked();
  const ask = await w.asked();
  editor.cancel();
  assert.equal((await turn).stopReason, "cancelled");
  const { state, settlement } = await w.settled(ask.id);
  assert.equal(state, "withdrawn");
  assert.equal(settlement.note, "Tester has ended its turn");
});

test("a turn that is stopped here is stopped in the agent, and its dialog goes", async (t) => {
  const w = await World.start(t);
  const editor = await Editor.start(w);
  const turn = editor.prompt("command");
  const request = await editor.asked();
  const ask = await w.asked();
  await w.broker.call("POST", `/v1/sessions/${ask.session}/abort`);
  assert.equal((await turn).stopReason, "cancelled");
  await until(() => request.isDropped, "the editor is told");
  assert.equal((await w.settled(ask.id)).state, "withdrawn");
});

// The agent here does not end with its input: it would work on for nobody.
test("an editor that is killed takes its agent along, and what it asked", async (t) => {
  const w = await World.start(t);
  const editor = spawn(process.execPath, [fileURLToPath(new URL("support/doomed_editor.mjs",
    import.meta.url))], { env: { ...environment(w.broker.variables), PARLEY_PROGRAM: PROGRAM },
    stdio: ["ignore", "pipe", "inherit"] });
  w.children.push(editor);
  const ask = await w.asked();
  const [proxy] = spawnSync("pgrep", ["-P", String(editor.pid)]).stdout.toString().trim().split("\n");
  editor.kill("SIGKILL");
  assert.equal((await w.settled(ask.id)).settlement.note, "Tester has ended");
  await until(() => !existsSync(`/proc/${proxy}`), "the proxy ends");
});

test("an agent that is killed leaves nothing open", async (t) => {
  const w = await World.start(t);
  const editor = await Editor.start(w);
  editor.prompt("command").catch(() => {});
  const ask = await w.asked();
  editor.child.kill("SIGTERM");
  assert.equal((await w.settled(ask.id)).state, "withdrawn");
});

test("every byte passes, both ways, with no broker at all; and the exit code", async () => {
  const child = spawn(PROGRAM, ["acp-proxy", "--", "sh", "-c", "cat; exit 7"],
    { env: environment(), stdio: ["pipe", "pipe", "pipe"] });
  const sent = Buffer.concat([Buffer.from("not JSON\r\n\n{\"id\" : 1 , \"method\":\"x\"}\n"),
    Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from(`${"x".repeat(20_000_000)}\n`)]);
  const got = [];
  child.stdout.on("data", (data) => got.push(data));
  child.stdin.end(sent);
  const [code] = await once(child, "close");
  assert.equal(code, 7);
  assert.ok(Buffer.concat(got).equals(sent));
});
