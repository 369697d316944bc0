// SPDX-License-Identifier: Apache-2.0
// The keyboard does everything: the list follows, the focus is never lost, one stroke is one decision.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { DATABASE, EXTRAS, Stage, strike, until } from "./support.mjs";

const MANY = 60;

let stage;
let page;
before(async () => (stage = await Stage.open()));
after(() => stage.close());
beforeEach(async () => {
  await page?.context().close();
  await stage.broker.call("DELETE", "/v1/sessions/work", {});
});

const askMany = async (count) => {
  const asks = [];
  for (let n = 0; n < count; ++n) asks.push(await stage.ask({ ...DATABASE, question: `Number ${n}?` }));
  return asks;
};
// Where the marked row is within its pane, below what sticks to the pane's top.
const isMarkedInView = () =>
  page.evaluate(() => {
    const row = document.querySelector(".row[aria-current]");
    if (!row) return false;
    const pane = row.closest(".list-pane").getBoundingClientRect();
    const head = row.closest(".list-pane").querySelector(".list-head").getBoundingClientRect();
    const { top, bottom } = row.getBoundingClientRect();
    return top >= head.bottom - 1 && bottom <= pane.bottom + 1;
  });
const isInCard = () => page.evaluate(() => document.activeElement.closest(".card") !== null);
const state = async ({ id }) => (await stage.broker.call("GET", `/v1/asks/${id}`)).body.state;

test("j and k: the marked row stays in view, also beyond what was made, and Back is one step", async () => {
  await askMany(MANY);
  page = await stage.visit();
  // All of them: a list that is not whole yet ends earlier.
  await page.getByText(`${MANY} waiting`).first().waitFor();
  await page.locator(".row[aria-current]").waitFor();
  const before = await page.evaluate(() => history.length);
  for (let n = 1; n < 45; ++n) await page.keyboard.press("j");
  await page.getByRole("heading", { name: "Number 44?" }).waitFor();
  await until(isMarkedInView);
  for (let n = 0; n < 30; ++n) await page.keyboard.press("k");
  await page.getByRole("heading", { name: "Number 14?" }).waitFor();
  await until(isMarkedInView);
  assert.ok((await page.evaluate(() => history.length)) <= before + 1);
});

test("an address leads to its row", async () => {
  const asks = await askMany(MANY);
  page = await stage.visit(`#/ask/${asks[50].id}`);
  await page.getByRole("heading", { name: "Number 50?" }).waitFor();
  await until(isMarkedInView);
});

test("Enter goes into the card, and so do the skip link and Enter in the search", async () => {
  const asks = await askMany(3);
  page = await stage.visit();
  await page.locator(`.row[href="#/ask/${asks[1].id}"]`).focus();
  await strike(page, "Enter");
  await page.getByRole("heading", { name: "Number 1?" }).waitFor();
  await until(isInCard);
  await page.locator(".skip").focus();
  await strike(page, "Enter");
  await until(isInCard);
  await page.keyboard.press("/");
  await page.keyboard.type("number 2");
  await strike(page, "Enter");
  await page.getByRole("heading", { name: "Number 2?" }).waitFor();
  await until(isInCard);
});

test("2, Ctrl+Enter: after Next question and after Undo the focus is in the card, and keys work", async () => {
  const [first] = await askMany(1);
  const second = await stage.ask([{ ...DATABASE, question: "Two?" }, EXTRAS]);
  page = await stage.visit();
  await page.getByRole("heading", { name: "Number 0?" }).waitFor();
  await strike(page, "2");
  await page.getByRole("button", { name: "Undo" }).click();
  await until(isInCard);
  await strike(page, "1");
  await page.getByRole("button", { name: "Send now" }).click();
  await stage.settled(first.id);
  await page.getByRole("button", { name: /^Next question/ }).click();
  await page.getByRole("heading", { name: "Two?" }).waitFor();
  await until(isInCard);
  await strike(page, "2");
  await strike(page, "Control+Enter");
  await page.getByRole("heading", { name: EXTRAS.question }).waitFor();
  await page.evaluate(() => document.activeElement.blur());
  await strike(page, "1");
  await strike(page, "Control+Enter");
  await page.getByRole("heading", { name: "Your answers" }).waitFor();
  await page.evaluate(() => document.activeElement.blur());
  await strike(page, "Control+Enter");
  assert.deepEqual((await stage.settled(second.id)).answers, [{ selected: ["SQLite"] }, { selected: ["Dark mode"] }]);
});

