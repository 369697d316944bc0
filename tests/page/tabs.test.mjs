// SPDX-License-Identifier: Apache-2.0
// Many tabs of one browser: one stream of events, free hands for calls, one sign-in.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { DATABASE, Stage, until } from "./support.mjs";

let stage;
before(async () => (stage = await Stage.open()));
after(() => stage.close());
beforeEach(() => stage.broker.call("DELETE", "/v1/sessions/work", {}));

// So many tabs of one browser, and how often any of them opened a stream.
async function tabs(count) {
  const first = await stage.visitAs("ada");
  const streams = [];
  first.context().on("request", (request) => {
    if (new URL(request.url()).pathname === "/v1/events") streams.push(request.url());
  });
  const others = [];
  for (let index = 1; index < count; ++index) {
    const page = await first.context().newPage();
    await page.goto(`${stage.broker.url}/#/`);
    await page.locator(".connection.live").waitFor({ state: "attached" });
    others.push(page);
  }
  return { pages: [first, ...others], streams };
}

test("eight tabs hold one stream: all see an ask, and any can answer it", async () => {
  const { pages, streams } = await tabs(8);
  const { id } = await stage.ask(DATABASE);
  await Promise.all(pages.map((page) => page.locator(`a[href="#/ask/${id}"]`).waitFor()));
  await pages[5].bringToFront();
  await pages[5].getByRole("radio", { name: /SQLite/ }).click();
  await pages[5].locator(".detail-pane").getByRole("button", { name: "Send now" }).click();
  assert.deepEqual((await stage.settled(id)).answers, [{ selected: ["SQLite"] }]);
  await Promise.all(pages.map((page) => page.locator(`.rows a[href="#/ask/${id}"]`).waitFor({ state: "detached" })));
  assert.deepEqual(streams, []);
  await pages[0].context().close();
});

test("the tab that reads is closed: another goes on where it was", async () => {
  const { pages, streams } = await tabs(3);
  const seen = await stage.ask({ ...DATABASE, question: "Before?" });
  await pages[2].locator(`a[href="#/ask/${seen.id}"]`).waitFor();
  await pages[0].close();
  const { id } = await stage.ask({ ...DATABASE, question: "After?" });
  for (const page of pages.slice(1)) {
    await page.locator(`a[href="#/ask/${id}"]`).waitFor();
    assert.equal(await page.locator(".rows .row").count(), 2);
  }
  assert.match(streams.join(), /after=\d+$/);
  assert.equal(streams.length, 1);
  await pages[1].context().close();
});

test("signed out in one tab: the others show nothing any more, and come back together", async () => {
  const { pages } = await tabs(3);
  await stage.ask({ ...DATABASE, question: "A secret?" });
  await Promise.all(pages.map((page) => page.getByText("A secret?").first().waitFor()));
  await pages[1].goto(`${stage.broker.url}/#/settings`);
  await pages[1].getByRole("button", { name: "Sign out" }).click();
  for (const page of pages) {
    await page.getByLabel("Token").waitFor();
    assert.doesNotMatch(await page.content(), /secret/);
    await until(async () => (await page.title()) === "Parley");
  }
  await pages[2].getByLabel("Token").fill(stage.tokens.get("ada"));
  await pages[2].keyboard.press("Enter");
  await Promise.all([pages[0], pages[2]].map((page) => page.getByText("A secret?").first().waitFor()));
  await pages[0].context().close();
});
