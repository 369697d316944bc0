// SPDX-License-Identifier: Apache-2.0
// The question card in every state, as one person sees it.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { DATABASE, EXTRAS, REMARKS, Stage, strike, until } from "./support.mjs";

let stage;
let page;
before(async () => (stage = await Stage.open()));
after(() => stage.close());
beforeEach(async () => {
  await page?.context().close();
  await stage.broker.call("DELETE", "/v1/sessions/work", {});
  page = await stage.visit();
});

const option = (name) => page.locator(".detail-pane").getByRole("radio", { name });
const box = (name) => page.getByRole("checkbox", { name });
const button = (name) => page.locator(".detail-pane").getByRole("button", { name, exact: true });
const outcome = () => page.locator(".detail-pane .outcome");

test("a new question appears by itself, with its header, options and badge", async () => {
  await stage.ask(DATABASE, { agent: "builder", context: "We need **one**.", urgency: "high" });
  await page.getByRole("heading", { name: DATABASE.question }).waitFor();
  assert.equal(await page.title(), `(1) ${DATABASE.question} · Parley`);
  const card = page.locator(".card");
  assert.match(await card.innerText(), /Database\s+Urgent[\s\S]*builder asks[\s\S]*We need one\.[\s\S]*Recommended/);
  assert.equal(await card.locator("strong").innerText(), "one");
});

test("one click answers after the time to undo, and the card says who, where and when", async () => {
  const { id } = await stage.ask(DATABASE);
  await option(/SQLite/).click();
  await page.getByText(/Sending in \d s: “SQLite”/).waitFor();
  const { answers, decider, door } = await stage.settled(id);
  assert.deepEqual(answers, [{ selected: ["SQLite"] }]);
  assert.equal(decider.kind, "person");
  assert.equal(door, "page");
  await outcome().getByText(/Answered by you on the page at \d\d:\d\d/).waitFor();
  assert.match(await page.locator(".chosen").innerText(), /SQLite/);
  assert.equal(await page.title(), `${DATABASE.question} · Parley`);
});

test("an answer is taken back before it is sent, and the choice stays", async () => {
  const { id } = await stage.ask(DATABASE);
  await option(/PostgreSQL/).click();
  await button("Undo").click();
  assert.equal(await option(/PostgreSQL/).getAttribute("aria-checked"), "true");
  await option(/SQLite/).click();
  await page.keyboard.press("Escape");
  await button("Send answer").waitFor();
  assert.equal((await stage.broker.call("GET", `/v1/asks/${id}`)).body.state, "pending");
  await button("Send answer").click();
  await button("Send now").click();
  assert.deepEqual((await stage.settled(id)).answers, [{ selected: ["SQLite"] }]);
});

test("what is marked beforehand is shown and stays until a person sends it", async () => {
  const regions = { question: "Which regions?", multi_select: true, options: ["eu", "us", "asia"], min: 2, default: ["us"] };
  const { id } = await stage.ask(regions);
  await page.getByText("Choose at least 2").waitFor();
  const answersMarked = () => page.locator(".detail-pane [role=checkbox][aria-checked=true]").allInnerTexts();
  await page.reload(); // with no draft on the broker, either
  await page.getByText("Choose at least 2").waitFor();
  await until(async () => (await answersMarked()).length === 1);
  assert.match((await answersMarked())[0], /us/);
  assert.equal((await stage.broker.call("GET", `/v1/asks/${id}/draft`)).body, null);
  await box(/asia/).click();
  await button("Send answer").click();
  assert.deepEqual((await stage.settled(id)).answers, [{ selected: ["us", "asia"] }]);
});

test("a step is ticked once its answer may be sent, not before", async () => {
  const regions = { question: "Which zones?", header: "Zones", multi_select: true, options: ["eu", "us", "asia"], min: 2, default: ["us"] };
  const { id } = await stage.ask([regions, { question: "And the name?", header: "Name" }]);
  const tick = page.locator(".step", { hasText: "Zones" }).locator(".step-mark svg");
  await page.getByText("Which zones?").last().waitFor();
  await until(async () => (await page.locator(".detail-pane [role=checkbox][aria-checked=true]").count()) === 1);
  assert.equal(await tick.count(), 0);
  await box(/asia/).click();
  await tick.waitFor();
  await stage.broker.call("POST", `/v1/asks/${id}/withdraw`, {});
});

test("free text and a note go with the answer; Enter of an input method sends nothing", async () => {
  const { id } = await stage.ask(DATABASE);
  const field = page.getByLabel("Your own answer");
  await field.fill("MariaDB");
  await field.dispatchEvent("keydown", { key: "Enter", isComposing: true, bubbles: true });
  assert.equal(await page.locator(".undo").count(), 0);
  await button("Add a note").click();
  await page.getByLabel("Note to the agent").fill("we know it");
  await strike(page, "Control+Enter");
  await button("Send now").click();
  assert.deepEqual((await stage.settled(id)).answers, [{ selected: [], other: "MariaDB", note: "we know it" }]);
});

