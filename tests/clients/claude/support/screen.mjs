// SPDX-License-Identifier: Apache-2.0
// A real terminal: a program in tmux, keys sent and the screen read as a person would.
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { PROGRAM, until } from "../../support/broker.mjs";

const run = promisify(execFile);
let screens = 0;

export class Screen {
  // The program runs in the project of the world `w`, and is over when the test is.
  static async open(t, w, program, ...args) {
    const screen = new Screen();
    screen.server = `parley-claude-${process.pid}-${++screens}`;
    t.after(() => screen.close());
    const variables = Object.entries({ ...w.variables, TERM: "tmux-256color" })
      .map(([name, value]) => `${name}=${value}`);
    await screen.tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "40", "-c",
      w.project, "env", "-i", ...variables, "sh", "-c", '"$@"; echo "code=$?"; exec sleep 600',
      "sh", program, ...args);
    return screen;
  }

  // Claude Code as a person starts it, past its welcome.
  static async claude(t, w, prompt) {
    if (!w.isWelcomed) await Screen.welcome(w);
    return Screen.open(t, w, w.cli, prompt);
  }

  // What the first start leaves behind; for a test that sets up more before it.
  static async welcome(w) {
    w.isWelcomed = true;
    await writeFile(join(w.home, ".claude.json"), JSON.stringify({
      hasCompletedOnboarding: true, theme: "dark",
      customApiKeyResponses: { approved: [w.variables.ANTHROPIC_API_KEY.slice(-20)], rejected: [] },
      projects: { [w.project]: {
        hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
    }));
  }

  static async parley(t, w, ...args) {
    return Screen.open(t, w, PROGRAM, ...args);
  }

  async tmux(...words) {
    const { stdout } = await run("tmux", ["-u", "-L", this.server, ...words],
      { env: { ...process.env, LC_ALL: "C.UTF-8" } });
    return stdout;
  }

  async keys(...names) {
    await this.tmux("send-keys", ...names);
  }

  async type(words) {
    await this.tmux("send-keys", "-l", "--", words);
  }

  async text() {
    return (await this.tmux("capture-pane", "-p")).trimEnd();
  }

  // The screen, once it shows this, or once it shows it no longer.
  async shows(words) {
    return until(async () => {
      this.last = await this.text();
      return this.last.includes(words) && this.last;
    }, `the screen shows ${words}`).catch((error) => {
      throw new Error(`${error.message}:\n${this.last}`);
    });
  }

  async lacks(words) {
    return until(async () => !(await this.text()).includes(words), `the screen lacks ${words}`);
  }

  // Presses a key until these words are gone, and not once more. Programs pass over a key that comes
  // soon after another, or after a dialog, and some wait anew with each such key.
  async press(key, words) {
    await until(async () => {
      await this.keys(key);
      const isGone = async () => !(await this.text()).includes(words);
      return until(isGone, words, 2_000).catch(() => false);
    }, `${key} takes away ${words}`);
  }

  // Kills the program, as a machine that loses its power does.
  async kill() {
    const shell = (await this.tmux("display-message", "-p", "#{pane_pid}")).trim();
    const { stdout } = await run("pgrep", ["-P", shell]);
    process.kill(Number(stdout.trim().split("\n")[0]), "SIGKILL");
    await this.shows("code=137");
  }

  async close() {
    await this.tmux("kill-server").catch(() => {});
  }
}
