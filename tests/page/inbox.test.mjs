// SPDX-License-Identifier: Apache-2.0
// The inbox over all sessions: order, search, many asks, the keyboard alone, notifications, history.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { DATABASE, EXTRAS, PHONE, Stage, strike, until } from "./support.mjs";

let stage;
before(async () => (stage = await Stage.open()));
after(() => stage.close());
beforeEach(() => stage.broker.call("DELETE", "/v1/sessions/work", {}));

const rows = (page) => page.locator(".row-text").allTextContents();

test("sorted, searched and filtered", async () => {
  await stage.ask({ ...DATABASE, question: "First?" });
  await stage.ask({ ...DATABASE, question: "Second?" }, { urgency: "high" });
  await stage.ask({ ...DATABASE, question: "Third?" }, { session: "other" });
  const page = await stage.visit();
  await until(async () => (await rows(page)).join() === "First?,Second?,Third?");
  await page.getByLabel("Sort order").selectOption("newest");
  await until(async () => (await rows(page)).join() === "Third?,Second?,First?");
  await page.getByLabel("Sort order").selectOption("urgent");
  await until(async () => (await rows(page)).join() === "Second?,First?,Third?");
  await page.getByLabel("Search questions").fill("thi");
  await until(async () => (await rows(page)).join() === "Third?");
  await page.getByLabel("Search questions").fill("");
  await page.getByLabel("Session").selectOption({ label: "other" });
  await until(async () => (await rows(page)).join() === "Third?");
  await stage.broker.call("DELETE", "/v1/sessions/other", {});
});

test("a new question takes neither the focus nor what is open away", async () => {
  await stage.ask(DATABASE);
  const page = await stage.visit();
  const field = page.getByLabel("Your own answer");
  await field.pressSequentially("I am ty");
  await stage.ask({ ...DATABASE, question: "Another?" }, { urgency: "high" });
  await until(async () => (await rows(page)).length === 2);
  await page.keyboard.type("ping");
  assert.equal(await field.inputValue(), "I am typing");
  const told = page.locator("[aria-live=polite].unseen p");
  assert.deepEqual(await told.allInnerTexts(), ["New question: Another?"]);
  const once = await told.elementHandle();
  await stage.ask({ ...DATABASE, question: "Another?" });
  await until(async () => (await told.count()) === 2);
  assert.equal(await once.evaluate((one) => one.isConnected), true); // said once: it stays as it is
});

test("500 pending asks: all are counted and reached", async () => {
  for (let from = 0; from < 500; from += 50)
    await Promise.all(Array.from({ length: 50 }, (_, index) => stage.ask({ ...DATABASE, question: `Number ${from + index}?` })));
  const page = await stage.visit();
  await until(async () => (await page.title()).startsWith("(500) "));
  assert.match(await page.locator("link[rel=icon]").getAttribute("href"), /^data:image\/png/);
  await page.getByText("500 waiting").waitFor();
  await until(async () => {
    await page.locator(".list-pane").evaluate((pane) => (pane.scrollTop = pane.scrollHeight));
    return (await page.locator(".row").count()) === 500;
  });
  await page.getByLabel("Search questions").fill("number 499");
  await until(async () => (await rows(page)).join() === "Number 499?");
});

test("what is open far down a list brings no thousand rows with it", async () => {
  for (let from = 0; from < 600; from += 50)
    await Promise.all(Array.from({ length: 50 }, (_, index) => stage.ask({ ...DATABASE, question: `Number ${from + index}?` })));
  const page = await stage.visit();
  await page.getByText("600 waiting").waitFor();
  const current = page.locator(".row[aria-current]");
  const first = await current.getAttribute("href");
  await page.getByLabel("Sort order").selectOption("newest");
  const count = () => page.locator(".rows .row").count();
  const top = () => page.locator(".rows .row").first().getAttribute("href");
  await until(async () => (await top()) !== first);
  assert.ok((await count()) < 300, `${await count()} rows are made`);
  assert.equal(await current.getAttribute("href"), first);
  // A step leads on from there, and the list follows.
  await page.locator("main").focus();
  await page.keyboard.press("k");
  await until(async () => (await current.getAttribute("href")) !== first && (await current.evaluate((row) => row.getBoundingClientRect().bottom <= innerHeight + 1)));
  assert.ok((await count()) < 300, `${await count()} rows are made`);
  // What lies between is made where it is looked at.
  const before = await count();
  await page.locator(".rows-gap").evaluate((gap) => gap.scrollIntoView());
  await until(async () => (await count()) > before);
});

