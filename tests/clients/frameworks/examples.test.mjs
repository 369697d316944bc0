// SPDX-License-Identifier: Apache-2.0
// The examples of examples/frameworks as they stand, on the real frameworks, before a real broker. The
// models are stand-ins on this machine.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { Broker, environment } from "../support/broker.mjs";
import { Package } from "../support/typescript_package.mjs";
import { call, ResponsesModel, words } from "./support/responses_model.mjs";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

// A project of a user: the examples, the frameworks, the AI SDK of tests/clients and parley-client.
async function project(client) {
  const folder = await mkdtemp(join(tmpdir(), "parley-frameworks-"));
  const packages = join(folder, "node_modules");
  await mkdir(packages);
  const link = (target, name) => symlink(target, join(packages, name));
  for (const name of await readdir(at("node_modules"))) {
    if (!name.startsWith(".")) await link(at(`node_modules/${name}`), name);
  }
  await link(at("../node_modules/ai"), "ai");
  await link(client, "parley-client");
  await cp(at("../../../examples/frameworks"), folder, { recursive: true });
  await cp(at("support/mock_provider.mjs"), join(folder, "mock_provider.mjs"));
  return folder;
}

describe("examples on frameworks", { timeout: 120_000 }, () => {
  let client, folder, broker;
  before(async () => {
    client = await Package.copy();
    assert.equal(client.compile(), "");
    folder = await project(client.folder);
  });
  after(async () => {
    await client.remove();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => { broker = await Broker.start(); });
  afterEach(() => broker.stop());

  const run = (words, variables = {}) => {
    const child = spawn(process.execPath, words,
      { cwd: folder, env: environment({ ...broker.variables, ...variables }), stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => { said += text; });
    }
    return once(child, "close").then(() => said.trim());
  };

  // The ask that waits; the broker is killed under it first.
  const asked = async () => {
    const [ask] = await broker.pending();
    await broker.isWaitedFor();
    await broker.kill();
    await broker.restart();
    return ask;
  };

  describe("OpenAI Agents", () => {
    let model;
    beforeEach(async () => {
      model = await ResponsesModel.start((input) => {
        const result = [input].flat().find(({ type }) => type === "function_call_output");
        return result ? words(`heard: ${result.output?.text ?? result.output}`)
          : call("call-1", "remove_branch", { name: "old-login" });
      });
    });
    afterEach(() => model.stop());
    const start = () => run(["openai_agents.mjs"], { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "none",
      OPENAI_AGENTS_DISABLE_TRACING: "1" });

    test("a tool runs once it is allowed", async () => {
      const running = start();
      const ask = await asked();
      assert.deepEqual([ask.permission.tool, ask.permission.input, ask.tool.call_id],
        ["remove_branch", { name: "old-login" }, "call-1"]);
      await broker.answer(ask.id, [{ selected: ["Allow"] }]);
      assert.equal(await running, "heard: removed old-login");
    });

    test("a tool that is denied does not run, and the model hears why", async () => {
      const running = start();
      const { id } = await asked();
      await broker.answer(id, [{ selected: ["Deny"], note: "it is Anna's" }]);
      assert.match(await running, /heard: Not allowed \(denied\): it is Anna's/);
    });

    test("no answer is no permission", async () => {
      const running = start();
      const { id } = await asked();
      await broker.call("POST", `/v1/asks/${id}/dismiss`, { reason: "later" });
      assert.match(await running, /heard: Not allowed \(dismissed\): later/);
    });
  });

  describe("LangGraph", () => {
    test("a graph goes on with the answer", async () => {
      const running = run(["langgraph.mjs"]);
      const ask = await asked();
      assert.equal(ask.context, "2.4 starts faster, and has a dark mode.");
      await broker.answer(ask.id, [{ selected: ["Publish"] }]);
      assert.equal(await running, "published: 2.4 starts faster, and has a dark mode.");
    });

    test("no answer is no yes", async () => {
      const running = run(["langgraph.mjs"]);
      const { id } = await asked();
      await broker.call("POST", `/v1/asks/${id}/dismiss`, {});
      assert.equal(await running, "kept back: nobody answered (dismissed)");
    });
  });

  describe("AI SDK", () => {
    const start = () => run(["--import", "./mock_provider.mjs", "ai_sdk.mjs"]);

    for (const [label, heard] of [["Allow", "heard: text deployed to staging"],
      ["Deny", "heard: execution-denied not on a Friday"]]) {
      test(`a question, then a permission: ${label}`, async () => {
        const running = start();
        const where = await asked();
        assert.equal(where.questions[0].question, "Where to?");
        await broker.answer(where.id, [{ selected: ["staging"] }]);
        const may = await asked();
        assert.deepEqual(may.permission.input, { to: "staging" });
        await broker.answer(may.id, [{ selected: [label], ...(label === "Deny" && { note: "not on a Friday" }) }]);
        assert.equal(await running, heard);
      });
    }
  });
});
