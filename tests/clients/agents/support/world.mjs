// SPDX-License-Identifier: Apache-2.0
// A home of its own with a broker, and an agent program in it, as npm ships it. The packages are
// large; where one cannot be installed, its tests are skipped with a loud line.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { Broker, environment, until } from "../../support/broker.mjs";

const run = promisify(execFile);
const FOLDER = join(dirname(fileURLToPath(import.meta.url)), "..");
const ROOT = join(FOLDER, "../../..");
const STARTS_WITHIN_MS = 180_000;

// The path of a file in an installed package, or why there is none.
export async function installed(path) {
  const file = join(FOLDER, "node_modules", path);
  try {
    await run(join(ROOT, "tools/npm.sh"), ["tests/clients/agents"], { cwd: ROOT,
      timeout: 300_000 });
  } catch (error) {
    return { missing: `NOT TESTED: its package cannot be installed: ${error.message}` };
  }
  return existsSync(file) ? { file } : { missing: `NOT TESTED: ${file} is not there` };
}

// A broker whose state folder tells where it is, and nothing else does.
class HomeBroker extends Broker {
  get home() {
    return join(this.folder, "home");
  }

  get variables() {
    return { HOME: this.home, XDG_RUNTIME_DIR: this.folder };
  }

  async restart() {
    await mkdir(join(this.home, ".local/state/parley"), { recursive: true, mode: 0o700 });
    await super.restart();
  }
}

export class World {
  // Over when the test is. `files` are written into the home.
  static async start(t, model, files = {}) {
    const world = new World();
    world.model = model;
    world.broker = await HomeBroker.start();
    world.home = world.broker.home;
    world.project = join(world.broker.folder, "project");
    await mkdir(world.project);
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(world.home, name)), { recursive: true });
      await writeFile(join(world.home, name), text.replaceAll("PROJECT", world.project));
    }
    t.after(async () => {
      model.stop();
      await world.broker.kill();
      await rm(world.broker.folder, { recursive: true, force: true, maxRetries: 10 });
    });
    return world;
  }

  // The question of an agent that has yet to start: some take long.
  async asked() {
    return until(async () => {
      const { asks } = (await this.broker.call("GET", "/v1/asks?state=pending")).body;
      return asks[0];
    }, "the agent asks", STARTS_WITHIN_MS);
  }

  // Of the agent; what it gives on to its servers is its own affair.
  get variables() {
    return environment({ ...this.broker.variables, ...this.further });
  }

  further = {};
}
