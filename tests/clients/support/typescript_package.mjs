// SPDX-License-Identifier: Apache-2.0
// clients/typescript, compiled in a folder of its own with the packages that are installed here.
import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const CLIENTS = fileURLToPath(new URL("..", import.meta.url));
const SOURCE = fileURLToPath(new URL("../../../clients/typescript", import.meta.url));

export class Package {
  static async copy() {
    const copy = new Package();
    copy.folder = await mkdtemp(join(tmpdir(), "parley-client-"));
    await cp(SOURCE, copy.folder,
      { recursive: true, filter: (path) => !["dist", "node_modules"].includes(basename(path)) });
    await symlink(join(CLIENTS, "node_modules"), join(copy.folder, "node_modules"));
    return copy;
  }

  // What the compiler says; nothing if it is content.
  compile() {
    const compiler = join(CLIENTS, "node_modules/typescript/bin/tsc");
    const { stdout, status } = spawnSync(process.execPath, [compiler, "-p", this.folder],
      { encoding: "utf8" });
    return status === 0 ? "" : stdout;
  }

  async write(path, text) {
    await writeFile(join(this.folder, path), text);
  }

  async read(path) {
    return readFile(join(this.folder, path), "utf8");
  }

  async load(path) {
    return import(join(this.folder, "dist", path));
  }

  async remove() {
    await rm(this.folder, { recursive: true, force: true });
  }
}
