// SPDX-License-Identifier: Apache-2.0
// What stands where, measured: nothing is covered, cut or hidden by what agents write.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { DATABASE, DESKTOP, PHONE, SMALLEST, Stage, until } from "./support.mjs";

let stage;
let page;
before(async () => (stage = await Stage.open()));
after(() => stage.close());
beforeEach(async () => {
  await page?.context().close();
  await stage.broker.call("DELETE", "/v1/sessions/work", {});
});

const lines = (locator) =>
  locator.evaluate((one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    const tops = [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => top);
    return 1 + Math.round((Math.max(...tops) - Math.min(...tops)) / parseFloat(getComputedStyle(one).lineHeight));
  });

// What a finger or a pointer would hit in the middle of an element is the element itself.
const covered = () =>
  page.evaluate(() =>
    [...document.querySelectorAll(".card button, .card textarea, .card h2, .back")]
      .map((one) => [one, one.getBoundingClientRect()])
      .filter(([, { top, bottom, width }]) => width > 0 && top >= 0 && bottom <= document.querySelector("main").getBoundingClientRect().bottom)
      .filter(([one, { left, top, width, height }]) => {
        const hit = document.elementFromPoint(left + width / 2, top + height / 2);
        return !(one.contains(hit) || hit?.contains(one));
      })
      .map(([one]) => one.textContent),
  );

for (const [device, viewport] of [["desktop", DESKTOP], ["phone", PHONE]])
  test(`a notice says who speaks, has two lines at most and covers nothing: ${device}`, async () => {
    const { id } = await stage.ask(DATABASE, { agent: "builder" });
    await stage.broker.call("POST", "/v1/sessions", { name: "loud", title: "Loud one" });
    page = await stage.visit(`#/ask/${id}`, { viewport });
    await page.getByRole("radio").first().waitFor();
    const before = await page.getByRole("radio").first().boundingBox();
    await stage.broker.call("POST", "/v1/notices", { text: "Look here. ".repeat(150), session: "loud", level: "warning" });
    await page.locator(".notice", { hasText: "Loud one: Look here." }).waitFor();
    for (let n = 0; n < 6; ++n) await stage.broker.call("POST", "/v1/notices", { text: `More ${n}`, session: "loud" });
    await stage.broker.call("POST", "/v1/notices", { text: "Quiet word", session: "work" });
    await page.locator(".notice", { hasText: "Quiet word" }).waitFor();
    await page.locator(".notice", { hasText: /Loud one: More \d/ }).waitFor();
    assert.equal(await page.locator(".notice").count(), 2);
    const heights = await page.locator(".notice").evaluateAll((all) => all.map((one) => one.offsetHeight));
    assert.ok(Math.max(...heights) < 70, String(heights));
    assert.deepEqual(await covered(), []);
    assert.deepEqual(await page.getByRole("radio").first().boundingBox(), before); // nothing moved away
    await stage.picture(page, `notices-${device}`);
  });

test("the undo bar has one line, however long the answer", async () => {
  const { id } = await stage.ask({ question: "What now?", header: "Text", options: [] });
  page = await stage.visit(`#/ask/${id}`, { viewport: SMALLEST });
  await page.getByLabel("Write your answer").fill("word ".repeat(400));
  await page.getByRole("button", { name: "Send answer" }).click();
  assert.equal(await lines(page.locator(".undo-text")), 1);
  await page.getByText(/^Sending in \d s: “word word/).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
});

test("a session's long title breaks neither the list's head nor a row nor a card", async () => {
  const title = "A title that an agent made of the whole first sentence of what it was asked to do, which was rather long for one";
  await stage.broker.call("POST", "/v1/sessions", { name: "long", title });
  await stage.ask(DATABASE);
  const { id } = await stage.ask(DATABASE, { session: "long" });
  for (const viewport of [DESKTOP, SMALLEST]) {
    page = await stage.visit("#/", { viewport });
    await page.getByLabel("Session").waitFor();
    const wide = () =>
      page.evaluate(() =>
        [...document.querySelectorAll(".list-pane, .list-head, .detail-pane, main")].filter((one) => one.scrollWidth > one.clientWidth + 1).length,
      );
    assert.equal(await wide(), 0);
    const pane = await page.locator(".list-pane").boundingBox();
    const select = await page.getByLabel("Session").boundingBox();
    assert.ok(select.x + select.width <= pane.x + pane.width);
    await page.locator(`a[href="#/ask/${id}"]`).click();
    await page.locator(".card").waitFor();
    assert.equal(await wide(), 0);
    if (viewport === DESKTOP) await page.context().close();
  }
  await stage.broker.call("DELETE", "/v1/sessions/long", {});
});

