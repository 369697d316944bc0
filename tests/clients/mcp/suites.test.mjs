// SPDX-License-Identifier: Apache-2.0
// The official conformance suite and the inspector's command line. Both want Node 22 or later.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Broker, environment, PROGRAM } from "../support/broker.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const MODULES = join(HERE, "node_modules");

let broker;
let fixtures;
let folder;
before(async () => {
  broker = await Broker.start(["--no-auth"]);
  folder = await mkdtemp(join(tmpdir(), "parley-suites-"));
  fixtures = await startFixtures();
});
after(async () => {
  await broker.stop();
  fixtures.process.kill();
  await rm(folder, { recursive: true, force: true });
});

// The server with the suite's fixtures, which only this program of the tests has.
async function startFixtures() {
  const server = spawn(process.env.PARLEY_MCP_FIXTURES,
    [join(HERE, "../../mcp_fixtures/fixtures.json"), folder],
    { env: environment(), stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface({ input: server.stdout }), "line");
  return { process: server, url: JSON.parse(line).url };
}

// Runs a script of a package: {code, stdout, stderr}.
function run(script, args) {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(MODULES, script), ...args], {
      cwd: folder, env: environment({ HOME: folder }), timeout: 240_000,
      maxBuffer: 64 * 1024 * 1024,
    }, (error, stdout, stderr) => resolve({ code: error ? error.code : 0, stdout, stderr }));
  });
}

// Exit 0: nothing fails but what the file names, and all that it names does fail.
async function conforms(url, revision, failures) {
  const { code, stdout, stderr } = await run("@modelcontextprotocol/conformance/dist/index.js", [
    "server", "--url", `${url}/mcp`, "--requirements", revision,
    "--expected-failures", join(HERE, `${failures}-${revision}.yml`),
  ]);
  assert.equal(code, 0, stdout.slice(-8000) + stderr.slice(-2000));
}

for (const revision of ["2025-11-25", "2026-07-28"]) {
  test(`conformance ${revision}`, () =>
    conforms(fixtures.url, revision, "expected-failures"));

  test(`conformance ${revision}, without fixtures`, () =>
    conforms(broker.url, revision, "bare-failures"));
}

const INSPECTOR = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";

test("inspector over HTTP: the tools are portable", async () => {
  const { code, stdout, stderr } = await run(INSPECTOR, [
    "--cli", `${broker.url}/mcp`, "--method", "tools/list", "--strict",
  ]);
  assert.equal(code, 0, stdout + stderr);
  assert.deepEqual(JSON.parse(stdout).tools.map((tool) => tool.name),
    ["ask_user", "wait_answer", "notify_user"]);
});

test("inspector on stdio: a tool is called", async () => {
  // It hands its server few variables; without this one the server would start a broker.
  const { code, stdout, stderr } = await run(INSPECTOR, [
    "--cli", "-e", `PARLEY_SERVER=unix:${broker.ready.socket}`, PROGRAM, "mcp",
    "--method", "tools/call", "--tool-name", "notify_user",
    "--tool-arg", "text=The build is done",
  ]);
  assert.equal(code, 0, stdout + stderr);
  assert.match(stdout, /has been told/);
});
