// SPDX-License-Identifier: Apache-2.0
// A real Chromium in front of a real broker. What a page says on its console, every request that
// would leave the broker's origin and every error that it does not catch fails the test.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { Broker } from "../clients/support/broker.mjs";

export { until } from "../clients/support/broker.mjs";

// Debian's, unless told otherwise.
const CHROMIUM = process.env.PARLEY_CHROMIUM ?? "/usr/bin/chromium";
const PATIENCE_MS = 40_000; // a machine may be slow; a test that hangs must still end
const PICTURES = process.env.PARLEY_PICTURES; // a folder for screenshots

export const PHONE = { width: 390, height: 844 };
export const SMALLEST = { width: 320, height: 640 };
export const DESKTOP = { width: 1280, height: 800 };

// What browsers say about answers that are part of the API: no draft, settled by another, signed
// out, no connection.
const EXPECTED = /Failed to load resource|net::ERR_|downloadable font/;

export class Stage {
  static async open(options = [], Kind = Broker) {
    const stage = new Stage();
    stage.broker = await Kind.start(options);
    stage.browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    stage.faults = [];
    stage.brittle = new WeakSet();
    return stage;
  }

  // What this page reports to have caught is the test's own doing.
  expectBroken(page) {
    this.brittle.add(page);
  }

  async close() {
    await this.browser.close();
    await this.broker.stop();
    assert.deepEqual(this.faults, [], "the page complained");
  }

  // A browser of its own, signed in unless told otherwise, at `hash`.
  async visit(hash = "#/", { isSignedIn = true, ...options } = {}) {
    const context = await this.browser.newContext({ viewport: DESKTOP, locale: "en-GB", reducedMotion: "reduce", ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    page.on("pageerror", (error) => this.faults.push(String(error)));
    page.on("console", (message) => {
      const isCaught = this.brittle.has(page) && message.text().startsWith("parley:");
      if (message.type() === "error" && !isCaught && !EXPECTED.test(message.text())) this.faults.push(message.text());
    });
    page.on("request", (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== "data:" && origin !== this.broker.url) this.faults.push(`request to ${request.url()}`);
    });
    await page.goto(isSignedIn ? `${await this.link()}${hash}` : `${this.broker.url}/${hash}`);
    if (isSignedIn) await page.locator(".connection.live").waitFor({ state: "attached" });
    return page;
  }

  // A browser of somebody with a token of their own: another one of the same name is the same person's.
  async visitAs(name, hash = "#/", options = {}) {
    this.tokens ??= new Map();
    if (!this.tokens.has(name)) {
      const { status, body } = await this.broker.call("POST", "/v1/tokens", { name, role: "responder" });
      assert.equal(status, 201, JSON.stringify(body));
      this.tokens.set(name, body.token);
    }
    const page = await this.visit(hash, { ...options, isSignedIn: false });
    await page.getByLabel("Token").fill(this.tokens.get(name));
    await page.keyboard.press("Enter");
    await page.locator(".connection.live").waitFor({ state: "attached" });
    return page;
  }

  // An address that signs in, as `parley token qr --as` gets it: whoever uses one is Pat. Without a name
  // it is a new person's, who is asked for one.
  async link(body = { as: "Pat" }) {
    const { status, body: link } = await this.broker.call("POST", "/sign-in/links", body);
    assert.equal(status, 201, JSON.stringify(link));
    // Its host depends on what the machine knows of names; here it is always the same.
    const { pathname, search } = new URL(link.url);
    return this.broker.url + pathname + search;
  }

  async ask(questions, more = {}) {
    const list = Array.isArray(questions) ? questions : [questions];
    const { status, body } = await this.broker.call("POST", "/v1/asks", { session: "work", questions: list, ...more });
    assert.equal(status, 201, JSON.stringify(body));
    return body;
  }

  async settled(id) {
    const { body } = await this.broker.call("GET", `/v1/asks/${id}?wait=20`);
    return body.settlement;
  }

  async picture(page, name) {
    if (!PICTURES) return;
    mkdirSync(PICTURES, { recursive: true });
    await page.screenshot({ path: join(PICTURES, `${name}.png`) });
  }
}

// A key that decides, struck by somebody who looks: an ask that has come up takes none for 300 ms, and
// the key that opened or settled something counts again after 700 ms without it.
const LOOK_MS = 800;
export async function strike(page, key) {
  await page.waitForTimeout(LOOK_MS);
  await page.keyboard.press(key);
}

// The name under which a settlement stands.
export const nameOf = ({ decider }) => decider.name ?? decider.principal;

export const DATABASE = {
  question: "Which database should we use?",
  header: "Database",
  options: [
    { label: "PostgreSQL (Recommended)", description: "The one you have" },
    { label: "SQLite", description: "A file" },
  ],
};
export const EXTRAS = {
  question: "Which extras?",
  header: "Extras",
  multi_select: true,
  options: ["Dark mode", "Offline"],
};
export const REMARKS = { question: "Anything else?", header: "Remarks", options: [] };
