// SPDX-License-Identifier: Apache-2.0
// The page in each of its languages, on screens of all widths: words stand whole, and an answer that
// can still be taken back is read.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SMALLEST, Stage } from "./support.mjs";

let stage;
before(async () => (stage = await Stage.open()));
after(() => stage.close());

const TITLE = "Quarterly revenue report for the board, with the corrections of finance";
const LABEL = "Allow for this session and for all that is started from it";

// What stands on more than one line, or is cut where it may not be.
const brokenWords = () =>
  [...document.querySelectorAll(".place-name, .from > *, .actions button")]
    .filter((one) => {
      const range = document.createRange();
      range.selectNodeContents(one);
      const tops = [...range.getClientRects()].filter(({ width }) => width > 1).map(({ top }) => top);
      return Math.max(...tops) - Math.min(...tops) > 8 || (one.scrollWidth > one.clientWidth + 1 && !one.matches(".from > *"));
    })
    .map((one) => `${one.className}: ${one.textContent}`);

const ends = (one) => document.querySelector(one).getBoundingClientRect().right;

// Answers, and measures the undo bar at `place` at once: it lasts for seconds.
const answerAndMeasure = async ([label, place]) => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  document.querySelector(".undo .primary")?.click(); // the one before
  while (document.querySelector(".undo")) await frame();
  [...document.querySelectorAll(".option")].find((one) => one.textContent.includes(label)).click();
  if (place === ".tray") location.hash = "#/settings";
  while (!document.querySelector(`${place} .undo`)) await frame();
  await frame();
  const bar = document.querySelector(`${place} .undo`);
  const text = bar.querySelector(".undo-text");
  const answer = bar.querySelector(".undo-answer");
  const buttons = [...bar.querySelectorAll("button")];
  const box = (one) => one.getBoundingClientRect();
  const range = document.createRange();
  range.selectNodeContents(text);
  const em = parseFloat(getComputedStyle(answer).fontSize);
  const faults = [];
  const tops = [...range.getClientRects()].map(({ top }) => top);
  if (Math.max(...tops) - Math.min(...tops) > em / 2) faults.push("the text has several lines");
  if (answer.clientWidth < Math.min(answer.scrollWidth, 6 * em)) faults.push(`${answer.clientWidth} px of the answer are seen`);
  if (new Set(buttons.map((one) => Math.round(box(one).top))).size > 1) faults.push("the buttons are below each other");
  for (const one of buttons) if (one.offsetHeight > 52 || one.scrollWidth > one.clientWidth) faults.push(`${one.textContent} is broken`);
  for (const one of [text, ...buttons])
    if (box(one).left < box(bar).left || box(one).right > box(bar).right) faults.push(`${one.textContent} runs out of the bar`);
  const isBeside = box(text).right <= box(buttons[0]).left + 1;
  if (!isBeside && box(text).bottom > box(buttons[0]).top + 1) faults.push("text and buttons overlap");
  if (document.documentElement.scrollWidth > innerWidth) faults.push("the screen scrolls sideways");
  return faults;
};

const show = async (page, { id }, selector) => {
  await page.evaluate((to) => (location.hash = to), `#/ask/${id}`);
  await page.locator(selector).waitFor();
};

for (const locale of ["en", "de", "es", "zh"])
  test(`words and the undo bar are whole at every width: ${locale}`, async () => {
    const work = `work-${locale}`;
    await stage.broker.call("POST", "/v1/sessions", { name: work, title: TITLE });
    const page = await stage.visit("#/", { locale, viewport: SMALLEST });
    const text = await stage.ask({ question: "What now?", header: "Text", options: [] }, { session: work, agent: "analyst", urgency: "high" });
    await show(page, text, ".card textarea");
    await page.locator(".card textarea").fill("Some words");
    await page.locator(".actions .primary").waitFor();
    assert.deepEqual(await page.evaluate(brokenWords), []);
    const [head, time, session] = [await page.evaluate(ends, ".card-head"), await page.evaluate(ends, ".from time"), await page.evaluate(ends, ".from-session")];
    assert.ok(time <= head && session <= head, "the line under the head stays in its card");
    for (const [width, height] of [[320, 640], [360, 740], [860, 860], [1280, 800]]) {
      await page.setViewportSize({ width, height });
      for (const place of [".card", ".tray"]) {
        const ask = await stage.ask({ question: `${width} ${place}?`, header: "May", options: [LABEL, "Deny"] }, { session: work });
        await show(page, ask, `.card[aria-label="${width} ${place}?"] .option >> nth=0`);
        assert.deepEqual(await page.evaluate(answerAndMeasure, [LABEL, place]), [], `${width} ${place}`);
        await stage.picture(page, `undo${place.replace(".", "-")}-${width}-${locale}`);
      }
    }
    await page.context().close();
  });