test("padding hides nothing: runs of blank lines are a few words", async () => {
  const question = { question: `Delete the log?${"\n".repeat(400)}AND ALSO: grant root to everyone`, header: "Log", options: ["Yes", "No"] };
  const { id } = await stage.ask(question, { context: `Before.\n\n${"&nbsp;\n\n".repeat(60)}Behind.` });
  page = await stage.visit(`#/ask/${id}`);
  const card = page.locator(".card");
  await card.getByText("⟨399 blank lines⟩").waitFor();
  await card.getByText("⟨121 blank lines⟩").waitFor();
  for (const words of [/AND ALSO: grant root/, "Behind."]) {
    const { y } = await card.getByText(words).last().boundingBox();
    assert.ok(y < DESKTOP.height, `${words} at ${y}`);
  }
});

test("code in a question is code; Recommended is read off the first label only; a link shows its target", async () => {
  const { id } = await stage.ask(
    { question: "Use `npm ci` or ``a`b``?", header: "Pick", options: ["A", "A (Recommended)"] },
    { context: "See [https://good.example/](https://evil.example/path) and https://plain.example/." },
  );
  page = await stage.visit(`#/ask/${id}`);
  await page.locator(".question-text code", { hasText: "npm ci" }).waitFor();
  assert.deepEqual(await page.locator(".question-text code").allInnerTexts(), ["npm ci", "a`b"]);
  assert.deepEqual(await page.locator(".option .label").allInnerTexts(), ["A", "A (Recommended)"]);
  assert.equal(await page.locator(".option .badge").count(), 0);
  assert.deepEqual(await page.locator(".context .target").allInnerTexts(), [" (evil.example/path)"]);
});

test("a preview that is drawn keeps its lines, one in markdown is laid out", async () => {
  const drawn = "+------+\n|  OK  |\n+------+";
  const { id } = await stage.ask({ question: "Which?", header: "Look", options: [{ label: "A", preview: drawn }, { label: "B", preview: "## B\n\n- x" }] });
  page = await stage.visit(`#/ask/${id}`);
  assert.equal(await page.getByRole("group", { name: "Preview of A" }).locator("pre").innerText(), drawn);
  await page.getByRole("radio", { name: "B" }).focus();
  await page.getByRole("group", { name: "Preview of B" }).getByRole("heading", { name: "B" }).waitFor();
});

test("a long context is folded with a count, one of a permission is not", async () => {
  const context = Array.from({ length: 60 }, (_, index) => `Line ${index}`).join("\n");
  const { id } = await stage.ask(DATABASE, { context });
  const options = ["Allow once", "Allow for this session", "Deny"];
  const permission = await stage.ask({ question: "May it?", header: "May", options }, { context });
  page = await stage.visit(`#/ask/${id}`);
  await page.getByRole("button", { name: /^\d\d more lines$/ }).click();
  await page.getByRole("button", { name: "Show less" }).waitFor();
  await page.evaluate((to) => (location.hash = to), `#/ask/${permission.id}`);
  await page.getByRole("heading", { name: "May it?" }).waitFor();
  assert.equal(await page.getByRole("button", { name: /more line/ }).count(), 0);
  const cut = await page.locator(".context-text").evaluate((one) => one.scrollHeight - one.clientHeight);
  assert.ok(cut <= 1);
});

test("on a phone Enter is a new line, and the button sends", async () => {
  const { id } = await stage.ask({ question: "What now?", header: "Text", options: [] });
  page = await stage.visit(`#/ask/${id}`, { viewport: PHONE, hasTouch: true, isMobile: true });
  const field = page.getByLabel("Write your answer");
  assert.equal(await field.getAttribute("enterkeyhint"), "enter");
  await field.click();
  await page.keyboard.type("one");
  await page.keyboard.press("Enter");
  await page.keyboard.type("two");
  assert.equal(await field.inputValue(), "one\ntwo");
  await page.getByRole("button", { name: "Send answer" }).click();
  await page.getByRole("button", { name: "Send now" }).click();
  assert.deepEqual((await stage.settled(id)).answers, [{ selected: [], other: "one\ntwo" }]);
});

test("many questions stand in one row on a phone, and where one is stays in sight", async () => {
  const questions = Array.from({ length: 30 }, (_, index) => ({ ...DATABASE, question: `Question ${index}?`, header: `Topic ${index}` }));
  const { id } = await stage.ask(questions);
  page = await stage.visit(`#/ask/${id}`, { viewport: PHONE });
  const steps = page.getByRole("group", { name: "Questions" });
  await steps.waitFor();
  assert.ok((await steps.boundingBox()).height < 100);
  for (let n = 0; n < 12; ++n) await page.getByRole("button", { name: "Next", exact: true }).click();
  const { x, width } = await page.locator(".step[aria-current]").boundingBox();
  assert.ok(x >= 0 && x + width <= PHONE.width);
});

