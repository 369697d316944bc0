// SPDX-License-Identifier: Apache-2.0
// The page on a busy day: 300 asks of six agents and what Claude Code asks permission for, on four
// widths, by day and by night. The pictures are kept, and what can be measured in them is: nothing is
// cut, nothing runs out of its place, what is permitted is read whole.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PERMISSIONS, seed, TEN_LINES } from "../support/realistic_asks.mjs";
import { Stage, until } from "./support.mjs";

const WIDTHS = [320, 360, 860, 1280];

let stage;
let asks;
const permits = {}; // an ask per kind of permission
before(async () => {
  stage = await Stage.open();
  asks = await seed(stage.broker, 300);
  for (const [kind, body] of Object.entries(PERMISSIONS)) {
    const { status, body: ask } = await stage.broker.call("POST", "/v1/asks", { session: "infra", agent: "Claude Code", ...body });
    assert.equal(status, 201, JSON.stringify(ask));
    permits[kind] = ask;
  }
  for (const [n, label] of [[0, "Deny"], [1, "Allow once"]])
    await stage.broker.answer(asks[n].id, [{ selected: [label], ...(n === 0 && { note: "Not before Monday." }) }], { by: "Chidi" });
});
after(() => stage.close());

const overflow = (page) =>
  page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    const panes = [...document.querySelectorAll("main, .list-pane, .detail-pane, .list-head, .card")];
    return [scrollWidth - clientWidth, ...panes.map((one) => one.scrollWidth - one.clientWidth)].filter((by) => by > 1);
  });

// The words of an element whose letters are not within `frame`, or which are hidden by it.
const cut = (page, selector, frame) =>
  page.evaluate(([selector, frame]) => {
    const bad = [];
    for (const place of document.querySelectorAll(selector)) {
      const { left, right } = place.closest(frame).getBoundingClientRect();
      const texts = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
      for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        if (text.parentElement.closest("details:not([open])")) continue;
        const range = document.createRange();
        range.selectNodeContents(text);
        for (const rect of range.getClientRects())
          if (rect.width > 0 && (rect.left < left - 1 || rect.right > right + 1)) bad.push(text.textContent);
      }
    }
    return bad;
  }, [selector, frame]);

// Letters and digits that one would have to look for on two lines.
const broken = (page, selector) =>
  page.evaluate((selector) => {
    const bad = [];
    for (const cell of document.querySelectorAll(selector)) {
      const text = cell.firstChild;
      if (text?.nodeType !== Node.TEXT_NODE) continue;
      for (const { index, 0: word } of text.textContent.matchAll(/\S+/g)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) bad.push(word);
      }
    }
    return bad;
  }, selector);

const open = async (page, hash, selector) => {
  await page.evaluate((to) => (location.hash = to), hash);
  await page.locator(selector).first().waitFor();
};

