// SPDX-License-Identifier: Apache-2.0
// Several people and devices at once, and a broker that dies under them.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { DATABASE, EXTRAS, Stage, nameOf, strike, until } from "./support.mjs";

let stage;
before(async () => (stage = await Stage.open()));
after(() => stage.close());
beforeEach(() => stage.broker.call("DELETE", "/v1/sessions/work", {}));

const choose = (page, label) => page.getByRole("radio", { name: label }).click();
// One who is too late finds the button gone.
const send = (page) => page.getByRole("button", { name: "Send now" }).dispatchEvent("click", {}, { timeout: 3000 }).catch(() => undefined);

test("two browsers race: one answer stands, both say which", async () => {
  const { id } = await stage.ask(DATABASE);
  const pages = [await stage.visitAs("ada"), await stage.visitAs("bob")];
  await Promise.all([choose(pages[0], /PostgreSQL/), choose(pages[1], /SQLite/)]);
  await Promise.all(pages.map(send));
  const settlement = await stage.settled(id);
  const { answers } = settlement;
  assert.ok(["ada", "bob"].includes(nameOf(settlement)));
  const [winner, loser] = nameOf(settlement) === "ada" ? pages : [...pages].reverse();
  await winner.getByText(/Answered by you on the page/).waitFor();
  await loser.getByText(new RegExp(`Answered by ${nameOf(settlement)} on the page`)).waitFor();
  await loser.getByText("Your answer was not used").waitFor();
  const chosen = answers[0].selected[0].replace(" (Recommended)", "");
  for (const page of pages) assert.match(await page.locator(".chosen").innerText(), new RegExp(chosen));
});

test("an answer that comes second is told whose stands", async () => {
  const { id } = await stage.ask(DATABASE);
  const page = await stage.visit(`#/ask/${id}`);
  await page.route(`**/v1/asks/${id}/answer`, async (route) => {
    await stage.broker.answer(id, [{ selected: ["SQLite"] }]);
    const response = await route.fetch();
    assert.equal(response.status(), 409);
    await route.fulfill({ response });
  });
  await choose(page, /PostgreSQL/);
  await send(page);
  await page.getByText(/Answered by .* through the API/).waitFor();
  await page.getByText("Your answer was not used").waitFor();
});

test("a draft follows to another device of the same person", async () => {
  const { id } = await stage.ask([DATABASE, EXTRAS]);
  const first = await stage.visitAs("ada", `#/ask/${id}`);
  await first.getByRole("radio", { name: /SQLite/ }).click();
  await first.getByText("Draft saved").waitFor();
  const second = await stage.visitAs("ada", `#/ask/${id}`);
  await second.locator('[aria-checked="true"]', { hasText: "SQLite" }).waitFor();
  await second.getByRole("button", { name: /Extras/ }).click();
  await second.getByRole("checkbox", { name: "Offline" }).click();
  await second.getByText("Draft saved").waitFor();
  await first.reload();
  await first.getByRole("button", { name: /Extras/ }).click();
  await first.locator('[aria-checked="true"]', { hasText: "Offline" }).waitFor();
});

test("the broker is killed under a half-typed answer: it is kept, and sent to the next process", async () => {
  const { id } = await stage.ask(DATABASE);
  const page = await stage.visit(`#/ask/${id}`);
  const field = page.getByLabel("Your own answer");
  await field.pressSequentially("Maria");
  await stage.broker.kill();
  await page.getByText(/No connection\. What you type is kept/).waitFor();
  await field.pressSequentially("DB");
  await page.getByText("Draft kept in this browser").waitFor();
  await strike(page, "Enter");
  await page.locator(".detail-pane").getByRole("button", { name: "Send now" }).click();
  await page.getByText(/It will be sent when the connection is back/).waitFor();
  await stage.broker.restart();
  assert.deepEqual((await stage.settled(id)).answers, [{ selected: [], other: "MariaDB" }]);
  await page.getByText(/Answered by you/).waitFor();
});

test("what is typed survives a reload without a connection", async () => {
  const { id } = await stage.ask(DATABASE);
  const page = await stage.visit(`#/ask/${id}`);
  await page.getByLabel("Your own answer").fill("half a th");
  await page.getByText("Draft saved").waitFor();
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await stage.broker.kill();
  await page.getByLabel("Your own answer").fill("half a thought");
  await page.getByText("Draft kept in this browser").waitFor();
  await page.reload();
  await page.getByText(/No connection/).waitFor();
  await stage.picture(page, "offline");
  await stage.broker.restart();
  await until(async () => (await page.getByLabel("Your own answer").inputValue().catch(() => "")) === "half a thought");
});

test("a reconnect misses nothing and repeats nothing", async () => {
  const page = await stage.visit();
  const before = await stage.ask({ ...DATABASE, question: "Before?" });
  await page.locator(`a[href="#/ask/${before.id}"]`).waitFor();
  await page.context().setOffline(true);
  await stage.broker.kill();
  await stage.broker.restart();
  const meanwhile = await stage.ask({ ...DATABASE, question: "Meanwhile?" });
  await stage.broker.answer(before.id, [{ selected: ["SQLite"] }]);
  await page.context().setOffline(false);
  await page.locator(`a[href="#/ask/${meanwhile.id}"]`).waitFor();
  await page.locator(`a[href="#/ask/${before.id}"]`).waitFor({ state: "detached" });
  assert.equal(await page.locator(".row").count(), 1);
});

test("a snoozed question leaves this inbox only, and comes back by itself", async () => {
  const { id } = await stage.ask(DATABASE);
  const page = await stage.visitAs("ada");
  const mine = await stage.visitAs("ada"); // the same person's other browser
  await mine.locator(`a[href="#/ask/${id}"]`).waitFor();
  const other = await stage.visit("#/", { isSignedIn: false });
  await other.getByLabel("Token").fill(stage.broker.token);
  await other.keyboard.press("Enter");
  await page.getByRole("button", { name: "Later" }).click();
  await page.getByRole("button", { name: "10 minutes" }).click();
  await page.locator(`a[href="#/ask/${id}"]`).waitFor({ state: "detached" });
  await mine.locator(`a[href="#/ask/${id}"]`).waitFor({ state: "detached" });
  await page.reload();
  await page.getByRole("button", { name: "1 snoozed" }).click();
  await page.locator(`a[href="#/ask/${id}"]`).waitFor();
  await other.locator(`a[href="#/ask/${id}"]`).waitFor();
});

test("what a revoked agent asked is marked, at once and after a reload", async () => {
  const { body: bot } = await stage.broker.call("POST", "/v1/tokens", { name: "bot", role: "agent" });
  const { body: ask } = await stage.broker.call("POST", "/v1/asks", { questions: [DATABASE] }, bot.token);
  const page = await stage.visitAs("ada", `#/ask/${ask.id}`);
  await page.locator(".rows .row").waitFor();
  assert.equal(await page.getByText("Agent revoked").count(), 0);
  await stage.broker.call("DELETE", "/v1/tokens/bot");
  await page.locator(".rows .row", { hasText: "Agent revoked" }).waitFor();
  await page.locator(".card-head", { hasText: "Agent revoked" }).waitFor();
  await page.reload();
  await page.locator(".rows .row", { hasText: "Agent revoked" }).waitFor();
  await stage.broker.call("POST", `/v1/asks/${ask.id}/withdraw`, {});
});
