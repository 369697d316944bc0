// SPDX-License-Identifier: Apache-2.0
// Four agents that Parley runs ask at once: a model, two real Claude Codes, an agent made with the SDK of
// the Agent Client Protocol. What each is told is compared with what a person did, first in the page, in
// a real Chromium, then in `parley inbox`, in tmux.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";

import { AGENT } from "../acp/support/world.mjs";
import { text, tool } from "../claude/support/model.mjs";
import { Screen } from "../claude/support/screen.mjs";
import { World } from "../claude/support/world.mjs";
import { Model } from "../llm/support/model.mjs";
import { ask } from "../llm/support/world.mjs";
import { Browser } from "../support/browser.mjs";
import { PROGRAM, until } from "../support/broker.mjs";
import { HomeBroker } from "../support/home_broker.mjs";

const COMMAND = `set -eu
release=2026.11.3
mkdir -p dist/"$release"
for part in server worker page; do
  printf 'built %s of %s\\n' "$part" "$release" > dist/"$release"/"$part".txt
done
sha256sum dist/"$release"/*.txt > dist/"$release"/SHA256SUMS
chmod 444 dist/"$release"/*
ln -sfn "$release" dist/current
ls -l dist/current/`;
const PLAN = `# Move the nightly billing job to the new queue

1. Write the job's cursor to the table \`billing_runs\`
2. Run both for three nights, and compare the invoices
3. Switch the old one off; keep its schedule for a week
`;
const QUESTIONS = { questions: [
  { question: "Which of the two migrations shall run first on the customers' database?", header: "Order",
    multiSelect: false, options: [
      { label: "Split the address column", description: "Locks the table for about four minutes" },
      { label: "Add the index on created_at", description: "Runs beside everything else" }] },
  { question: "Whom shall I tell before it begins?", header: "Tell", multiSelect: true, options: [
    { label: "Support", description: "They answer the phones" },
    { label: "The customers with a contract", description: "Forty-two of them" },
    { label: "Nobody", description: "" }] },
] };
const ANSWERED = "User has answered your questions: "
  + '"Which of the two migrations shall run first on the customers\' database?"="Add the index on created_at", '
  + '"Whom shall I tell before it begins?"="Support, The customers with a contract". '
  + "You can now continue with the user's answers in mind.";
// Of the agent's form: what a person fills in, and what then reaches the agent.
const FILLED = { db: "lite", extras: ["dark", "off"], port: 8443, ratio: 0.75, sure: true,
  name: "Zoë’s shop, staging" };

const done = (seen) => seen.flatMap(({ content }) => content)
  .filter(({ type }) => type === "tool_result").length;
const builder = (seen) => (done(seen) > 0 ? [text("Released.")]
  : [tool("toolu_run", "Bash", { command: COMMAND, description: "Build and publish the release" })]);