test("several questions are steps with free movement and a review that marks what is missing", async () => {
  const { id } = await stage.ask([DATABASE, EXTRAS, REMARKS]);
  await page.getByRole("button", { name: "Review" }).click();
  assert.equal(await page.locator(".review .missing").count(), 3);
  await strike(page, "Control+Enter");
  await page.getByText("Answer every question first: Database, Extras, Remarks.").waitFor();
  await page.getByRole("button", { name: "Change Database" }).click();
  await option(/SQLite/).click();
  await button("Next").click();
  await box("Offline").click();
  await box("Dark mode").click();
  await button("Next").click();
  await page.getByLabel("Write your answer").fill("no");
  await strike(page, "Enter");
  assert.equal(await page.locator(".review .missing").count(), 0);
  await stage.picture(page, "review");
  await button("Send answers").click();
  const { answers } = await stage.settled(id);
  assert.deepEqual(answers, [{ selected: ["SQLite"] }, { selected: ["Dark mode", "Offline"] }, { selected: [], other: "no" }]);
});

test("dismissing asks once and tells why", async () => {
  const { id } = await stage.ask(DATABASE);
  await button("Dismiss").click();
  await button("Cancel").click();
  await button("Dismiss").click();
  await page.getByLabel("Reason (optional)").fill("not mine");
  await page.keyboard.press("Escape");
  await button("Dismiss").click();
  assert.equal(await page.getByLabel("Reason (optional)").inputValue(), "not mine");
  await button("Dismiss it").click();
  const settlement = await stage.settled(id);
  assert.equal(settlement.outcome, "dismissed");
  assert.equal(settlement.note, "not mine");
  await outcome().getByText(/Dismissed by you/).waitFor();
});

test("what may not be dismissed offers no way to", async () => {
  await stage.ask(DATABASE, { dismissible: false });
  await button("Later").waitFor();
  assert.equal(await button("Dismiss").count(), 0);
});

test("answered elsewhere: said at once, and what was typed here is not thrown away", async () => {
  const { id } = await stage.ask(DATABASE);
  await page.getByLabel("Your own answer").fill("Oracle, of course");
  await stage.broker.answer(id, [{ selected: ["SQLite"] }], { by: "Bob" });
  await outcome().getByText(/Answered by .+ \(as “Bob”\) through the API at \d\d:\d\d/).waitFor();
  await page.getByText("Your answer was not used").waitFor();
  await page.getByText("Oracle, of course").waitFor();
});

test("withdrawn and timed out are shown as such, a deadline counts down", async () => {
  const first = await stage.ask(DATABASE);
  await page.getByRole("heading", { name: DATABASE.question }).waitFor();
  await stage.broker.call("POST", `/v1/asks/${first.id}/withdraw`, { reason: "found out" });
  await outcome().getByText(/Withdrawn by/).waitFor();
  await page.getByText("Reason: found out").waitFor();
  const second = await stage.ask({ ...DATABASE, question: "Quick?" }, { timeout_seconds: 3 });
  await page.locator(`a[href="#/ask/${second.id}"]`).click();
  await page.locator(".card .countdown").getByText(/0:0\d left/).waitFor();
  await outcome().getByText(/Nobody answered in time/).waitFor();
});

test("a default taken by the timer is told as the timer's", async () => {
  const { id } = await stage.ask(DATABASE, { timeout_seconds: 1, on_timeout: { default: [{ selected: ["SQLite"] }] } });
  await page.locator(".card").getByText(/“SQLite” is used/).waitFor({ timeout: 900 }).catch(() => undefined);
  assert.equal((await stage.settled(id)).decider.kind, "timer");
  await outcome().getByText(/The agent’s default was used/).waitFor();
});

test("previews stand beside the options, as markdown", async () => {
  await stage.ask({
    question: "Which layout?",
    header: "Layout",
    options: [{ label: "Wide", preview: "# Wide\n\n`code`" }, { label: "Narrow", preview: "# Narrow" }],
  });
  await page.getByRole("group", { name: "Preview of Wide" }).getByRole("heading", { name: "Wide" }).waitFor();
  await option("Narrow").focus();
  await page.getByRole("group", { name: "Preview of Narrow" }).waitFor();
  await stage.picture(page, "preview");
});

test("the agent's own Other opens the text field, and no second one is added", async () => {
  const { id } = await stage.ask({ question: "Which?", header: "Pick", options: ["A", "Other"] });
  await option("Other").click();
  await page.keyboard.type("C");
  await strike(page, "Enter");
  await button("Send now").click();
  assert.deepEqual((await stage.settled(id)).answers, [{ selected: [], other: "C" }]);
});

