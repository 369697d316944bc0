// SPDX-License-Identifier: Apache-2.0
// The tests of what the page knows and does, without a browser: node web/test/run.mjs FOLDER
// bundles each *.test.ts into FOLDER and runs them all.
import { spawnSync } from "node:child_process";
import { mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2];
if (!folder) throw new Error("usage: node run.mjs FOLDER");

const names = (await readdir(here)).filter((name) => name.endsWith(".test.ts"));
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
await build({
  entryPoints: names.map((name) => join(here, name)),
  outdir: folder,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  format: "esm",
  platform: "node",
  inject: [join(here, "browser.ts")],
  logLevel: "warning",
});
const made = names.map((name) => join(folder, name.replace(/\.ts$/, ".mjs")));
const { status } = spawnSync(process.execPath, ["--test", "--test-reporter=tap", ...made], { stdio: "inherit" });
process.exit(status ?? 1);