test("a key that is held down decides nothing", async () => {
  const asks = await askMany(4);
  page = await stage.visit();
  await page.locator(`.row[href="#/ask/${asks[0].id}"]`).focus();
  await page.keyboard.down("Enter");
  for (let n = 0; n < 20; ++n) await page.keyboard.down("Enter"); // repeats
  await page.keyboard.up("Enter");
  await until(isInCard);
  const option = page.getByRole("radio", { name: /PostgreSQL/ });
  await option.focus();
  await option.dispatchEvent("keydown", { key: "1", repeat: true, bubbles: true });
  assert.equal(await page.locator(".undo").count(), 0);
  for (const ask of asks) assert.equal(await state(ask), "pending");
});

test("a key that was meant for the question before decides nothing on the one that has just come up", async () => {
  const [, second] = await askMany(2);
  page = await stage.visit();
  await page.getByRole("heading", { name: "Number 0?" }).waitFor();
  // As soon as the other one stands there, and before a browser could paint it.
  await page.evaluate(async () => {
    const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    await new Promise((resolve) => {
      const watcher = new MutationObserver(() => {
        if (!document.querySelector(".question-text")?.textContent.includes("Number 1?")) return;
        watcher.disconnect();
        press("1");
        resolve();
      });
      watcher.observe(document.body, { childList: true, characterData: true, subtree: true });
      press("j");
    });
  });
  assert.equal(await page.locator(".undo").count(), 0);
  await strike(page, "1");
  await page.getByRole("button", { name: "Send now" }).click();
  assert.deepEqual((await stage.settled(second.id)).answers, [{ selected: ["PostgreSQL (Recommended)"] }]);
});

test("what a search has filtered out takes no keys", async () => {
  const [first] = await askMany(2);
  page = await stage.visit(`#/ask/${first.id}`);
  await page.getByRole("heading", { name: "Number 0?" }).waitFor();
  await page.getByLabel("Search questions").fill("number 1");
  await until(async () => (await page.locator(".row").count()) === 1);
  await page.keyboard.press("Escape");
  await strike(page, "2");
  await strike(page, "Control+Enter");
  assert.equal(await page.locator(".undo, .fault").count(), 0);
  assert.equal(await state(first), "pending");
});

test("? shows the keys, and Escape closes them and nothing else", async () => {
  const [first] = await askMany(1);
  page = await stage.visit(`#/ask/${first.id}`);
  await page.getByRole("heading", { name: "Number 0?" }).waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await strike(page, "2");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  assert.match(page.url(), new RegExp(first.id));
  assert.equal(await page.locator(".undo").count(), 0);
});

test("many options have a filter, whose Enter chooses nothing", async () => {
  const options = Array.from({ length: 120 }, (_, index) => `Version 1.${index}.0`);
  const ask = await stage.ask({ question: "Which version?", header: "Version", options });
  page = await stage.visit(`#/ask/${ask.id}`);
  const filter = page.getByLabel("Filter the options");
  await filter.fill("1.3 version");
  await until(async () => (await page.getByRole("radio").count()) === 11);
  await page.getByText("11 of 120").waitFor();
  await strike(page, "Enter");
  assert.equal(await page.locator(".undo").count(), 0);
  await until(() => page.evaluate(() => document.activeElement.textContent.includes("Version 1.3.0")));
  await strike(page, "2"); // no digit where there are more than nine
  assert.equal(await page.locator(".undo").count(), 0);
  await page.keyboard.press("ArrowDown");
  await strike(page, "Enter");
  await page.getByRole("button", { name: "Send now" }).click();
  assert.deepEqual((await stage.settled(ask.id)).answers, [{ selected: ["Version 1.30.0"] }]);
});
