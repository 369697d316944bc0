// SPDX-License-Identifier: Apache-2.0
// Who is who: one person's devices, a new person's name, a browser that is signed out from elsewhere.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { DATABASE, nameOf, Stage, strike, until } from "./support.mjs";

let stage;
before(async () => (stage = await Stage.open()));
after(() => stage.close());
beforeEach(() => stage.broker.call("DELETE", "/v1/sessions/work", {}));

const MAY = { question: "May I run `rm -rf build`?", header: "Bash", options: ["Allow once", "Allow for this session", "Deny"] };
const option = (page, label) => page.getByRole("radio", { name: label });
const own = (page) => page.getByLabel("Your own answer");

test("two devices of one person: what the other one typed is offered, and never taken while this one sends", async () => {
  const { id } = await stage.ask(MAY);
  const [desk, phone] = [await stage.visitAs("ada", `#/ask/${id}`), await stage.visitAs("ada", `#/ask/${id}`)];
  await own(desk).fill("Only in the container");
  await until(async () => (await own(phone).inputValue()) === "Only in the container");
  await own(phone).fill("Only on Monday");
  await desk.getByText("On another device you wrote something else").waitFor();
  assert.equal(await own(desk).inputValue(), "Only in the container");
  await stage.picture(desk, "draft-offered");
  await option(desk, "Deny").click();
  await own(phone).fill("Only on Tuesday");
  const { answers } = await stage.settled(id);
  assert.deepEqual(answers, [{ selected: ["Deny"] }]);
});

test("a draft that is offered is taken by a click, and then followed", async () => {
  const { id } = await stage.ask(MAY);
  const [desk, phone] = [await stage.visitAs("ada", `#/ask/${id}`), await stage.visitAs("ada", `#/ask/${id}`)];
  await own(desk).fill("mine");
  await until(async () => (await own(phone).inputValue()) === "mine");
  await own(phone).fill("theirs");
  await desk.getByRole("button", { name: "Use that" }).click();
  await until(async () => (await own(desk).inputValue()) === "theirs");
  await own(phone).fill("theirs, longer");
  await until(async () => (await own(desk).inputValue()) === "theirs, longer");
  await own(desk).fill("mine after all");
  await phone.getByRole("button", { name: "Keep this" }).click();
  await desk.getByText("On another device you wrote something else").waitFor();
});

test("a sign-in that is revoked ends at once", async () => {
  const page = await stage.visitAs("ada");
  await stage.ask({ ...DATABASE, question: "A secret?" });
  await page.getByText("A secret?").first().waitFor();
  const { sign_in: mine } = await page.evaluate(async () => (await fetch("/sign-in")).json());
  const { status } = await stage.broker.call("DELETE", `/v1/tokens/${encodeURIComponent(mine)}`);
  assert.ok(status < 300);
  await page.getByLabel("Token").waitFor();
  assert.doesNotMatch(await page.content(), /secret/);
});

test("a snooze can be ended before its time", async () => {
  const { id } = await stage.ask(DATABASE);
  const page = await stage.visitAs("ada", `#/ask/${id}`);
  await page.getByRole("button", { name: "Later" }).click();
  await page.getByRole("button", { name: "10 minutes" }).click();
  await page.locator(`.rows a[href="#/ask/${id}"]`).waitFor({ state: "detached" });
  await until(() => !page.url().includes(id)); // a snooze goes on to what waits
  await page.goto(`${stage.broker.url}/#/ask/${id}`);
  await page.getByRole("button", { name: "Bring it back" }).click();
  await page.locator(`.rows a[href="#/ask/${id}"]`).waitFor();
});

test("a new person is asked for a name once; one that somebody has is refused, with a way on", async () => {
  await stage.visitAs("ada");
  const page = await stage.visit("#/", { isSignedIn: false });
  await page.goto(await stage.link({}));
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Your name").fill("ada");
  await page.keyboard.press("Enter");
  await dialog.getByText("This name is already taken").waitFor();
  await stage.picture(page, "name-taken");
  await dialog.getByLabel("Your name").fill("Bo Chen");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  const { id } = await stage.ask(DATABASE);
  await page.reload();
  await page.locator(`.rows a[href="#/ask/${id}"]`).click();
  assert.equal(await page.getByRole("dialog").count(), 0);
  await page.getByRole("radio", { name: /SQLite/ }).click();
  await page.locator(".detail-pane").getByRole("button", { name: "Send now" }).click();
  assert.equal(nameOf(await stage.settled(id)), "Bo Chen");
  await page.getByText(/Answered by you/).first().waitFor();
  const other = await stage.visitAs("ada", `#/ask/${id}`);
  await other.getByText(/Answered by Bo Chen on the page/).waitFor();
});

test("two new people are two: neither sees what the other types, nor is told that they answered", async () => {
  const { id } = await stage.ask(DATABASE);
  const pages = [];
  for (const name of ["Una", "Dov"]) {
    const page = await stage.visit("#/", { isSignedIn: false });
    await page.goto(`${await stage.link({})}#/ask/${id}`);
    await page.getByLabel("Your name").fill(name);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    pages.push(page);
  }
  const [una, dov] = pages;
  await own(una).fill("aaaa");
  await una.getByText("Draft saved").waitFor();
  await own(dov).fill("bbbbbbbb");
  await dov.getByText("Draft saved").waitFor();
  assert.equal(await own(una).inputValue(), "aaaa");
  await own(una).focus();
  await strike(una, "Enter");
  await una.locator(".detail-pane").getByRole("button", { name: "Send now" }).click();
  await una.getByText(/Answered by you/).first().waitFor();
  await dov.getByText(/Answered by Una on the page/).waitFor();
  await dov.locator(".unused", { hasText: "bbbbbbbb" }).waitFor();
});

test("what somebody else calls themselves stands beside their name", async () => {
  const { id } = await stage.ask(DATABASE);
  const page = await stage.visitAs("ada", `#/ask/${id}`);
  await stage.broker.answer(id, [{ selected: ["SQLite"] }], { by: "Grace" });
  await page.getByText(/Answered by .+ \(as “Grace”\) through the API/).waitFor();
});
