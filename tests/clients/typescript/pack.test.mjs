// SPDX-License-Identifier: Apache-2.0
// clients/typescript as its users get it: packed from a clean checkout, installed into projects of
// theirs, run by Node and by Chromium before a real broker, and read by the TypeScript compiler. npm and
// what is installed run on the machine's own Node ($PARLEY_USERS_NODE), as old as it may be.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { Broker, environment } from "../support/broker.mjs";
import { Browser } from "../support/browser.mjs";

const SOURCE = fileURLToPath(new URL("../../../clients/typescript", import.meta.url));
const MADE = ["node_modules", "dist"];
const NODE = process.env.PARLEY_USERS_NODE ?? process.execPath;

const ASK = `import { Client, answerText } from "parley-client";
const client = new Client();
await client.session("kitchen");
const ask = await client.ask("Tea or coffee?", ["Tea", "Coffee"], { session: "kitchen" });
console.log(ask.state, answerText(ask));`;

describe("the TypeScript package", { timeout: 540_000 }, () => {
  let folder, tarball;
  const alone = () => join(folder, "alone"); // has the package, and nothing else
  const user = () => join(folder, "user"); // has all that it can be used with
  const run = (cwd, program, ...words) => {
    try {
      return execFileSync(program, words, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    } catch (error) {
      assert.fail(`${program} ${words.join(" ")}:\n${error.stdout}\n${error.stderr}`);
    }
  };
  const install = async (project, ...packages) => {
    await mkdir(project);
    await writeFile(join(project, "package.json"), '{"type": "module", "private": true}');
    run(project, "npm", "install", "--prefer-offline", "--no-audit", "--no-fund", "--save-exact",
      ...packages);
  };
  const compile = (project, file, ...options) => run(project, NODE,
    join(user(), "node_modules/typescript/bin/tsc"), "--noEmit", "--strict", "--target", "ES2022",
    "--module", "NodeNext", ...options, file);
  const examples = async () => {
    const readme = await readFile(join(alone(), "node_modules/parley-client/README.md"), "utf8");
    return [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, example]) => example);
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "parley-pack-"));
    await cp(SOURCE, join(folder, "source"),
      { recursive: true, filter: (path) => !MADE.includes(basename(path)) });
    run(join(folder, "source"), "npm", "pack", "--pack-destination", folder);
    const { version, devDependencies } = JSON.parse(await readFile(join(SOURCE, "package.json")));
    tarball = join(folder, `parley-client-${version}.tgz`);
    await install(alone(), tarball);
    await install(user(), tarball,
      ...Object.entries(devDependencies).map(([name, wanted]) => `${name}@${wanted}`));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test("holds the compiled code, its types and the README", () => {
    const files = run(folder, "tar", "-tzf", tarball).trim().split("\n");
    const entries = ["index", "browser", "trpc", "react/index"];
    for (const name of [...entries.flatMap((entry) => [`dist/${entry}.js`, `dist/${entry}.d.ts`]),
      "README.md", "package.json"]) {
      assert.ok(files.includes(`package/${name}`), `${name} is not among ${files.join(" ")}`);
    }
    assert.deepEqual(files.filter((name) => /node_modules|\/src\//.test(name)), []);
  });

  test("depends on nothing", async () => {
    const installed = await readdir(join(alone(), "node_modules"));
    assert.deepEqual(installed.filter((name) => !name.startsWith(".")), ["parley-client"]);
  });

  test("asks from Node, through a restart of the broker", async (t) => {
    const broker = await Broker.start();
    t.after(() => broker.stop());
    const child = spawn(NODE, ["--input-type=module", "--eval", ASK],
      { cwd: alone(), env: environment(broker.variables), stdio: ["ignore", "pipe", "inherit"] });
    t.after(() => child.kill());
    let said = "";
    child.stdout.on("data", (text) => { said += text; });
    const ended = once(child, "close");
    const [{ id }] = await broker.pending();
    await broker.kill();
    await broker.restart();
    await broker.answer(id, [{ selected: ["Tea"] }]);
    await ended;
    assert.equal(said, "answered Tea\n");
  });

  test("asks, answers and watches from a page of another origin", async (t) => {
    const files = createServer(async ({ url }, response) => {
      const isModule = url.endsWith(".js");
      response.setHeader("content-type", isModule ? "text/javascript" : "text/html");
      response.end(isModule ? await readFile(join(alone(), "node_modules", url)) : "<!doctype html>");
    });
    t.after(() => files.close());
    await once(files.listen(0, "127.0.0.1"), "listening");
    const origin = `http://127.0.0.1:${files.address().port}`;
    const broker = await Broker.start(["--allow-origin", origin]);
    t.after(() => broker.stop());
    const browser = await Browser.start();
    t.after(() => browser.stop());
    const page = await browser.program.newPage();
    await page.goto(origin);
    const use = page.evaluate(async ({ server, token }) => {
      const { Client, answerText } = await import("/parley-client/dist/browser.js");
      const client = new Client({ server, token });
      await client.session("kitchen"); // from now on it is a broker that was there
      const asking = client.ask("Tea or coffee?", ["Tea", "Coffee"], { session: "kitchen" });
      let last;
      for await (const { event } of client.watch({ session: "kitchen" })) {
        last = event.type;
        if (last === "ask.opened") globalThis.isAsked = true;
        if (last === "ask.settled") break;
      }
      const late = await client.answer(await client.open("And then?"), "nothing");
      const none = await new Client({ server, token: "wrong" }).get(late.id).catch((error) => error.name);
      return { text: answerText(await asking), last, late: answerText(late), none };
    }, { server: broker.url, token: broker.token });
    await page.waitForFunction(() => globalThis.isAsked);
    const [{ id }] = await broker.pending();
    await broker.kill();
    await broker.restart();
    await broker.answer(id, [{ selected: ["Coffee"] }]);
    assert.deepEqual(await use,
      { text: "Coffee", last: "ask.settled", late: "nothing", none: "Refused" });
  });

  test("has types that need no other package, and hold what they say", async () => {
    const [example] = await examples();
    await writeFile(join(alone(), "use.ts"), `
      declare const process: { once(signal: string, then: () => void): void };
      ${example}
      if (ask.state === "answered") ask.settlement.answers[0]?.selected;
      else console.log(ask.settlement.note);
      const text: string | undefined = (await client.wait("que_1")).settlement.note;
      for await (const { event } of client.watch()) {
        if (event.type === "ask.opened") await client.answer(event.ask, [{ other: text ?? "" }, "Yes"]);
      }
      // @ts-expect-error it may be pending still
      (await client.wait("que_1", { timeoutSeconds: 1 })).settlement.note;
      // @ts-expect-error there is no such urgency
      await client.ask("Tea?", { urgency: "extreme" });`);
    compile(alone(), "use.ts", "--lib", "ES2022,DOM");
  });

  test("has the hooks and the router's type for tRPC, as its README shows", async () => {
    const script = `await import("parley-client/trpc");
      const { useChat, useAskToolHandler } = await import("parley-client/react");
      console.log(typeof useChat, typeof useAskToolHandler);`;
    const said = run(user(), NODE, "--input-type=module", "--eval", script);
    assert.equal(said.trim(), "function function");
    const [, example] = await examples();
    await writeFile(join(user(), "use.ts"), `declare const token: string;\n${example}
      import { useChat } from "parley-client/react";
      export const chat = useChat(client, "session-123");
      export const asks = await client.message.pending.query({ sessionId: "session-123" });
      // @ts-expect-error there is no such procedure
      client.message.nothing.query();`);
    compile(user(), "use.ts", "--skipLibCheck");
  });
});
