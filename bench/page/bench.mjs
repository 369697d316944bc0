// SPDX-License-Identifier: Apache-2.0
// The page in a real browser before a real broker: how soon the first card can be used with 500
// asks pending, and whether a frame is held up while 10,000 pieces of text stream in.
import { chromium } from "playwright-core";
import { Broker, until } from "../../tests/clients/support/broker.mjs";

const ASKS = 500;
const VISITS = 10;
const DELTAS = 10_000;
const DELTAS_AT_ONCE = 50;

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

// When a card with an option that takes a click is there, in milliseconds since the navigation.
function watchForCard() {
  const look = () => {
    const option = document.querySelector(".card .option");
    if (!option) return requestAnimationFrame(look);
    window.interactiveAt = performance.now();
  };
  requestAnimationFrame(look);
}

async function measureFirstCard(browser, broker) {
  const question = { question: "Which one?", options: ["This", "That", "Neither"] };
  for (let from = 0; from < ASKS; from += 50)
    await Promise.all(Array.from({ length: 50 }, () => broker.call("POST", "/v1/asks", { session: "bench", questions: [question] })));
  const times = [];
  for (let visit = 0; visit < VISITS; ++visit) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const { body } = await broker.call("POST", "/sign-in/links");
    await page.goto(body.url);
    await page.addInitScript(watchForCard);
    await page.goto(`${broker.url}/`);
    times.push(await until(() => page.evaluate(() => window.interactiveAt)));
    await context.close();
  }
  await broker.call("DELETE", "/v1/sessions/bench", {});
  return times;
}

function watchFrames() {
  window.frames_ = [];
  window.tasks_ = [];
  new PerformanceObserver((list) => window.tasks_.push(...list.getEntries().map((one) => one.duration))).observe({ type: "longtask" });
  let before = performance.now();
  const tick = (now) => {
    window.frames_.push(now - before);
    before = now;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

async function measureDeltas(browser, broker) {
  const { body: session } = await broker.call("POST", "/v1/sessions", { name: "stream", title: "Stream" });
  const page = await (await browser.newContext()).newPage();
  const { body } = await broker.call("POST", "/sign-in/links");
  await page.goto(`${body.url}#/session/${session.id}`);
  await page.goto(`${broker.url}/#/session/${session.id}`);
  await page.getByText("Nothing was said yet.").waitFor();
  await page.waitForTimeout(1500); // a page that has been open for a moment
  await page.evaluate(watchFrames);
  const words = (n) => `word${n}${n % 40 === 39 ? ".\n\n" : n % 200 === 100 ? " `code` and **more** " : " "}`;
  for (let from = 0; from < DELTAS; from += DELTAS_AT_ONCE) {
    const items = Array.from({ length: DELTAS_AT_ONCE }, (_, index) => ({
      type: from + index === 0 ? "text-start" : "text-delta", part_id: "p", text: words(from + index),
    }));
    await broker.call("POST", "/v1/sessions/stream/events", items);
  }
  await broker.call("POST", "/v1/sessions/stream/events", [{ type: "text-end", part_id: "p" }]);
  await until(() => page.evaluate((last) => document.querySelector(".log").textContent.includes(last), `word${DELTAS - 1}`));
  return page.evaluate(() => ({ frames: window.frames_, tasks: window.tasks_ }));
}

const broker = await Broker.start();
const browser = await chromium.launch({ executablePath: process.env.PARLEY_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
  const times = await measureFirstCard(browser, broker);
  console.log(`first card usable with ${ASKS} pending: median ${median(times).toFixed(0)} ms, worst ${Math.max(...times).toFixed(0)} ms of ${VISITS} visits`);
  const { frames, tasks } = await measureDeltas(browser, broker);
  console.log(`${DELTAS} deltas: ${frames.length} frames, median ${median(frames).toFixed(1)} ms, worst ${Math.max(...frames).toFixed(1)} ms; ${frames.filter((one) => one > 50).length} frames and ${tasks.length} tasks over 50 ms`);
} finally {
  await browser.close();
  await broker.stop();
}
