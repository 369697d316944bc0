// SPDX-License-Identifier: Apache-2.0
// Codex as npm ships it, set up for a model of ours and for nothing else, and calls that its model
// makes.
import { execFileSync } from "node:child_process";

import { Responses } from "./responses.mjs";
import { World, installed } from "./world.mjs";

const PLATFORM = `${process.arch === "x64" ? "x86_64" : "aarch64"}-unknown-linux-musl`;
export const { file: CODEX, missing } =
  await installed(`@openai/codex-linux-${process.arch}/vendor/${PLATFORM}/bin/codex`);
export const skip = missing ?? false;
// Of what is installed, which need not be what is pinned.
export const VERSION = missing ? "" : execFileSync(CODEX, ["--version"], { encoding: "utf8" })
  .trim().split(" ").at(-1);

const config = (url) => `
model = "test"
model_provider = "ours"
approval_policy = "on-request"
sandbox_mode = "read-only"
[features]
default_mode_request_user_input = true
[model_providers.ours]
name = "ours"
base_url = "${url}"
env_key = "OUR_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 1
[projects."PROJECT"]
trust_level = "trusted"
`;

export const ASK = { name: "request_user_input", arguments: { questions: [{
  id: "db", header: "Database", question: "Which database?",
  options: [{ label: "PostgreSQL", description: "The usual" },
    { label: "SQLite", description: "One file" }],
}] } };
export const COMMAND = "touch made.txt\necho 'it is there'\n";
export const RUN = { name: "exec_command", arguments: { cmd: COMMAND,
  sandbox_permissions: "require_escalated", justification: "May I make a file?" } };
export const EDIT = { name: "exec_command", arguments: {
  cmd: "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: hello.txt\n+hi\n+there\n"
    + "*** End Patch\nEOF\n" } };

// A home with a broker and this Codex; its model makes this call first.
export async function codexWorld(t, call) {
  const model = await Responses.start(call);
  const world = await World.start(t, model, { ".codex/config.toml": config(model.url) });
  world.further = { OUR_KEY: "none" };
  return world;
}
