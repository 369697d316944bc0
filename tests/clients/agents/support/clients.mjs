// SPDX-License-Identifier: Apache-2.0
// The agent programs: how each is set up with Parley, started without a terminal and in one, and resumed.
// What is set up beside `parley mcp --install CLIENT --write` is about the model, not about Parley.
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { PROGRAM } from "../../support/broker.mjs";
import { Completions } from "./completions.mjs";
import { GeminiApi } from "./gemini_api.mjs";
import { Messages } from "./messages.mjs";
import { Responses } from "./responses.mjs";
import { World, installed } from "./world.mjs";

const run = promisify(execFile);

export const QUESTION = { questions: [{
  question: "Which database?", header: "Database", multiSelect: false,
  options: [{ label: "PostgreSQL", description: "The usual" },
    { label: "SQLite", description: "One file" }],
}] };

async function merge(file, more) {
  await mkdir(dirname(file), { recursive: true });
  const text = await readFile(file, "utf8").catch(() => "{}");
  await writeFile(file, JSON.stringify({ ...JSON.parse(text), ...more }));
}

const completions = (args) => Completions.start("ask_user", args);

// Its packages are those of tests/clients/claude.
export const CLAUDE = {
  folder: "tests/clients/claude", name: "claude", config: ".claude.json",
  title: "Claude Code 2.1.325, `-p`, MCP", form: "Accept",
  file: `@anthropic-ai/claude-agent-sdk-linux-${process.arch}/claude`,
  command: (file) => [file],
  model: (args) => Messages.start(args),
  headless: ["-p", "go"],
  terminal: ["go"],
  resumed: ["--continue", "-p", "go on"],
  terminalResumed: ["--continue", "go on"],
  variables: (model) => ({ ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "sk-ant-none",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1", DISABLE_AUTOUPDATER: "1" }),
  // Past its welcome; the person has agreed to the project's server.
  settings: async (w) => merge(join(w.home, ".claude.json"), {
    hasCompletedOnboarding: true, theme: "dark",
    customApiKeyResponses: { approved: ["sk-ant-none"], rejected: [] },
    projects: { [w.project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true,
      enabledMcpjsonServers: ["parley"] } } }),
};

export const CODEX = {
  name: "codex", config: ".codex/config.toml",
  title: "Codex 0.166.0, `exec`, MCP",
  file: `@openai/codex-linux-${process.arch}/vendor/`
    + `${process.arch === "x64" ? "x86_64" : "aarch64"}-unknown-linux-musl/bin/codex`,
  command: (file) => [file],
  model: (args) => Responses.start({ name: "ask_user", namespace: "mcp__parley", arguments: args }),
  form: "enter to submit",
  headless: ["exec", "--skip-git-repo-check", "go"],
  terminal: ["--no-daemon", "go"],
  resumed: ["exec", "resume", "--last", "--skip-git-repo-check", "go on"],
  terminalResumed: ["resume", "--last", "--no-daemon", "go on"],
  variables: () => ({ OUR_KEY: "none" }),
  settings: async (w, model) => {
    const file = join(w.home, ".codex/config.toml");
    // What belongs to no table comes before all tables.
    await writeFile(file, `model = "test"
model_provider = "ours"
[model_providers.ours]
name = "ours"
base_url = "${model.url}"
env_key = "OUR_KEY"
wire_api = "responses"
[projects."${w.project}"]
trust_level = "trusted"
${await readFile(file, "utf8")}`);
  },
};

export const GEMINI = {
  name: "gemini", config: ".gemini/settings.json",
  title: "Gemini CLI 0.61.0, `-p`, MCP",
  file: "@google/gemini-cli/bundle/gemini.js",
  command: (file) => [process.execPath, file],
  model: (args) => GeminiApi.start("ask_person", args),
  headless: ["-m", "gemini-2.5-pro", "-p", "go"],
  terminal: ["-m", "gemini-2.5-pro", "-i", "go"],
  resumed: ["-m", "gemini-2.5-pro", "--resume", "latest", "-p", "go on"],
  terminalResumed: ["-m", "gemini-2.5-pro", "--resume", "latest", "-i", "go on"],
  variables: (model) => ({ GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: model.url,
    GEMINI_CLI_TRUST_WORKSPACE: "true", GEMINI_CLI_NO_RELAUNCH: "true" }),
  settings: async (w) => merge(join(w.home, ".gemini/settings.json"), {
    security: { auth: { selectedType: "gemini-api-key" } }, general: { disableAutoUpdate: true },
    privacy: { usageStatisticsEnabled: false } }),
};

export const COPILOT = {
  name: "copilot", config: ".copilot/mcp-config.json",
  title: "Copilot CLI 1.0.102, `-p`, MCP", model: completions, form: "enter accept",
  file: `@github/copilot-linux-${process.arch}/copilot`,
  command: (file) => [file],
  headless: ["-p", "go"],
  terminal: ["-i", "go"],
  resumed: ["--continue", "-p", "go on"],
  terminalResumed: ["--continue", "-i", "go on"],
  variables: (model) => ({ COPILOT_PROVIDER_BASE_URL: model.url, COPILOT_MODEL: "test",
    COPILOT_OFFLINE: "true", COPILOT_AUTO_UPDATE: "false" }),
  settings: async (w) => merge(join(w.home, ".copilot/config.json"),
    { trusted_folders: [w.project], trustedFolders: [w.project], banner: "never" }),
};

export const QWEN = {
  name: "qwen", config: ".qwen/settings.json",
  title: "Qwen Code 0.24.4, `-p`, MCP", model: completions,
  file: "@qwen-code/qwen-code/cli.js",
  command: (file) => [process.execPath, file],
  headless: ["-p", "go"],
  terminal: ["-i", "go"],
  resumed: ["--continue", "-p", "go on"],
  terminalResumed: ["--continue", "-i", "go on"],
  variables: (model) => ({ OPENAI_API_KEY: "none", OPENAI_BASE_URL: model.url,
    OPENAI_MODEL: "test", QWEN_TELEMETRY_ENABLED: "false",
    QWEN_CODE_NO_RELAUNCH: "true" }),
  settings: async (w) => merge(join(w.home, ".qwen/settings.json"), {
    security: { auth: { selectedType: "openai" } }, general: { disableAutoUpdate: true },
    privacy: { usageStatisticsEnabled: false }, telemetry: { enabled: false } }),
};

// Its terminal takes a minute and more to start without a network, and so may resuming it.
export const OPENCODE = {
  isSlow: true,
  name: "opencode", config: ".config/opencode/opencode.json",
  title: "OpenCode 1.18.33, `run`, MCP", model: completions,
  file: "opencode-linux-x64/bin/opencode",
  command: (file) => [file],
  headless: ["run", "--model", "ours/test", "go"],
  terminal: ["--model", "ours/test", "--prompt", "go"],
  resumed: ["run", "--continue", "--model", "ours/test", "go on"],
  terminalResumed: ["--continue", "--model", "ours/test"],
  input: "ctrl+p commands",
  variables: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "true", OPENCODE_DISABLE_MODELS_FETCH: "true",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "true", OPENCODE_DISABLE_DEFAULT_PLUGINS: "true" }),
  settings: async (w, model) => merge(join(w.home, ".config/opencode/opencode.json"), {
    provider: { ours: { npm: "@ai-sdk/openai-compatible", name: "ours",
      options: { baseURL: model.url, apiKey: "none" },
      models: { test: { name: "test", tool_call: true } } } } }),
};

