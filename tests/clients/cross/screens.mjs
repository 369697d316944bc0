// SPDX-License-Identifier: Apache-2.0
// The two doors that a person looks at, once for all sessions: the page in Chromium, the inbox in a
// terminal. As responders.mjs has them, but what they show is a state: there is no `after`.
import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";

import { PROGRAM, environment, until } from "../support/broker.mjs";
import { Browser } from "../support/browser.mjs";

const ENTER_PAUSE_MS = 800;

async function openPage(broker) {
  const browser = await Browser.start();
  const page = await browser.program.newPage();
  page.setDefaultTimeout(20_000);
  const { body } = await broker.call("POST", "/sign-in/links", { as: "Pat" });
  await page.goto(body.url);
  await page.locator(".connection.live").waitFor({ state: "attached" });
  const row = (ask) => page.locator(`a[href="#/ask/${ask.id}"]`).first();
  return {
    name: "page",
    asked: (ask) => row(ask).waitFor(),
    settled: (ask) => row(ask).waitFor({ state: "detached" }),
    async answer(ask, label) {
      await row(ask).click();
      await page.getByRole("radio", { name: label }).click();
      await page.getByRole("button", { name: "Send now" }).click();
      return true;
    },
    close: () => browser.stop(),
  };
}

async function openInbox(broker) {
  const server = `parley-cross-${process.pid}`;
  const tmux = async (...words) => (await promisify(execFile)(
    "tmux", ["-u", "-L", server, ...words], { env: { ...process.env, LC_ALL: "C.UTF-8" } })).stdout;
  const variables = Object.entries(environment({ ...broker.variables, TERM: "tmux-256color" }));
  await tmux("-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "40", "env", "-i",
    ...variables.map(([name, value]) => `${name}=${value}`), PROGRAM, "inbox");
  const shows = (test, what) => until(async () => test(await tmux("capture-pane", "-p")),
    `the inbox shows ${what}`);
  await shows((screen) => screen.includes("connected"), "that it is connected");
  return {
    name: "inbox",
    asked: (ask) => shows((screen) => screen.includes(ask.questions[0].question), "the question"),
    settled: (ask) => shows((screen) => !screen.includes(ask.questions[0].question),
      "the question no more"),
    async answer(ask, label) {
      // A key that comes right after the list has changed is refused: it is pressed again.
      await until(async () => {
        if ((await tmux("capture-pane", "-p")).includes("❯ 1")) return true;
        await tmux("send-keys", "Enter");
        await pause(ENTER_PAUSE_MS);
        return false;
      }, "the inbox shows the choices");
      const number = 1 + ask.questions[0].options.findIndex((option) => option.label === label);
      await tmux("send-keys", String(number));
      // Enter opened it: it counts again once it was let go for a while.
      await until(async () => {
        await pause(ENTER_PAUSE_MS);
        await tmux("send-keys", "Enter");
        return !(await tmux("capture-pane", "-p")).includes(`❯ ${number}`);
      }, "the inbox takes the answer");
      return true;
    },
    close: () => tmux("kill-server"),
  };
}

export const SCREENS = {
  page: openPage,
  inbox: openInbox,
};