test("the keyboard alone: choose, undo, answer, go on, search, leave", async () => {
  const first = await stage.ask({ ...DATABASE, question: "One?" });
  const second = await stage.ask([{ ...DATABASE, question: "Two?" }, EXTRAS]);
  const third = await stage.ask({ ...DATABASE, question: "Three?" });
  const page = await stage.visit();
  await page.getByRole("heading", { name: "One?" }).waitFor();
  const focus = () => page.evaluate(() => document.activeElement.textContent.trim());

  await strike(page, "2");
  await page.getByText(/Sending in \d s: “SQLite”/).waitFor();
  await page.keyboard.press("z");
  await strike(page, "1");
  await until(async () => (await focus()) === "Undo");
  await page.keyboard.press("Tab");
  assert.equal(await focus(), "Send now");
  await strike(page, "Enter");
  assert.deepEqual((await stage.settled(first.id)).answers, [{ selected: ["PostgreSQL (Recommended)"] }]);
  await until(async () => (await focus()).startsWith("Next question"));
  await strike(page, "Enter");

  await page.getByRole("heading", { name: "Two?" }).waitFor();
  await strike(page, "2");
  await page.getByRole("radio", { name: /SQLite/ }).focus();
  await strike(page, "Enter"); // on what is chosen: the next step
  await page.getByRole("heading", { name: EXTRAS.question }).waitFor();
  await until(async () => (await focus()).startsWith("Dark mode"));
  await strike(page, "Space");
  await page.keyboard.press("ArrowDown");
  await strike(page, "Space");
  await strike(page, "Control+Enter");
  await page.getByRole("heading", { name: "Your answers" }).waitFor();
  await strike(page, "Control+Enter");
  assert.deepEqual((await stage.settled(second.id)).answers, [{ selected: ["SQLite"] }, { selected: ["Dark mode", "Offline"] }]);

  await page.keyboard.press("j");
  await page.getByRole("heading", { name: "Three?" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("three");
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.activeElement === document.body), true);
  await page.keyboard.press("Escape");
  await until(() => new URL(page.url()).hash === "#/?q=three");
  assert.equal((await stage.broker.call("GET", `/v1/asks/${third.id}`)).body.state, "pending");
});

test("on a phone the focus goes along into a question and back to its row", async () => {
  const { id } = await stage.ask(DATABASE);
  const page = await stage.visit("#/", { viewport: PHONE });
  const row = page.locator(`.list-pane a[href="#/ask/${id}"]`);
  await row.focus();
  await strike(page, "Enter");
  await until(() => page.evaluate(() => document.activeElement.classList.contains("back")));
  await strike(page, "Enter");
  await until(() => row.evaluate((one) => one === document.activeElement));
});

test("a notification with the question comes when one looks elsewhere, and only then", async () => {
  const page = await stage.visit("#/settings", { permissions: ["notifications"] });
  await page.getByLabel("Notify me about new questions").check();
  await page.evaluate(() => {
    window.shown = [];
    ServiceWorkerRegistration.prototype.showNotification = async (title, options) => void window.shown.push([title, options.body]);
    window.isLooking = true;
    Object.defineProperty(document, "visibilityState", { get: () => (window.isLooking ? "visible" : "hidden") });
  });
  await stage.ask({ ...DATABASE, question: "Seen?" });
  await until(async () => (await page.title()) === "(1) Settings · Parley");
  await page.evaluate(() => (window.isLooking = false));
  await stage.ask({ ...DATABASE, question: "Unseen?" }, { agent: "helper" });
  await until(() => page.evaluate(() => window.shown.length > 0));
  assert.deepEqual(await page.evaluate(() => window.shown), [["helper asks", "Unseen?"]]);
});

test("the history says what was decided, by whom and where", async () => {
  const first = await stage.ask({ ...DATABASE, question: "Old one?" });
  const second = await stage.ask({ ...DATABASE, question: "New one?" });
  await stage.broker.answer(first.id, [{ selected: ["SQLite"] }], { by: "Ada" });
  await stage.broker.call("POST", `/v1/asks/${second.id}/dismiss`, { reason: "no", by: "Bob" });
  const page = await stage.visit("#/history");
  await until(async () => (await rows(page)).slice(0, 2).join() === "New one?,Old one?");
  await page.locator(".row", { hasText: "Old one?" }).getByText(/Ada.* chose “SQLite” · through the API/).waitFor();
  await page.getByText("Old one?").click();
  await page.locator(".outcome").getByText(/Answered by .+ \(as “Ada”\) through the API/).waitFor();
  await page.getByLabel("Outcome").selectOption("dismissed");
  await until(async () => !(await rows(page)).includes("Old one?"));
  await page.getByText("New one?").first().click();
  await page.locator(".outcome").getByText(/Dismissed by .+ \(as “Bob”\)/).waitFor();
});

test("what breaks the whole page leaves something to read and to press; a wrong address does not", async () => {
  await stage.ask(DATABASE);
  const page = await stage.visit("#/ask/%");
  stage.expectBroken(page);
  await page.getByText("This question doesn’t exist").waitFor();
  await page.goto(`${stage.broker.url}/#/`);
  await page.getByRole("heading", { name: DATABASE.question }).waitFor();
  await page.evaluate(() => {
    window.ceil = Math.ceil;
    Math.ceil = () => { throw new Error("broken"); };
  });
  await page.context().setOffline(true);
  await stage.broker.kill();
  await page.getByRole("heading", { name: "Something went wrong here" }).waitFor();
  await page.evaluate(() => (Math.ceil = window.ceil));
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: DATABASE.question }).waitFor();
  await page.context().setOffline(false);
  await stage.broker.restart();
});

test("other languages: the words change, dates and counts too", async () => {
  await stage.ask(DATABASE);
  const page = await stage.visit("#/", { locale: "de-DE" });
  await page.getByText("1 offen").waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.lang), "de");
  for (const [tag, words] of [["es", "1 pendiente"], ["zh", "1 个待回答"]]) {
    await page.evaluate((value) => localStorage.setItem("parley.language", JSON.stringify(value)), tag);
    await page.reload();
    await page.getByText(words).waitFor();
  }
});
