// SPDX-License-Identifier: Apache-2.0
// clients/typescript as its users get it: packed from a clean checkout, installed into a project of
// theirs, imported by Node and by the TypeScript compiler. Runs on the Node that builds the page.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const SOURCE = fileURLToPath(new URL("../../../clients/typescript", import.meta.url));
const MADE = ["node_modules", "dist"];

describe("the TypeScript package", { timeout: 540_000 }, () => {
  let folder, tarball;
  const user = () => join(folder, "user");
  const run = (cwd, program, ...words) => {
    try {
      return execFileSync(program, words, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    } catch (error) {
      assert.fail(`${program} ${words.join(" ")}:\n${error.stdout}\n${error.stderr}`);
    }
  };
  const install = (...packages) => run(user(), "npm", "install", "--prefer-offline", "--no-audit",
    "--no-fund", "--save-exact", ...packages);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "parley-pack-"));
    await cp(SOURCE, join(folder, "source"),
      { recursive: true, filter: (path) => !MADE.includes(basename(path)) });
    run(join(folder, "source"), "npm", "pack", "--pack-destination", folder);
    const { version, devDependencies } = JSON.parse(await readFile(join(SOURCE, "package.json")));
    tarball = join(folder, `parley-client-${version}.tgz`);
    await mkdir(user());
    await writeFile(join(user(), "package.json"), '{"type": "module", "private": true}');
    install(tarball, ...Object.entries(devDependencies).map(([name, wanted]) => `${name}@${wanted}`));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test("holds the compiled code, its types and the README", () => {
    const files = run(folder, "tar", "-tzf", tarball).trim().split("\n");
    for (const name of ["dist/index.js", "dist/index.d.ts", "dist/react/index.js",
      "dist/react/index.d.ts", "README.md", "package.json"]) {
      assert.ok(files.includes(`package/${name}`), `${name} is not among ${files.join(" ")}`);
    }
    assert.deepEqual(files.filter((name) => /node_modules|\/src\//.test(name)), []);
  });

  test("is imported by Node", () => {
    const script = `await import("parley-client");
      const { useChat, useAskToolHandler } = await import("parley-client/react");
      console.log(typeof useChat, typeof useAskToolHandler);`;
    const said = run(user(), process.execPath, "--input-type=module", "--eval", script);
    assert.equal(said.trim(), "function function");
  });

  test("is imported by TypeScript, as its README shows", async () => {
    const readme = await readFile(join(SOURCE, "README.md"), "utf8");
    const [, example] = readme.match(/```ts\n(.*?)```/s);
    await writeFile(join(user(), "use.ts"), `declare const token: string;\n${example}
      import { useChat } from "parley-client/react";
      export const chat = useChat(client, "session-123");
      export const asks = await client.message.pending.query({ sessionId: "session-123" });
      // @ts-expect-error there is no such procedure
      client.message.nothing.query();`);
    run(user(), process.execPath, "node_modules/typescript/bin/tsc", "--noEmit", "--strict",
      "--skipLibCheck", "--target", "ES2022", "--module", "NodeNext", "use.ts");
  });
});
