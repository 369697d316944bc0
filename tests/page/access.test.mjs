// SPDX-License-Identifier: Apache-2.0
// Everyone: axe finds nothing on any screen, light and dark; nothing is cut off on a small phone or
// at 200 % zoom, nor from right to left.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { DATABASE, DESKTOP, EXTRAS, PHONE, REMARKS, SMALLEST, Stage, strike } from "./support.mjs";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let stage;
let screens;
before(async () => {
  stage = await Stage.open();
  const { broker } = stage;
  const session = (await broker.call("POST", "/v1/sessions", { name: "work", title: "Build it", agent: "builder" })).body;
  await broker.call("POST", "/v1/sessions", { name: "sub", title: "Part", parent: "work" });
  const done = await stage.ask(DATABASE);
  await broker.answer(done.id, [{ selected: ["SQLite"], note: "ok" }]);
  await broker.call("POST", "/v1/sessions/work/events", [
    { type: "text-end", part_id: "t", text: "# Plan\n\n- [x] read\n\n```\ncode\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |" },
    { type: "tool-input-available", call_id: "c", tool: "Bash", input: { command: "make" } },
    { type: "tool-output", call_id: "c", output: "no", error: true },
    { type: "status", status: "working" },
  ]);
  await broker.call("POST", "/v1/sessions/work/messages", { text: "Hello" });
  const simple = await stage.ask(DATABASE, { urgency: "high", timeout_seconds: 3600, context: "Some *context* with `code`." });
  const several = await stage.ask([DATABASE, EXTRAS, REMARKS]);
  const preview = await stage.ask({ ...DATABASE, question: "Look?", options: [{ label: "A", preview: "# A\n\n`a`" }, "B"] });
  const wide = `| ${"column with a name | ".repeat(12)}\n|${"---|".repeat(12)}\n| ${"unbreakablevalue | ".repeat(12)}`;
  const both = await stage.ask(DATABASE, { session: "two", context: wide });
  await stage.ask({ ...DATABASE, options: [{ label: "A", preview: "x" }, "B"] }, { session: "two", context: "Other *context*." });
  await broker.call("POST", "/v1/sessions/two/events", [{ type: "text-end", part_id: "w", text: `${wide}\n\n\`\`\`\ncode\n\`\`\`` }]);
  const permission = await stage.ask(
    { question: "May it?", header: "May", options: ["Allow once", "Allow for this session", "Deny"] },
    { permission: { tool: "Edit", input: { file_path: "/a/b", old_string: "x\n", new_string: "y\n" } } },
  );
  screens = {
    inbox: "#/",
    card: `#/ask/${simple.id}`,
    steps: `#/ask/${several.id}`,
    preview: `#/ask/${preview.id}`,
    settled: `#/ask/${done.id}`,
    history: "#/history",
    sessions: "#/sessions",
    chat: `#/session/${session.id}`,
    settings: "#/settings",
    two: `#/session/${both.session_id}`,
    permission: `#/ask/${permission.id}`,
  };
});
after(() => stage.close());

async function faults(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join(" | ")}`);
}

const open = async (page, hash) => {
  await page.goto(`${stage.broker.url}/${hash}`);
  await page.locator("main").waitFor();
  await page.locator(".row, .page, .card, .chat").filter({ visible: true }).first().waitFor();
};

for (const colorScheme of ["light", "dark"]) {
  for (const [device, viewport] of [["desktop", DESKTOP], ["phone", PHONE]]) {
    test(`axe finds nothing, ${colorScheme}, ${device}`, async () => {
      const page = await stage.visit("#/", { colorScheme, viewport });
      for (const [name, hash] of Object.entries(screens)) {
        await open(page, hash);
        await stage.picture(page, `${name}-${device}-${colorScheme}`);
        assert.deepEqual(await faults(page), [], name);
      }
      await open(page, screens.steps);
      await page.getByRole("button", { name: "Review" }).click();
      await strike(page, "Control+Enter");
      assert.deepEqual(await faults(page), [], "review");
      await page.getByRole("button", { name: "Dismiss" }).click();
      assert.deepEqual(await faults(page), [], "dismiss");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Later" }).click();
      assert.deepEqual(await faults(page), [], "snooze");
      await page.keyboard.press("Escape");
      await open(page, screens.card);
      await page.getByRole("radio", { name: /SQLite/ }).click();
      assert.deepEqual(await faults(page), [], "undo");
      await page.evaluate(() => (location.hash = "#/settings"));
      await page.locator(".tray .undo").waitFor();
      assert.deepEqual(await faults(page), [], "undo elsewhere");
      await page.locator(".tray").getByRole("button", { name: "Undo" }).click();
      await page.getByRole("button", { name: "Send answer" }).waitFor();
      await open(page, screens.two);
      await page.locator(".log .card").nth(1).waitFor();
      assert.deepEqual(await faults(page), [], "two asks with contexts, a wide table");
      await page.evaluate(() => document.activeElement.blur());
      await page.keyboard.press("?");
      await page.getByRole("dialog").waitFor();
      assert.deepEqual(await faults(page), [], "keys");
      await page.keyboard.press("Escape");
      const stranger = await stage.visit("#/", { colorScheme, viewport, isSignedIn: false });
      await stranger.getByLabel("Token").waitFor();
      assert.deepEqual(await faults(stranger), [], "sign-in");
    });
  }
}

const overflow = (page) =>
  page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    const main = document.querySelector("main");
    return Math.max(scrollWidth - clientWidth, main.scrollWidth - main.clientWidth);
  });

for (const [name, options] of [
  ["320 pixels", { viewport: SMALLEST, hasTouch: true }],
  ["320 pixels in German", { viewport: SMALLEST, hasTouch: true, locale: "de-DE" }],
  ["200 % zoom", { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }],
]) {
  test(`nothing is cut off: ${name}`, async () => {
    const page = await stage.visit("#/", options);
    for (const [screen, hash] of Object.entries(screens)) {
      await open(page, hash);
      assert.ok((await overflow(page)) <= 1, screen);
    }
    await open(page, screens.card);
    await stage.picture(page, `card-${name.replaceAll(/\W+/g, "-")}`);
    const small = await page.evaluate(() =>
      [...document.querySelectorAll("main button, nav a")]
        .map((one) => one.getBoundingClientRect())
        .filter(({ width, height }) => width > 0 && (width < 24 || height < 24)).length,
    );
    assert.equal(small, 0, "targets");
  });
}

test("from right to left nothing is cut off either", async () => {
  const page = await stage.visit("#/");
  for (const hash of Object.values(screens)) {
    await open(page, hash);
    await page.evaluate(() => (document.documentElement.dir = "rtl"));
    assert.ok((await overflow(page)) <= 1, hash);
  }
  await open(page, screens.card);
  await page.evaluate(() => (document.documentElement.dir = "rtl"));
  await stage.picture(page, "card-rtl");
});
