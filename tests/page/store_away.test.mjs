// SPDX-License-Identifier: Apache-2.0
// The page on nodes whose database server is killed and comes back: it is told why, keeps what is
// typed, and sends it then. One node has the page, the other one is asked what became of it.
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { SHARED_STORE } from "../clients/support/broker.mjs";
import { killServer, startServer } from "../clients/support/database.mjs";
import { DATABASE, Stage, until } from "./support.mjs";

let stage;

const barOf = (page) => page.locator(".connection-bar", { hasText: "The broker cannot reach its store. What you type is kept" });

async function loseStore(page) {
  await killServer();
  const bar = barOf(page);
  await bar.waitFor();
  assert.match(await bar.innerText(), /the database \S+ on /);
}

async function findStore(page) {
  await startServer();
  await barOf(page).waitFor({ state: "detached" });
}

async function send(page) {
  await page.getByRole("button", { name: "Send answer" }).click();
  await page.getByRole("button", { name: "Send now" }).click();
}

// with_postgres.py gives it a server.
describe("the store is away", { skip: !SHARED_STORE && "NOT TESTED: no $PARLEY_SHARED_STORE" }, () => {
  before(async () => (stage = await Stage.open()));
  after(() => stage.close());
  afterEach(startServer);

  test("an answer that is typed while the store is away is kept through a reload, and is sent when it is back", async () => {
    const { id } = await stage.ask(DATABASE);
    const page = await stage.visit(`#/ask/${id}`);
    await page.getByRole("heading", { name: DATABASE.question }).waitFor();
    await loseStore(page);
    await page.getByLabel("Your own answer").fill("CockroachDB, because of the regions");
    await send(page);
    await page.getByText(/Not sent yet/).first().waitFor();
    await stage.picture(page, "store-away");
    await page.reload();
    await barOf(page).waitFor();
    await page.getByText(/Not sent yet/).first().waitFor();
    await findStore(page);
    assert.deepEqual((await stage.settled(id)).answers, [{ selected: [], other: "CockroachDB, because of the regions" }]);
    await page.getByText(/Answered by you/).first().waitFor();
  });

  test("what is typed and not sent while the store is away is there when it is back, to be gone on with", async () => {
    const { id } = await stage.ask(DATABASE);
    const page = await stage.visit(`#/ask/${id}`);
    const field = page.getByLabel("Your own answer");
    await field.waitFor();
    await loseStore(page);
    await field.fill("half a thou");
    await page.reload();
    await until(async () => (await field.inputValue()) === "half a thou");
    await findStore(page);
    assert.equal(await field.inputValue(), "half a thou");
    await field.press("End");
    await page.keyboard.type("ght");
    await page.getByText("Draft saved").waitFor();
    await send(page);
    assert.deepEqual((await stage.settled(id)).answers, [{ selected: [], other: "half a thought" }]);
  });

  test("a message to an agent that is typed while the store is away is sent when it is back, once", async () => {
    const { body } = await stage.broker.call("POST", "/v1/sessions", { name: "talk", title: "Talk", agent: "helper" });
    const page = await stage.visit(`#/session/${body.id}`);
    const field = page.getByLabel("Message to the agent");
    await field.waitFor();
    await loseStore(page);
    await field.fill("Use the other branch.");
    await page.keyboard.press("Enter");
    await page.locator(".bubble", { hasText: "Use the other branch." }).waitFor();
    await findStore(page);
    const said = async () => {
      const { body: page } = await stage.broker.call("GET", `/v1/sessions/${body.id}/events?limit=100`);
      return page.events.map(({ event }) => event.message?.text).filter(Boolean);
    };
    await until(async () => (await said()).length > 0);
    assert.deepEqual(await said(), ["Use the other branch."]);
    await page.locator(".bubble", { hasText: "Use the other branch." }).waitFor();
    assert.equal(await page.locator(".bubble").count(), 1);
  });
});
