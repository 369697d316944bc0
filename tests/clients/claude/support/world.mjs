// SPDX-License-Identifier: Apache-2.0
// A broker, a model and a project folder, and real Claude Codes in it that know of nothing else:
// no home, a key that is none, no word to anybody outside.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { query } from "@anthropic-ai/claude-agent-sdk";

import { Broker, PROGRAM, environment, until } from "../../support/broker.mjs";
import { Model } from "./model.mjs";

const require = createRequire(import.meta.url);
const binary = (name) => join(dirname(require.resolve(`${name}/package.json`)), "claude");
const platform = `linux-${process.arch}`;

// Today's, as the Agent SDK brings it, and the last one that runs on older machines.
export const CLIS = {
  new: binary(`@anthropic-ai/claude-agent-sdk-${platform}`),
  old: binary(`@anthropic-ai/claude-code-${platform}`),
};

export const QUESTION = {
  questions: [{
    question: "Which database?", header: "Database", multiSelect: false,
    options: [{ label: "PostgreSQL", description: "The usual" },
      { label: "SQLite", description: "One file" }],
  }],
};

const HERE = dirname(fileURLToPath(import.meta.url));
export const MCP = ["--mcp-config", JSON.stringify({ mcpServers: {
  asker: { command: process.execPath, args: [join(HERE, "mcp_server.mjs")] },
} }), "--allowedTools", "mcp__asker__paint"];

async function gather(all) {
  const items = [];
  for await (const item of all) items.push(item);
  return items;
}

// A world that is over when the test is.
export async function world(t, script, options) {
  const made = await World.start(script, options);
  t.after(() => made.stop());
  return made;
}

export class World {
  // A `broker` that is given is left running.
  static async start(script, { cli = "new", serve = [], broker } = {}) {
    const world = new World();
    world.cli = CLIS[cli];
    world.folder = await mkdtemp(join(tmpdir(), "parley-claude-"));
    world.home = broker?.home ?? join(world.folder, "home");
    world.project = join(world.folder, "project");
    await mkdir(world.home, { recursive: true });
    await mkdir(world.project);
    world.ownsBroker = broker === undefined;
    world.broker = broker ?? await Broker.start(serve);
    world.model = await Model.start(script);
    world.processes = [];
    world.queries = []; // of the Agent SDK: {enough, ended}
    world.further = {}; // variables
    return world;
  }

  async stop() {
    for (const process of this.processes) process.kill("SIGKILL");
    // A Claude Code that still runs would write into the folder while it is removed.
    for (const { enough } of this.queries) enough.abort();
    await Promise.allSettled(this.queries.map(({ ended }) => ended));
    this.model.stop();
    if (this.ownsBroker) await this.broker.stop();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  get variables() {
    return environment({
      ...this.broker.variables, HOME: this.home, ANTHROPIC_BASE_URL: this.model.url,
      ANTHROPIC_API_KEY: "sk-ant-none", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1", DISABLE_ERROR_REPORTING: "1", DISABLE_AUTOUPDATER: "1",
      PARLEY_CLAUDE: this.cli, ...this.further,
    });
  }

  // parley ARGS, to its end: {stdout, stderr}.
  async parley(...args) {
    return promisify(execFile)(PROGRAM, args, { cwd: this.project, env: this.variables });
  }

  // Something that runs on: its lines as they come, and its end.
  spawn(program, args, { input = "ignore", variables = {} } = {}) {
    const child = spawn(program, args, {
      cwd: this.project, env: { ...this.variables, ...variables }, stdio: [input, "pipe", "pipe"],
    });
    child.output = "";
    child.errors = "";
    child.stdout.on("data", (data) => { child.output += data; });
    child.stderr.on("data", (data) => { child.errors += data; });
    child.ended = once(child, "close").then(([code, signal]) => ({
      code, signal, output: child.output, errors: child.errors,
    }));
    this.processes.push(child);
    return child;
  }

  // claude -p PROMPT without a host: its hooks are the only ones to answer.
  claude(prompt, ...args) {
    return this.spawn(this.cli, ["-p", prompt, "--permission-prompt-tool", "stdio", ...args]);
  }

  // The Agent SDK as the host: the messages of its query, and its host's word on tools.
  sdk(prompt, canUseTool, options = {}) {
    const enough = new AbortController();
    const all = query({ prompt, options: {
      cwd: this.project, env: this.variables, pathToClaudeCodeExecutable: this.cli, canUseTool,
      settingSources: ["project"], abortController: enough, ...options,
    } });
    const ended = gather(all);
    this.queries.push({ enough, ended });
    return ended;
  }

  run(...args) {
    return this.spawn(PROGRAM, ["run", "claude", ...args]);
  }

  // Everything that the broker tells, as it is told.
  watch() {
    const child = this.spawn(PROGRAM, ["watch", "--json"]);
    return {
      events: () => child.output.split("\n").filter(Boolean).map((line) => JSON.parse(line)),
      async wait(test, what) {
        return until(() => this.events().find(test), what);
      },
    };
  }

  // What Claude Code has written down of a session, or of any, once it has.
  async transcript(session = "") {
    return until(async () => {
      // A folder that goes while it is listed is a lock of Claude Code's.
      const all = await readdir(this.home, { recursive: true }).catch(() => []);
      const files = all.filter((name) => name.endsWith(`${session}.jsonl`));
      const texts = await Promise.all(files.map((file) => readFile(join(this.home, file), "utf8")));
      return texts.find((words) => words.includes('"type":"user"'));
    }, `the transcript of ${session}`);
  }

  async settled(id) {
    return until(async () => {
      const { body } = await this.broker.call("GET", `/v1/asks/${id}`);
      return body.state !== "pending" && body;
    }, `${id} is settled`);
  }
}
