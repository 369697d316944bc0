// SPDX-License-Identifier: Apache-2.0
// Our hooks in Claude Code's settings files: put in, taken out, checked. Blocks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "app/command_line/exit_codes.h"
#include "app/command_line/run_context.h"
#include "app/setup/doctor.h"
#include "base/result.h"
#include "dialect/claude/settings.h"

namespace parley::app {

enum class ClaudeScope : std::uint8_t { user, project };

// $CLAUDE_CONFIG_DIR or ~/.claude, and .claude of this folder.
[[nodiscard]] Result<std::filesystem::path> claude_settings_path(const Environment& environment,
                                                                 ClaudeScope scope);

struct ClaudeSetup {
    ClaudeScope scope = ClaudeScope::user;
    claude::HookSetup hooks = {};
};
// Both show the file's lines that change. A file that needs no change is left alone.
ExitCode install_claude_hooks(const RunContext& context, const ClaudeSetup& setup);
ExitCode uninstall_claude_hooks(const RunContext& context, ClaudeScope scope);

// For the doctor: our hooks in the user's and in this folder's settings, and what keeps them from
// working. Says nothing where none is installed.
void check_claude_hooks(const Environment& environment, Findings& findings);

// One word of a command, as a shell reads it back.
std::string shell_quoted(const std::string& text);
// This program as a shell calls it, by its whole path.
std::string own_command();

}  // namespace parley::app