for (const colorScheme of ["light", "dark"])
  for (const width of WIDTHS)
    test(`300 asks of six agents at ${width} pixels, ${colorScheme}`, async () => {
      const isPhone = width < 640;
      const page = await stage.visit("#/", { colorScheme, viewport: { width, height: isPhone ? 740 : 860 }, hasTouch: isPhone });
      await until(async () => (await page.title()).startsWith(`(${asks.length + Object.keys(permits).length - 2}) `));
      const picture = (name) => stage.picture(page, `${name}-${width}-${colorScheme}`);
      await picture("busy-inbox");
      assert.deepEqual(await overflow(page), []);
      const badge = await page.locator(".count").evaluate((one) => one.offsetHeight / parseFloat(getComputedStyle(one).fontSize));
      assert.ok(badge < 2, "the count stands on one line");
      const edges = await page.evaluate(() => [".list-head .title", ".rows .row-text"].map((one) => document.querySelector(one).getBoundingClientRect().left));
      assert.equal(edges[0], edges[1], "rows begin where their head does");
      for (const [kind, ask] of Object.entries(permits)) {
        await open(page, `#/ask/${ask.id}`, ".permission-summary");
        await until(async () => (await page.locator(".permission-summary").textContent()) === ask.permission.summary);
        await picture(`permission-${kind}`);
        assert.deepEqual(await overflow(page), [], kind);
        assert.deepEqual(await cut(page, ".permission", ".card"), [], kind);
        assert.deepEqual(await broken(page, ".permission td, .permission th"), [], kind);
        const halved = await page.locator(".permission .is-whole").evaluateAll((all) => all.filter((one) => one.getClientRects().length > 1).length);
        assert.equal(halved, 0, "an option such as --force stands on one line");
        assert.equal(await page.locator(".permission .context-text").count(), 0);
      }
      const told = asks.find(({ context }) => context);
      await open(page, `#/ask/${told.id}`, ".card .context table");
      await picture("busy-context");
      assert.deepEqual(await overflow(page), []);
      await page.getByRole("button", { name: /more lines/ }).click();
      assert.deepEqual(await broken(page, ".context td, .context th"), []);
      for (const [name, hash, selector] of [
        ["busy-history", "#/history", ".row-decision"],
        ["busy-sessions", "#/sessions", ".row"],
        ["busy-chat", `#/session/${permits.bash.session_id}`, ".log .card"],
        ["busy-settings", "#/settings", ".page"],
      ]) {
        await open(page, hash, selector);
        await picture(name);
        assert.deepEqual(await overflow(page), [], name);
      }
      await page.context().close();
    });

test("what is permitted stands in row, card, title and notification, whole", async () => {
  const page = await stage.visit(`#/ask/${permits.bash.id}`, { permissions: ["notifications"] });
  const command = PERMISSIONS.bash.permission.input.command;
  await page.getByRole("heading", { name: command }).waitFor();
  await page.locator(`a[href="#/ask/${permits.bash.id}"]`, { hasText: command }).waitFor();
  assert.match(await page.title(), new RegExp(command));
  await open(page, `#/ask/${permits.bash_ten_lines.id}`, ".permission dd");
  assert.ok((await page.locator(".permission").innerText()).includes(TEN_LINES));
  await open(page, `#/ask/${permits.edit.id}`, ".diff");
  assert.match(await page.locator(".diff-line.added").allInnerTexts().then((all) => all.join("\n")), /\+\s*export const IS_IDEMPOTENT = false;/);
  assert.match(await page.locator(".diff-line.removed").first().innerText(), /^−\s*export const RETRIES = 3;/);
  await open(page, `#/ask/${permits.write.id}`, ".diff");
  assert.match(await page.locator(".diff").innerText(), /psql "\$DATABASE_URL"/);
  await open(page, `#/ask/${permits.plan.id}`, ".plan table");
  await page.locator(".plan").getByText("Nothing is deleted before the last step.").waitFor();
  await open(page, `#/ask/${permits.mcp.id}`, ".permission dd");
  assert.match(await page.locator(".permission").innerText(), /customer-reported[\s\S]*The refund stays in \*pending\*/);
  await page.evaluate(() => {
    window.shown = [];
    ServiceWorkerRegistration.prototype.showNotification = async (title, options) => void window.shown.push([title, options.body]);
    Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
  });
  await open(page, "#/settings", ".page");
  await page.getByLabel("Notify me about new questions").check();
  await stage.broker.call("POST", "/v1/asks", { session: "infra", agent: "Claude Code", ...PERMISSIONS.bash });
  await until(() => page.evaluate(() => window.shown.length > 0));
  assert.deepEqual(await page.evaluate(() => window.shown), [["Claude Code asks", command]]);
  await stage.broker.call("POST", "/v1/asks", { session: "infra", agent: "Claude Code", ...PERMISSIONS.write });
  await until(() => page.evaluate(() => window.shown.length > 1));
  const path = PERMISSIONS.write.permission.input.file_path;
  assert.deepEqual((await page.evaluate(() => window.shown))[1], ["Claude Code asks", `Write: ${path}`]);
});
