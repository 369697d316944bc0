// SPDX-License-Identifier: Apache-2.0
// Chromium itself, on a page of the broker's own origin.
import { chromium } from "playwright-core";

const PROGRAM = process.env.PARLEY_CHROMIUM ?? "/usr/bin/chromium";

export class Browser {
  static async start() {
    const browser = new Browser();
    browser.program = await chromium.launch({
      executablePath: PROGRAM, headless: true, args: ["--no-sandbox", "--disable-gpu"] });
    return browser;
  }

  // A page that is of this broker's origin and signed in by its cookie or by nothing.
  async page(broker) {
    const page = await this.program.newPage();
    await page.goto(`${broker.url}/healthz`);
    return page;
  }

  async stop() {
    await this.program.close();
  }
}
