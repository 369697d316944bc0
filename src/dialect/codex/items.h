// SPDX-License-Identifier: Apache-2.0
// What Codex does, as calls of tools: by the names and in the shapes that core knows them by, for
// what it wants permitted and what it tells of alike. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "text/json.h"

namespace parley::codex {

inline constexpr std::string_view kCommandTool = "exec_command";
inline constexpr std::string_view kEditTool = "apply_patch";
std::string mcp_tool_name(std::string_view server, std::string_view tool);

// Its members "command" and, where Codex gives it to a shell, "shell". `item` has the command as
// Codex writes it.
void write_command(json::Writer& out, const json::Value& item);
// The changes in the form that Codex made known, which core reads.
std::string patch_of(const json::Array& changes);

// An item of a turn that is a call of a tool; nullopt: it is something else.
struct Call {
    std::string tool;
    std::string input;  // JSON
};
std::optional<Call> read_call(const json::Value& item);

// What came out of such an item once it is over.
struct CallResult {
    std::string output;  // JSON
    bool is_error = false;
};
CallResult read_call_result(const json::Value& item);

}  // namespace parley::codex