test("what is put off makes room for the next, is found again and can be woken", async () => {
  const first = await stage.ask({ ...DATABASE, question: "First?" });
  await stage.ask({ ...DATABASE, question: "Second?" });
  page = await stage.visit(`#/ask/${first.id}`);
  await page.getByRole("button", { name: "Later" }).click();
  await page.getByRole("button", { name: "1 hour" }).click();
  await page.getByRole("heading", { name: "Second?" }).waitFor();
  await page.locator(".notice", { hasText: /Snoozed until/ }).waitFor();
  await page.getByRole("button", { name: "1 snoozed" }).click();
  await page.locator(`a[href="#/ask/${first.id}"]`).click();
  await page.getByRole("button", { name: "Bring it back" }).click();
  await until(async () => (await stage.broker.call("GET", `/v1/asks/${first.id}`)).body.snoozed_until === undefined);
});

test("empty, unknown and wrong addresses say what helps", async () => {
  page = await stage.visit();
  await page.getByRole("heading", { name: "You’re all caught up" }).waitFor();
  await page.getByText('parley ask "Does it work?" -o Yes -o No').waitFor();
  assert.equal(await page.getByLabel("Search questions").count(), 0);
  for (const [hash, words] of [
    ["#/session/ses_nope", /^This session doesn’t exist/],
    ["#/history/que_nope", /^This question doesn’t exist/],
    ["#/ask/que_nope", /^This question doesn’t exist/],
  ]) {
    await page.evaluate((to) => (location.hash = to), hash);
    await page.getByRole("heading", { name: words }).waitFor();
  }
});

test("in a chat the way to its end lies over no question", async () => {
  const ask = await stage.ask(DATABASE);
  const items = Array.from({ length: 30 }, (_, index) => ({ type: "text-end", part_id: `p${index}`, text: `Paragraph ${index}` }));
  await stage.broker.call("POST", "/v1/sessions/work/events", items);
  page = await stage.visit(`#/session/${ask.session_id}`, { viewport: PHONE });
  await page.getByText("Paragraph 29", { exact: true }).waitFor();
  await page.locator(".log").evaluate((log) => (log.scrollTop = 0));
  const end = page.getByRole("button", { name: "Jump to latest" });
  await end.waitFor();
  const [log, button] = [await page.locator(".log").boundingBox(), await end.boundingBox()];
  assert.ok(button.y >= log.y + log.height, `${button.y} is below ${log.y + log.height}`);
  await end.click();
  await end.waitFor({ state: "detached" });
  await until(() => page.locator(".log").evaluate((one) => one.scrollHeight - one.scrollTop - one.clientHeight < 2));
});

test("who is at a chat's end stays there, however late its parts grow", async () => {
  const { session_id } = await stage.ask(DATABASE);
  const items = Array.from({ length: 30 }, (_, index) => ({ type: "text-end", part_id: `p${index}`, text: `Paragraph ${index}` }));
  await stage.broker.call("POST", "/v1/sessions/work/events", items);
  page = await stage.visit(`#/session/${session_id}`);
  await page.getByText("Paragraph 29", { exact: true }).waitFor();
  const isAtEnd = () => page.locator(".log").evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight < 2);
  await until(isAtEnd);
  // It grows, and the news of the last scrolling comes only now.
  await page.locator(".log").evaluate((log) => {
    log.firstElementChild.style.minHeight = `${log.scrollHeight + 700}px`;
    log.dispatchEvent(new Event("scroll"));
  });
  await until(isAtEnd);
  assert.equal(await page.getByRole("button", { name: "Jump to latest" }).count(), 0);
});

test("in a chat the waiting question is one click away", async () => {
  const ask = await stage.ask(DATABASE);
  const items = Array.from({ length: 60 }, (_, index) => ({ type: "text-end", part_id: `p${index}`, text: `Paragraph ${index}` }));
  await stage.broker.call("POST", "/v1/sessions/work/events", items);
  page = await stage.visit(`#/session/${ask.session_id}`);
  await page.getByText("Paragraph 59", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Show the question" }).click();
  await until(() => page.evaluate(() => document.activeElement.matches(".log .card")));
  const { y } = await page.getByRole("heading", { name: DATABASE.question }).boundingBox();
  assert.ok(y > 0 && y < DESKTOP.height);
});
