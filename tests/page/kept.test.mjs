// SPDX-License-Identifier: Apache-2.0
// What is typed survives: messages to an agent, a reason for dismissing, what was not used; and a
// browser whose clock is wrong.
import assert from "node:assert/strict";
import { rename } from "node:fs/promises";
import { after, before, beforeEach, test } from "node:test";
import { DATABASE, Stage, until } from "./support.mjs";

let stage;
before(async () => (stage = await Stage.open()));
after(() => stage.close());
beforeEach(() => stage.broker.call("DELETE", "/v1/sessions/work", {}));

const said = async (session) => {
  const { body } = await stage.broker.call("GET", `/v1/sessions/${session}/events?limit=100`);
  return body.events.map(({ event }) => event.message?.text).filter(Boolean);
};

test("messages to an agent are sent when the connection is back, after a reload too, each once", async () => {
  await stage.broker.call("POST", "/v1/sessions", { name: "talk", title: "Talk", agent: "helper" });
  const { body } = await stage.broker.call("GET", "/v1/sessions/talk");
  const page = await stage.visitAs("ada", `#/session/${body.id}`);
  const field = page.getByLabel("Message to the agent");
  await field.waitFor();
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await stage.broker.kill();
  await page.getByText(/No connection|offline/i).first().waitFor();
  for (const words of ["First: stop there.", "Second: use the other branch."]) {
    await field.fill(words);
    await page.keyboard.press("Enter");
    await page.locator(".bubble", { hasText: words }).waitFor();
  }
  await field.fill("half a thou");
  await page.reload();
  await page.locator(".bubble", { hasText: "Second: use the other branch." }).waitFor();
  assert.equal(await field.inputValue(), "half a thou");
  await stage.picture(page, "messages-kept");
  await stage.broker.restart();
  await until(async () => (await said("talk")).length === 2);
  assert.deepEqual(await said("talk"), ["First: stop there.", "Second: use the other branch."]);
  await until(async () => (await page.locator(".bubble").count()) === 2);
  await page.reload();
  await until(async () => (await page.locator(".bubble").count()) === 2);
  assert.equal(await page.getByRole("button", { name: "Discard" }).count(), 0);
});

test("an answer that could not be sent is sent after a reload, when the connection is back", async () => {
  const { id } = await stage.ask(DATABASE);
  const page = await stage.visitAs("ada", `#/ask/${id}`);
  await page.getByRole("heading", { name: DATABASE.question }).waitFor();
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await stage.broker.kill();
  await page.getByRole("radio", { name: /SQLite/ }).click();
  await page.locator(".detail-pane").getByRole("button", { name: "Send now" }).click();
  await page.getByText(/It will be sent|sent when/).first().waitFor();
  await page.reload();
  await stage.broker.restart();
  assert.deepEqual((await stage.settled(id)).answers, [{ selected: ["SQLite"] }]);
  await page.getByText(/Answered by you/).first().waitFor();
});

test("a reason for dismissing outlives a look at another question and a reload", async () => {
  const first = await stage.ask({ ...DATABASE, question: "First?" });
  const second = await stage.ask({ ...DATABASE, question: "Second?" });
  const page = await stage.visitAs("ada", `#/ask/${first.id}`);
  await page.getByRole("button", { name: "Dismiss", exact: true }).click();
  await page.getByLabel("Reason (optional)").fill("not mine to decide");
  await page.locator(`.rows a[href="#/ask/${second.id}"]`).click();
  await page.getByRole("heading", { name: "Second?" }).waitFor();
  await page.locator(`.rows a[href="#/ask/${first.id}"]`).click();
  await page.reload();
  await page.getByRole("button", { name: "Dismiss", exact: true }).click();
  assert.equal(await page.getByLabel("Reason (optional)").inputValue(), "not mine to decide");
  await page.getByRole("button", { name: "Dismiss it" }).or(page.getByRole("button", { name: "Dismiss question" })).click();
  const { outcome, note } = await stage.settled(first.id);
  assert.deepEqual([outcome, note], ["dismissed", "not mine to decide"]);
});

test("what was typed and not used is still there after a reload", async () => {
  const { id } = await stage.ask(DATABASE);
  const page = await stage.visitAs("ada", `#/ask/${id}`);
  await page.getByLabel("Your own answer").fill("CockroachDB, because of the regions");
  await page.getByText("Draft saved").waitFor();
  await stage.broker.answer(id, [{ selected: ["SQLite"] }]);
  const unused = page.locator(".unused", { hasText: "CockroachDB, because of the regions" });
  await unused.waitFor();
  await page.reload();
  await unused.waitFor();
});

test("a countdown goes by the broker's clock", async () => {
  const { id } = await stage.ask(DATABASE, { timeout_seconds: 5400 });
  const page = await stage.visitAs("ada");
  await page.clock.install({ time: Date.now() + 11 * 60_000 });
  await page.goto(`${stage.broker.url}/#/ask/${id}`);
  await page.reload();
  await page.locator(".card .countdown", { hasText: /1 h (29|30) min|1 h 30/ }).waitFor();
  const short = await stage.ask({ ...DATABASE, question: "Soon?" }, { timeout_seconds: 300 });
  await page.goto(`${stage.broker.url}/#/ask/${short.id}`);
  await page.locator(".card .countdown", { hasText: /[45]:\d\d/ }).waitFor();
});

test("a snooze goes on to the next question, and is said in the list", async () => {
  const first = await stage.ask({ ...DATABASE, question: "First?" });
  await stage.ask({ ...DATABASE, question: "Second?" });
  const page = await stage.visitAs("ada", `#/ask/${first.id}`);
  await page.getByRole("button", { name: "Later" }).click();
  await page.getByRole("button", { name: "10 minutes" }).click();
  await page.getByRole("heading", { name: "Second?" }).waitFor();
  await page.getByRole("button", { name: "1 snoozed" }).click();
  await page.locator(".rows .row", { hasText: /Snoozed until/ }).click();
  await page.getByRole("heading", { name: "First?" }).waitFor();
  await page.reload();
  await page.locator(".rows .row", { hasText: /Snoozed until/ }).waitFor();
});

test("a broker without its store says so, and takes what was answered meanwhile when it is back", async () => {
  const { id } = await stage.ask(DATABASE);
  const page = await stage.visitAs("ada", `#/ask/${id}`);
  await page.getByRole("heading", { name: DATABASE.question }).waitFor();
  const file = stage.broker.store.slice("sqlite:".length);
  await rename(file, `${file}.away`);
  const bar = page.locator(".connection-bar", { hasText: "The broker cannot reach its store." });
  await bar.waitFor();
  await page.getByRole("radio", { name: "SQLite" }).check();
  await page.getByRole("button", { name: "Send answer" }).click();
  await page.getByText(/Not sent yet/).first().waitFor();
  await rename(`${file}.away`, file);
  await bar.waitFor({ state: "detached" });
  assert.equal((await stage.settled(id)).outcome, "answered");
});
