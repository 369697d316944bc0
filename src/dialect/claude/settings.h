// SPDX-License-Identifier: Apache-2.0
// The hooks in Claude Code's settings.json: ours put in, taken out, looked for. Everything else in
// the document stays as it is, in its order. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley::claude {

struct HookSetup {
    std::string command;          // as a shell takes it: "/usr/bin/parley hook claude"
    Millis timeout{};             // that Claude Code gives the hook
    bool before_dialog = false;   // PreToolUse instead of beside Claude Code's dialog
    bool questions_only = false;  // no permission prompts
};

// Our hooks and nothing else of ours, whatever was there before. Refused: a document whose `hooks`
// are not what Claude Code reads.
[[nodiscard]] Result<json::Value> with_hooks(json::Value settings, const HookSetup& setup);
[[nodiscard]] Result<json::Value> without_hooks(json::Value settings);

struct InstalledHook {
    std::string event;
    std::string matcher;
    std::string command;
    bool has_timeout = false;
};
std::vector<InstalledHook> find_hooks(const json::Value& settings);
// All hooks are switched off by the settings themselves.
bool disables_hooks(const json::Value& settings);

// A hook's command that is ours: "…parley hook claude…".
bool is_our_command(std::string_view command);

}  // namespace parley::claude
