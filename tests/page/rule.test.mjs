// SPDX-License-Identifier: Apache-2.0
// An answer is what this person last saw marked when they sent it, to the ask that they saw: two
// people at once, slow lines, late replies.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { Stage, nameOf, strike, until } from "./support.mjs";

let stage;
before(async () => (stage = await Stage.open()));
after(() => stage.close());
beforeEach(() => stage.broker.call("DELETE", "/v1/sessions/work", {}));

const MAY = {
  question: "May I run `rm -rf build`?",
  header: "Bash",
  options: ["Allow once", "Allow for this session", "Deny"],
};
const GREEK = { question: "Which?", header: "Pick", options: ["Alpha", "Beta", "Gamma"] };
const option = (page, label) => page.getByRole("radio", { name: label });

test("two people: each sends what they clicked, and the first stands under the right name", async () => {
  const { id } = await stage.ask(MAY);
  const [ada, bob] = [await stage.visitAs("ada", `#/ask/${id}`), await stage.visitAs("bob", `#/ask/${id}`)];
  await option(ada, "Deny").click();
  await ada.getByText(/Sending in \d s: “Deny”/).waitFor();
  await option(bob, "Allow once").click();
  await bob.getByText(/Sending in \d s: “Allow once”/).waitFor();
  await ada.getByText(/Sending in \d s: “Deny”/).waitFor();
  const settlement = await stage.settled(id);
  assert.deepEqual([nameOf(settlement), settlement.answers[0].selected], ["ada", ["Deny"]]);
  await ada.getByText(/Answered by you/).waitFor();
  await bob.getByText(/Answered by ada/).waitFor();
  await bob.getByText("Your answer was not used").waitFor();
  await bob.locator(".unused", { hasText: "Allow once" }).waitFor();
  await bob.reload();
  await bob.locator(".unused", { hasText: "Allow once" }).waitFor();
});

test("a slow line: the echo of an earlier click does not become the answer", async () => {
  const { id } = await stage.ask(GREEK);
  const page = await stage.visitAs("ada", `#/ask/${id}`);
  let puts = 0;
  await page.route("**/draft", async (route) => {
    if (route.request().method() === "PUT") ++puts;
    await new Promise((resolve) => setTimeout(resolve, 250));
    await route.continue();
  });
  await option(page, "Alpha").click();
  await until(() => puts === 1);
  await option(page, "Beta").click();
  await until(() => puts === 2);
  await option(page, "Alpha").click();
  await page.getByText(/Sending in \d s: “Alpha”/).waitFor();
  assert.deepEqual((await stage.settled(id)).answers, [{ selected: ["Alpha"] }]);
});

test("a snooze whose reply comes after the settlement does not ask again", async () => {
  const { id } = await stage.ask(MAY);
  const page = await stage.visitAs("ada", `#/ask/${id}`);
  await page.route("**/snooze", async (route) => {
    const response = await route.fetch();
    await stage.broker.answer(id, [{ selected: ["Deny"] }]);
    await page.getByText(/Answered by/).first().waitFor();
    await route.fulfill({ response });
  });
  await page.getByRole("button", { name: "Later" }).click();
  await page.getByRole("button", { name: "10 minutes" }).click();
  // The reply is here once the page goes on; the words alone may come sooner, with the feed.
  await page.waitForURL((url) => url.hash === "#/");
  await page.getByText(/Snoozed until/).waitFor();
  await page.goto(`${stage.broker.url}/#/ask/${id}`);
  await page.getByText(/Answered by/).first().waitFor();
  assert.equal(await page.locator(`.rows a[href="#/ask/${id}"]`).count(), 0);
  assert.equal(await page.locator(".form").count(), 0);
});

test("a card that the search has filtered out takes no keys", async () => {
  const { id } = await stage.ask(MAY);
  const other = await stage.ask({ ...GREEK, question: "Rename it?" });
  const page = await stage.visitAs("ada", `#/ask/${id}`);
  await page.getByLabel("Search questions").fill("rename");
  await page.locator(`.rows a[href="#/ask/${id}"]`).waitFor({ state: "detached" });
  await page.getByLabel("Search questions").blur();
  await strike(page, "1");
  await page.reload();
  await page.locator(`.rows a[href="#/ask/${other.id}"]`).waitFor();
  assert.equal(await page.getByLabel("Search questions").inputValue(), "rename");
  const { body } = await stage.broker.call("GET", `/v1/asks/${id}`);
  assert.equal(body.state, "pending");
});
