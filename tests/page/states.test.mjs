// SPDX-License-Identifier: Apache-2.0
// What is seen besides questions and answers: before anything is there, without a connection, in the
// system's own colours, in the browser's bars, on the clipboard, and who else is signed in.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { DATABASE, DESKTOP, PHONE, Stage, until } from "./support.mjs";

let stage;
let page;
before(async () => (stage = await Stage.open()));
after(() => stage.close());
beforeEach(async () => {
  await page?.context().close();
  page = undefined;
  await stage.broker.call("DELETE", "/v1/sessions/work", {});
});

const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1";
// Workers answer calls that a test wants to hold back.
const NO_WORKER = { serviceWorkers: "block" };

for (const [name, viewport] of [["desktop", DESKTOP], ["phone", PHONE]]) {
  test(`while nothing is there it loads, and then it is there (${name})`, async () => {
    const { id } = await stage.ask(DATABASE);
    page = await stage.visit("#/settings", { viewport, ...NO_WORKER });
    let release;
    const held = new Promise((resolve) => (release = resolve));
    await page.route(/\/v1\/(asks|events)/, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${stage.broker.url}/#/`);
    await page.reload();
    await page.locator(".skeleton").first().waitFor();
    await page.getByRole("status").filter({ hasText: "Loading…" }).first().waitFor({ state: "attached" });
    assert.equal(await page.getByText("Nothing waits").count(), 0);
    await stage.picture(page, `loading-${name}`);
    release();
    await page.locator(`a[href="#/ask/${id}"]`).waitFor();
    await page.locator(".skeleton").first().waitFor({ state: "detached" });
  });

  test(`without a connection from the beginning it says so and what to look for, and goes on (${name})`, async () => {
    const { id } = await stage.ask(DATABASE);
    page = await stage.visit("#/settings", { viewport, ...NO_WORKER });
    await page.route(/\/v1\//, (route) => route.abort());
    await page.goto(`${stage.broker.url}/#/`);
    await page.reload();
    const said = page.getByRole("heading", { name: "Parley can’t be reached" });
    await until(async () => (await said.count()) === 1);
    await page.getByText("Check that parley serve is running").waitFor();
    await stage.picture(page, `unreachable-${name}`);
    await page.unroute(/\/v1\//);
    await page.locator(`a[href="#/ask/${id}"]`).waitFor();
  });
}

test("a link to a question is copied, said to be, and the button says its own words again", async () => {
  const { id } = await stage.ask(DATABASE);
  page = await stage.visit(`#/ask/${id}`, { permissions: ["clipboard-read", "clipboard-write"] });
  const button = page.locator(".copy-link");
  await button.click();
  await page.locator(".copy-link", { hasText: "Copied" }).waitFor();
  await button.click(); // once more, while it says so
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${stage.broker.url}/#/ask/${id}`);
  await page.locator(".copy-link", { hasText: "Copy link" }).waitFor();
  await page.goto(`${stage.broker.url}/#/`);
  await page.goto(`${stage.broker.url}/#/ask/${id}`);
  await page.getByRole("heading", { name: DATABASE.question }).waitFor();
});

test("in the system's own colours shapes say what is open, chosen and urgent", async () => {
  const { id } = await stage.ask(DATABASE, { urgency: "high" });
  await stage.ask({ ...DATABASE, question: "Another?" });
  page = await stage.visit(`#/ask/${id}`, { forcedColors: "active" });
  await page.getByRole("radio", { name: /SQLite/ }).click();
  await page.locator(".undo").waitFor();
  const style = (selector, property) =>
    page.locator(selector).first().evaluate((one, name) => getComputedStyle(one)[name], property);
  assert.equal(await style(".option[aria-checked=true]", "outlineStyle"), "solid");
  assert.equal(await style(".option[aria-checked=false]", "outlineStyle"), "none");
  assert.equal(await style(".row[aria-current]", "borderInlineStartWidth"), "6px");
  assert.notEqual(await style(".row:not([aria-current])", "borderInlineStartWidth"), "6px");
  for (const mark of [".chip", ".badge", ".count"]) assert.equal(await style(mark, "borderTopStyle"), "solid", mark);
  await stage.picture(page, "forced-colours");
});

test("the browser's own bars have the colour of the page, by day, by night and as chosen", async () => {
  page = await stage.visit("#/settings", { colorScheme: "light" });
  const colours = () =>
    page.evaluate(() => {
      const canvas = document.createElement("canvas").getContext("2d");
      const plain = (colour) => ((canvas.fillStyle = colour), canvas.fillStyle);
      const metas = [...document.querySelectorAll("meta[name=theme-color]")];
      const counts = metas.find((meta) => !meta.media || matchMedia(meta.media).matches);
      return { bar: plain(counts.content), ground: plain(getComputedStyle(document.body).backgroundColor) };
    });
  const seen = new Set();
  for (const [colorScheme, chosen] of [["light", "auto"], ["dark", "auto"], ["dark", "light"], ["light", "dark"]]) {
    await page.emulateMedia({ colorScheme });
    await page.getByLabel("Theme").selectOption(chosen);
    await until(async () => {
      const { bar, ground } = await colours();
      return bar === ground;
    }, `${colorScheme}, ${chosen}`);
    seen.add(`${(await colours()).bar} ${chosen === "auto" ? colorScheme : chosen}`);
  }
  assert.equal(seen.size, 2);
});

test("the list of sign-ins tells two browsers apart: whose, on what, which one is this, when it was used", async () => {
  page = await stage.visit("#/settings", { isSignedIn: false });
  await page.getByLabel("Token").fill(stage.broker.token);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Signed-in browsers" }).waitFor();
  const phone = await stage.visitAs("ada", "#/", { viewport: PHONE, userAgent: IPHONE });
  await page.reload();
  const row = (words) => page.locator(".browsers li").filter({ hasText: words });
  await row("Safari on iPhone").waitFor();
  const mine = await page.evaluate(async () => (await (await fetch("/sign-in")).json()).sign_in);
  const here = mine.slice("browser:".length).slice(0, 8);
  const texts = async (words) => (await row(words).locator(".browser").innerText()).replace(/\s+/g, " ");
  assert.match(await texts("Safari on iPhone"), /^ada · Safari on iPhone · \w{8} can answer since .+ · last used /i);
  assert.doesNotMatch(await texts("Safari on iPhone"), /this browser/);
  assert.match(await texts(here), /Chromium on Linux · \w{8} .+ this browser · since .+ · last used /);
  assert.equal(await row("this browser").count(), 1);
  await stage.picture(page, "sign-ins");
  await row("Safari on iPhone").getByRole("button").click();
  await row("Safari on iPhone").waitFor({ state: "detached" });
  await row(here).waitFor();
  await phone.context().close();
});
