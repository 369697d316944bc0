// SPDX-License-Identifier: Apache-2.0
// A home of its own with a broker, and an agent program in it, as npm ships it. The packages are
// large; where one cannot be installed, its tests are skipped with a loud line, or fail in continuous
// integration, where nobody reads that line.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { environment, until } from "../../support/broker.mjs";
import { HomeBroker } from "../../support/home_broker.mjs";

const run = promisify(execFile);
const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../../../..");
const STARTS_WITHIN_MS = 180_000;
const INSTALLED_WITHIN_MS = 600_000; // 1 GB, over whichever network

// The path of a file in an installed package, or why there is none.
export async function installed(path, folder = "tests/clients/agents") {
  const file = join(ROOT, folder, "node_modules", path);
  try {
    await run(join(ROOT, "tools/npm.sh"), [folder], { cwd: ROOT, timeout: INSTALLED_WITHIN_MS });
  } catch (error) {
    if (process.env.CI) throw error;
    return { missing: `NOT TESTED: its package cannot be installed: ${error.message}` };
  }
  return existsSync(file) ? { file } : { missing: `NOT TESTED: ${file} is not there` };
}

// Ends what runs in a home, also what an agent left there when it ended.
async function killAllIn(home, spared = 0) {
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    if (Number(pid) === spared) continue;
    const variables = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
    if (variables.split("\0").includes(`HOME=${home}`)) process.kill(Number(pid), "SIGKILL");
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
      await killAllIn(world.home);
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

  // All that runs in this home but its broker.
  async killAgents() {
    await killAllIn(this.home, this.broker.process.pid);
  }

  // Of the agent; what it gives on to its servers is its own affair.
  get variables() {
    return environment({ ...this.broker.variables, ...this.further });
  }

  further = {};
}