// Claude Code names the file that the plan is to be written to.
const planner = (seen) => {
  const [path] = /[^\s"`\\]+\/plans\/[^\s"`\\]+\.md/.exec(JSON.stringify(seen));
  return [tool("toolu_file", "Write", { file_path: path, content: PLAN }),
    tool("toolu_plan", "ExitPlanMode", {}), text("Planned.")].slice(done(seen), done(seen) + 1);
};

// All four, once each has asked.
async function gather(t) {
  const broker = await HomeBroker.start();
  const worlds = [];
  t.after(async () => {
    for (const world of worlds) await world.stop();
    await broker.stop();
  });
  const start = async (script) => {
    worlds.push(await World.start(script, { broker }));
    return worlds.at(-1);
  };
  const model = await Model.start(({ results }) => (results.length > 0 ? { text: "On it." }
    : { text: "Before I touch the database:", calls: [ask("toolu_ask", QUESTIONS)] }));
  t.after(() => model.stop());
  const [build, plan] = [await start(builder), await start(planner)];
  const run = (w, kind, ...args) => w.spawn(PROGRAM, ["run", kind, ...args]);
  const runs = {
    llm: run(build, "llm", "--session", "Migrations of the customers' database, for the release of 3 November",
      "--api", "anthropic", "--base-url", model.url, "--model", "stand-in", "Migrate"),
    build: run(build, "claude", "Build and publish server, worker and page of the release of 3 November"),
    plan: run(plan, "claude", "Plan how the nightly billing job moves to the new queue", "--",
      "--permission-mode", "plan"),
    form: run(build, "acp", "--session", "Set up the staging shop, for the release of 3 November", "form", "--", ...AGENT),
  };
  const asks = await until(async () => {
    const found = (await broker.call("GET", "/v1/asks?state=pending")).body.asks;
    return found.length === 4 && found;
  }, "all four ask", 60_000).catch((error) => {
    throw new Error(`${error.message}: ${JSON.stringify(Object.values(runs).map(({ output, errors }) => output + errors))}`);
  });
  const find = (is) => asks.find(is).id;
  const ids = {
    llm: find(({ agent }) => agent === "llm"), plan: find(({ permission }) => permission?.plan),
    build: find(({ permission }) => permission?.input?.command), form: find(({ questions }) => questions.length > 2),
  };
  return { broker, w: build, model, build, plan, runs, ids };
}

// Each agent has exactly what was decided, and went on.
async function check({ broker, model, build, plan, runs, ids }, door) {
  for (const [name, run] of Object.entries(runs)) {
    const { code, errors } = await run.ended;
    assert.equal(code, 0, `${name}: ${errors}`);
  }
  assert.equal(model.requests.at(-1).results[0].result, ANSWERED);
  const files = execFileSync("cat", [join(build.project, "dist/current/page.txt")], { encoding: "utf8" });
  assert.equal(files, "built page of 2026.11.3\n", "the command ran as it was shown");
  assert.match((await plan.model.result("toolu_plan")).content, /^User has approved your plan\./);
  assert.deepEqual(JSON.parse(runs.form.output), { action: "accept", content: FILLED });
  for (const id of Object.values(ids))
    assert.equal((await broker.call("GET", `/v1/asks/${id}`)).body.settlement.door, door);
}

test("answered in the page", { timeout: 180_000 }, async (t) => {
  const all = await gather(t);
  const browser = await Browser.start();
  t.after(() => browser.stop());
  const page = await browser.program.newPage({ viewport: { width: 1280, height: 1000 }, locale: "en-GB" });
  page.setDefaultTimeout(20_000);
  const { body } = await all.broker.call("POST", "/sign-in/links", { as: "Pat" });
  const { pathname, search } = new URL(body.url);
  await page.goto(`${all.broker.url}${pathname}${search}#/`);
  await page.locator(".row").nth(3).waitFor();

  const open = async (id) => {
    await page.goto(`${all.broker.url}/#/ask/${id}`);
    const card = page.locator(`.card`).filter({ visible: true });
    await card.waitFor();
    return card;
  };
  // "Next", "Review", "Send": the one that leads on.
  const next = async (card) => card.locator("button.primary").click();
  const send = next;

  const permission = await open(all.ids.build);
  const shown = await permission.innerText();
  for (const line of COMMAND.split("\n")) assert.ok(shown.includes(line.trim()), `${line} in ${shown}`);
  await permission.getByRole("radio", { name: /Allow once/ }).click();
  await send(permission);

  const plan = await open(all.ids.plan);
  for (const words of ["Move the nightly billing job", "Run both for three nights", "keep its schedule for a week"])
    await plan.getByText(words).first().waitFor();
  await plan.getByRole("radio", { name: /Allow once/ }).click();
  await send(plan);

  const question = await open(all.ids.llm);
  await question.getByRole("radio", { name: /Add the index/ }).click();
  await next(question);
  await question.getByRole("checkbox", { name: /Support/ }).click();
  await question.getByRole("checkbox", { name: /customers with a contract/ }).click();
  await next(question);
  await send(question);

  const form = await open(all.ids.form);
  await form.getByRole("radio", { name: /SQLite/ }).click();
  await next(form);
  await form.getByRole("checkbox", { name: /Dark mode/ }).click();
  await form.getByRole("checkbox", { name: /Offline/ }).click();
  await next(form);
  for (const words of ["8443", "0.75"]) {
    await form.getByRole("textbox").fill(words);
    await next(form);
  }
  await form.getByRole("radio", { name: /Yes/ }).click();
  await next(form);
  await form.getByRole("textbox").fill(FILLED.name);
  await next(form);
  await send(form);
  await check(all, "page");
});

// A key until the screen shows this: one that comes too soon after a question appeared does nothing.
const press = async (screen, key, words) => until(async () => {
  await screen.keys(key);
  return until(async () => (await screen.text()).includes(words), words, 2_000).catch(() => false);
}, `${key} leads to ${words}`).catch(async (error) => {
  throw new Error(`${error.message}:\n${await screen.text()}`);
});

test("answered in `parley inbox`", { timeout: 180_000 }, async (t) => {
  const all = await gather(t);
  const screen = await Screen.parley(t, all.w, "inbox");
  await screen.shows("4 waiting");
  // Without how long it has waited.
  const inHand = async () => (await screen.text()).split("\n").find((line) => line.startsWith("❯"))
    ?.replace(/\s+\d+ (s|min)\b.*/, "");
  // The row in hand is the one with these words, and opened. Each key is seen to have worked before the next: one
  // that is still on its way would lead on from the row.
  const open = async (words, first) => {
    for (let row = await inHand(); !row?.includes(words); row = await inHand()) {
      if (row) await screen.keys("Down");
      await until(async () => (await inHand()) !== row, `a row after ${row}, on the way to ${words}`);
    }
    await press(screen, "Enter", first);
  };

  await open("set -eu", "❯ 1 ○ Allow once");
  const shown = await screen.text();
  for (const line of COMMAND.split("\n")) assert.ok(shown.includes(line), `${line} in ${shown}`);
  await screen.keys("1");
  await press(screen, "Enter", "3 waiting");

  await open("Move the nightly billing job", "❯ 1 ○ Allow once");
  await screen.shows("keep its schedule for a week");
  await screen.keys("1");
  await press(screen, "Enter", "2 waiting");

  await open("Which of the two migrations", "❯ 1 ○ Split the address column");
  await screen.keys("2");
  await press(screen, "Enter", "[Tell]");
  await screen.keys("1", "2");
  await press(screen, "Enter", "[Review]");
  await press(screen, "Enter", "1 waiting");

  await open("Which database?", "❯ 1 ○ PostgreSQL");
  await screen.keys("2");
  await press(screen, "Enter", "[Extras]");
  await screen.keys("1", "2");
  await press(screen, "Enter", "[Port]");
  await screen.type("8443");
  await press(screen, "Enter", "[Ratio]");
  await screen.type("0.75");
  await press(screen, "Enter", "[Sure]");
  await screen.keys("1");
  await press(screen, "Enter", "[Name]");
  await screen.type(FILLED.name);
  await press(screen, "Enter", "[Review]");
  await press(screen, "Enter", "0 waiting");
  await check(all, "terminal");
});
