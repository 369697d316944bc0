// SPDX-License-Identifier: Apache-2.0
// How a browser becomes known, stays known across a restart, and stops being known.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { DATABASE, Stage, until } from "./support.mjs";

let stage;
before(async () => (stage = await Stage.open()));
after(() => stage.close());

test("a browser without a cookie gets a form; a wrong token is refused, the right one enters", async () => {
  const page = await stage.visit("#/", { isSignedIn: false });
  await page.getByLabel("Token").fill("wrong");
  await page.keyboard.press("Enter");
  await page.getByText("This token is not valid.").waitFor();
  await stage.picture(page, "sign-in");
  await page.getByLabel("Token").fill(stage.broker.token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  const [cookie] = await page.context().cookies();
  assert.equal(cookie.httpOnly, true);
  assert.equal(cookie.sameSite, "Strict");
  assert.equal(await page.evaluate(() => document.cookie), "");
});

test("an address works once", async () => {
  const link = await stage.link();
  const first = await stage.visit("#/", { isSignedIn: false });
  await first.goto(link);
  await first.getByRole("heading", { name: "Inbox" }).waitFor();
  assert.equal(new URL(first.url()).search, "");
  const second = await stage.visit("#/", { isSignedIn: false });
  await second.goto(link);
  await second.getByText("This link has already been used or has expired.").waitFor();
  assert.equal(new URL(second.url()).search, "");
});

// A program of somebody else on this machine, and what browsers tell it.
async function listenBeside() {
  const cookies = [];
  const server = createServer((request, response) => {
    cookies.push(request.headers.cookie);
    response.end("<!doctype html><title>beside</title>");
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { server, cookies, url: `http://127.0.0.1:${server.address().port}/` };
}

// Cookies know no ports. Chromium takes every name under "localhost" for this machine by itself.
test("under its own host the page works, and programs beside it are not told its cookie", async () => {
  const beside = await listenBeside();
  const link = new URL(await stage.link());
  link.hostname = "parley.localhost";
  const context = await stage.browser.newContext();
  const page = await context.newPage();
  await page.goto(link.href);
  await page.locator(".connection.live").waitFor({ state: "attached" });
  const { id } = await stage.ask(DATABASE);
  await page.locator(`a[href="#/ask/${id}"]`).click();
  await page.getByRole("button", { name: "Dismiss" }).first().waitFor();
  const said = await page.evaluate(async (ask) => (await fetch(`/v1/asks/${ask}/dismiss`, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: "{}",
  })).status, id);
  assert.equal(said, 200);
  const [cookie] = await context.cookies();
  assert.equal(cookie.domain, "parley.localhost");
  await page.goto(beside.url);
  assert.deepEqual(beside.cookies.filter(Boolean), []);
  await context.close();

  const other = await stage.browser.newContext();
  const careless = await other.newPage();
  await careless.goto(await stage.link());
  await careless.locator(".connection.live").waitFor({ state: "attached" });
  await careless.goto(beside.url);
  assert.match(beside.cookies.find(Boolean), /^parley-/, "this is what a host of its own is for");
  await other.close();
  beside.server.close();
});

test("a sign-in outlives the broker", async () => {
  const page = await stage.visit();
  await stage.broker.kill();
  await stage.broker.restart();
  await page.reload();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  const { id } = await stage.ask(DATABASE);
  await page.locator(`a[href="#/ask/${id}"]`).waitFor();
});

test("the owner sees who is signed in and signs one out, at once", async () => {
  const owner = await stage.visit("#/settings", { isSignedIn: false });
  await owner.getByLabel("Token").fill(stage.broker.token);
  await owner.keyboard.press("Enter");
  await owner.getByRole("heading", { name: "Signed-in browsers" }).waitFor();
  const other = await stage.visit();
  await owner.reload();
  const mine = await other.evaluate(async () => (await (await fetch("/sign-in")).json()).sign_in);
  const row = owner.locator(".browsers li", { hasText: mine.slice(8, 16) });
  await row.getByRole("button").click();
  await row.waitFor({ state: "detached" });
  await stage.ask(DATABASE); // its stream is cut with the next event
  await other.getByLabel("Token").waitFor();
});

test("signing out ends the sign-in behind the cookie", async () => {
  const page = await stage.visit("#/settings");
  const before = await page.evaluate(async () => (await fetch("/sign-in")).status);
  assert.equal(before, 200);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Token").waitFor();
  await until(async () => (await page.context().cookies()).length === 0, "the cookie is gone");
});
