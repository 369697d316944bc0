// SPDX-License-Identifier: Apache-2.0
// `parley run llm` in a real terminal: spoken to, asking, killed with the question open, and resumed.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Screen } from "../claude/support/screen.mjs";
import { World, ask, question } from "./support/world.mjs";

const script = ({ users, results }) => {
  if (users.at(-1) === "hello") return { text: "Hello yourself." };
  return results.length === 0 ? { text: "Let me ask.", calls: [ask("c_0", question("Which colour?"))] }
    : { text: `You said ${/="(\w+)"/.exec(results[0].result)[1]}.` };
};

async function answer(screen, number, mark) {
  await screen.keys(number);
  await screen.shows(mark);
  // A key so soon after a prompt has come up is taken for a stray one.
  await screen.press("Enter", mark);
}

test("a conversation in the terminal: words as they come, the question as a prompt", async (t) => {
  const w = await World.start(t, "anthropic", script);
  w.project = w.broker.folder;
  const screen = await Screen.parley(t, w, "run", "llm", ...w.modelOptions, "--session", "s");
  await screen.shows(">");
  await screen.type("hello");
  await screen.keys("Enter");
  await screen.shows("Hello yourself.\n\n>");
  await screen.type("paint it");
  await screen.keys("Enter");
  await screen.shows("Which colour?");
  await w.asked();
  await answer(screen, "2", "2 ● Green");
  await screen.shows("You said Green.\n\n>");
  await screen.keys("C-d");
  const last = await screen.shows("code=");
  assert.match(last, /used 300 tokens in \(255 cached\), 60 out/);
  assert.match(last, /To go on: parley run llm --resume s/);
});

test("killed with the question open, resumed, and asked the same again", async (t) => {
  const w = await World.start(t, "openai", script);
  w.project = w.broker.folder;
  const first = await Screen.parley(t, w, "run", "llm", ...w.modelOptions, "--session", "s", "paint it");
  await first.shows("Which colour?");
  const { id } = await w.asked();
  await first.kill();
  const again = await Screen.parley(t, w, "run", "llm", "--resume", "s");
  await again.shows("Which colour?");
  assert.equal((await w.asked()).id, id);
  await answer(again, "1", "1 ● Blue");
  await again.shows("You said Blue.");
  assert.equal(w.model.requests.length, 2, "what was said is not asked for again");
});