test("whatever form an agent's arguments have, the same card is shown", async () => {
  const options = ["Red", { label: "Blue" }];
  const flat = { question: "Which colour?", options };
  const forms = [
    flat,
    { questions: [flat] },
    { questions: JSON.stringify([flat]) },
    JSON.stringify({ questions: [flat] }),
    JSON.stringify(JSON.stringify(flat)),
    { questions: [{ ...flat, header: "Colour", multiSelect: false }] },
    { questions: [{ ...flat, multiple: false, options: [{ label: "Red", description: "warm" }, "Blue"] }] },
  ];
  for (const form of forms) {
    const body = typeof form === "string" ? form : { session: "work", ...form };
    const { status, body: ask } = await stage.broker.call("POST", "/v1/asks", body);
    assert.equal(status, 201, JSON.stringify([form, ask]));
    await page.goto(`${stage.broker.url}/#/ask/${ask.id}`);
    await page.getByRole("heading", { name: "Which colour?" }).waitFor();
    assert.equal(await page.locator(".detail-pane").getByRole("radio").count(), 2);
    await stage.broker.call("POST", `/v1/asks/${ask.id}/withdraw`, {});
    await outcome().waitFor();
  }
  for (const name of ["multiSelect", "multiple", "multi_select"]) {
    const ask = await stage.ask({ ...flat, [name]: true });
    await page.goto(`${stage.broker.url}/#/ask/${ask.id}`);
    await page.getByText("Choose all that apply").waitFor();
    await stage.broker.call("POST", `/v1/asks/${ask.id}/withdraw`, {});
    await outcome().waitFor();
  }
});

test("the agent has the answer when it is heard again, and not before", async () => {
  const { id } = await stage.ask(DATABASE);
  await option(/SQLite/).click();
  await button("Send now").click();
  await stage.settled(id);
  await outcome().getByText("Recorded; the agent will be told.").waitFor();
  await stage.broker.call("POST", "/v1/sessions/work/events", [{ type: "text-end", part_id: "p", text: "SQLite it is." }]);
  await outcome().getByText("The agent got it and carried on.").waitFor();
});

test("what is asked before it is done takes the focus and gives it back", async () => {
  await stage.ask(DATABASE);
  const focused = () => page.evaluate(() => document.activeElement.textContent.trim());
  for (const [name, first] of [["Later", "10 minutes"], ["Dismiss", ""]]) {
    await button(name).focus();
    await strike(page, "Enter");
    await until(async () => (await focused()) === first);
    await page.keyboard.press("Escape");
    await until(async () => (await focused()) === name);
  }
  await button("Later").waitFor();
});

test("a question that cannot be laid out is shown raw, with a text box", async () => {
  const { id } = await stage.ask(DATABASE);
  await page.getByRole("heading", { name: DATABASE.question }).waitFor();
  // What no broker of ours sends: options that are none.
  stage.expectBroken(page);
  const broken = { ...(await stage.broker.call("GET", `/v1/asks/${id}`)).body };
  broken.questions = [{ question: "Broken?", header: "x", options: 7 }];
  const empty = { ...broken, id: "que_empty", questions: null };
  const frames = [{ type: "ask.opened", ask: broken }, { type: "ask.opened", ask: empty }, { type: "snapshot.end", cursor: "1" }];
  await page.route("**/v1/events*", (route) =>
    route.fulfill({ contentType: "text/event-stream", body: frames.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("") }),
  );
  await page.reload();
  await page.locator(`a[href="#/ask/que_empty"]`).click();
  await page.locator(".raw", { hasText: "que_empty" }).waitFor();
  await page.goBack();
  await page.locator(".raw", { hasText: "Broken?" }).waitFor();
  await page.getByText("This question could not be shown as usual").waitFor();
  await page.getByLabel("Write your answer").fill("in my own words");
  await button("Send answer").click();
  assert.deepEqual((await stage.settled(id)).answers, [{ selected: [], other: "in my own words" }]);
});

test("answers that the broker refuses name the fault and keep what was typed", async () => {
  const { id } = await stage.ask(DATABASE);
  await page.route(`**/v1/asks/${id}/answer`, (route) =>
    route.fulfill({
      status: 400,
      contentType: "application/problem+json",
      json: { status: 400, title: "Bad Request", detail: "no", errors: [{ path: "/answers/0/other", detail: "It is too odd." }] },
    }),
  );
  await page.getByLabel("Your own answer").fill("odd");
  await strike(page, "Enter");
  await button("Send now").click();
  await page.getByText("It is too odd.").waitFor();
  assert.equal(await page.getByLabel("Your own answer").inputValue(), "odd");
  await page.unroute(`**/v1/asks/${id}/answer`);
  await button("Try again").click();
  assert.deepEqual((await stage.settled(id)).answers, [{ selected: [], other: "odd" }]);
});
