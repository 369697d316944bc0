// SPDX-License-Identifier: Apache-2.0
// The page in a real browser before a real broker: how soon the first card can be used with 500
// asks pending, and whether a frame is held up while 10,000 pieces of text stream in. Beside each
// stands what a document without a program takes in the same browser: the machine's own share.
import { chromium } from "playwright-core";
import { PARLEY, record } from "../support/figures.mjs";
import { Broker, until } from "../../tests/clients/support/broker.mjs";

const ASKS = 500;
const VISITS = 10;
const DELTAS = 10_000;
const DELTAS_AT_ONCE = 50;
const FRAME_MAX_MS = 50;
const NOTHING = "/healthz"; // a document of a few bytes

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const worst = (list) => Math.max(0, ...list);

// The first frame in which a card with an option that takes a click is there (or, in an empty
// document, the first at all), in milliseconds since the navigation.
function watchForCard() {
  const look = () => {
    if (location.pathname === "/" && !document.querySelector(".card .option")) return requestAnimationFrame(look);
    window.interactiveAt = performance.now();
  };
  requestAnimationFrame(look);
}

async function measureFirstCard(browser, broker) {
  const question = { question: "Which one?", options: ["This", "That", "Neither"] };
  for (let from = 0; from < ASKS; from += 50)
    await Promise.all(Array.from({ length: 50 }, () => broker.call("POST", "/v1/asks", { session: "bench", questions: [question] })));
  const times = { fresh: [], again: [], nothing: [] };
  for (let visit = 0; visit < VISITS; ++visit) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.addInitScript(watchForCard);
    const open = async (address) => {
      await page.goto(address);
      return until(() => page.evaluate(() => window.interactiveAt));
    };
    const { body } = await broker.call("POST", "/sign-in/links");
    times.fresh.push(await open(body.url));
    times.nothing.push(await open(broker.url + NOTHING));
    times.again.push(await open(`${broker.url}/`));
    await context.close();
  }
  await broker.call("DELETE", "/v1/sessions/bench", {});
  return times;
}

// `paints`: each frame has new text all over the window, as a page with a growing text has.
function watchFrames(paints) {
  window.frames_ = [];
  let before = performance.now();
  const tick = (now) => {
    window.frames_.push(now - before);
    before = now;
    if (paints) document.body.textContent = `${now} `.repeat(800);
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

async function stream(broker, name) {
  const words = (n) => `word${n}${n % 40 === 39 ? ".\n\n" : n % 200 === 100 ? " `code` and **more** " : " "}`;
  for (let from = 0; from < DELTAS; from += DELTAS_AT_ONCE) {
    const items = Array.from({ length: DELTAS_AT_ONCE }, (_, index) => ({
      type: from + index === 0 ? "text-start" : "text-delta", part_id: "p", text: words(from + index),
    }));
    await broker.call("POST", `/v1/sessions/${name}/events`, items);
  }
  await broker.call("POST", `/v1/sessions/${name}/events`, [{ type: "text-end", part_id: "p" }]);
}

// The longest task of the page's own thread, in processor time: what else runs does not count.
function longestTask(trace) {
  const { traceEvents } = JSON.parse(trace.toString());
  const place = ({ pid, tid }) => `${pid} ${tid}`;
  const main = new Set(
    traceEvents.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain").map(place),
  );
  return worst(traceEvents.filter((one) => one.name === "RunTask" && main.has(place(one))).map(({ tdur }) => (tdur ?? 0) / 1000));
}

async function measureDeltas(browser, broker) {
  const page = await (await browser.newContext()).newPage();
  const { body: session } = await broker.call("POST", "/v1/sessions", { name: "stream", title: "Stream" });
  const { body } = await broker.call("POST", "/sign-in/links");
  await page.goto(`${body.url}#/session/${session.id}`);
  await page.getByText("Nothing has been said yet.").waitFor();
  await page.waitForTimeout(1500); // a page that has been open for a moment
  await browser.startTracing(page, { categories: ["devtools.timeline", "disabled-by-default-devtools.timeline"] });
  await page.evaluate(watchFrames, false);
  await stream(broker, "stream");
  await until(() => page.evaluate((last) => document.querySelector(".log").textContent.includes(last), `word${DELTAS - 1}`));
  const frames = await page.evaluate(() => window.frames_);
  const task = longestTask(await browser.stopTracing());

  // As many frames of a document without a program, with the same going on beside it.
  await page.goto(broker.url + NOTHING);
  await page.evaluate(watchFrames, true);
  while ((await page.evaluate(() => window.frames_.length)) < frames.length) await stream(broker, "unseen");
  const bare = await page.evaluate((count) => window.frames_.slice(0, count), frames.length);
  return { frames, bare, task };
}

const ms = (time) => `${time.toFixed(0)} ms`;
const tell = (list) => `median ${ms(median(list))}, worst ${ms(worst(list))}`;
const slow = (frames) => `${frames.filter((one) => one > FRAME_MAX_MS).length} of ${frames.length} over ${FRAME_MAX_MS} ms, worst ${ms(worst(frames))}`;

const broker = await Broker.start();
const browser = await chromium.launch({ executablePath: process.env.PARLEY_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
  const times = await measureFirstCard(browser, broker);
  console.log(`first card usable with ${ASKS} pending, ${VISITS} visits: ${tell(times.again)}`);
  console.log(`  a browser that was never here, with its sign-in: ${tell(times.fresh)}`);
  console.log(`  an empty document, in the same browsers: ${tell(times.nothing)}`);
  const row = `a page with ${ASKS} pending, to its first usable card`;
  record(row, PARLEY, "ms", times.again);
  record(row, "an empty document", "ms", times.nothing);
  const { frames, bare, task } = await measureDeltas(browser, broker);
  console.log(`frames while ${DELTAS} deltas stream in: ${slow(frames)}; longest task ${ms(task)} of processor time`);
  console.log(`  a document that only paints, with the same beside it: ${slow(bare)}`);
  const share = (list) => [(100 * list.filter((one) => one > FRAME_MAX_MS).length) / list.length];
  const late = `frames over ${FRAME_MAX_MS} ms while ${DELTAS} pieces of text stream in`;
  record(late, PARLEY, "%", share(frames));
  record(late, "a document that only paints", "%", share(bare));
} finally {
  await browser.close();
  await broker.stop();
}