// It resumes by id alone.
async function lastOfCline(w, { command: [program] }) {
  const { stdout } = await run(program, ["history", "--json"], { cwd: w.project, env: w.variables });
  return JSON.parse(stdout)[0].sessionId;
}

// Installed only where it is asked for: 150 MB more.
export const CLINE = {
  isLarge: true, folder: "tests/clients/agents/large",
  name: "cline", config: ".cline/data/settings/cline_mcp_settings.json",
  title: "Cline 3.0.65, `cline PROMPT`, MCP", model: completions,
  file: `@cline/cli-linux-${process.arch}/bin/cline`,
  command: (file) => [file],
  headless: ["do it"],
  terminal: ["-i", "do it"],
  // Only in its terminal.
  terminalResumed: async (w, client) => ["-i", "--id", await lastOfCline(w, client)],
  input: "Ask anything",
  variables: () => ({ CLINE_SESSION_BACKEND_MODE: "local", DO_NOT_TRACK: "1" }),
  settings: async (w, model) => {
    const folder = join(w.home, ".cline/data/settings");
    await merge(join(folder, "global-settings.json"),
      { telemetryOptOut: true, autoUpdateEnabled: false });
    await merge(join(folder, "providers.json"), { version: 1, modes: {},
      lastUsedProvider: "openai-compatible", providers: { "openai-compatible": {
        settings: { provider: "openai-compatible", apiKey: "none", model: "test",
          baseUrl: model.url },
        updatedAt: "2026-11-17T00:00:00.000Z", tokenSource: "manual" } } });
  },
};

export async function find(client) {
  if (client.isLarge && !process.env.PARLEY_LARGE_AGENTS)
    return { ...client, command: [], skip: "NOT TESTED: large; PARLEY_LARGE_AGENTS=1 runs it" };
  const { file, missing } = await installed(client.file, client.folder);
  return { ...client, command: missing ? [] : client.command(file), skip: missing ?? false };
}

// Why what takes long, a terminal or resuming, is not run unless it is asked for.
export const tooSlow = ({ isSlow, skip }) => skip || (isSlow && !process.env.PARLEY_SLOW_AGENTS
  && "NOT TESTED: takes minutes; PARLEY_SLOW_AGENTS=1 runs it");

// The arguments that resume its terminal, which some have to look up. Where `input` says what
// stands at its input line, what is to go on is typed there.
export const resuming = async (w, client) => (typeof client.terminalResumed === "function"
  ? client.terminalResumed(w, client) : client.terminalResumed);

// The documented recipe, by which a client knows Parley.
export const install = (w, client, more = []) => run(PROGRAM,
  ["mcp", "--install", client.name, "--write", ...more], { env: w.variables, cwd: w.project });

// A home in which this client knows Parley by its documented recipe, and a model of ours.
export async function start(t, client, { install: more = [], args = QUESTION, variables = {} } = {}) {
  const model = await client.model(args);
  // A model that is told that the question is open waits on.
  model.next = (words) => {
    const open = /stays open as (que_\w+)/.exec(words);
    return open && { name: "wait_answer", args: { ask_id: open[1] } };
  };
  const w = await World.start(t, model);
  w.further = { TERM: "xterm-256color", ...client.variables(model), ...variables };
  await install(w, client, more);
  await client.settings(w, model);
  return w;
}

// The program without a terminal, to its end: {stdout, stderr}, with the child beside it.
export function headless(w, client, args = client.headless) {
  const [program, ...first] = client.command;
  const ended = run(program, [...first, ...args], { cwd: w.project, env: w.variables });
  ended.child.stdin.end();
  return ended;
}
