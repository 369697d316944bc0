// SPDX-License-Identifier: Apache-2.0
// ask_user called by Claude Code itself, not by its model: as the tool of --permission-prompt-tool
// it is asked whether another tool may run, and is handed that tool's questions if the tool is
// AskUserQuestion. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "dialect/claude/permission.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley::mcp {

struct PermissionCall {
    claude::PermissionWish wish;
    std::string call_id = {};  // of the tool call that wants to run
};

// {tool_name, input, tool_use_id?}; nullopt: these arguments are the model's own.
std::optional<PermissionCall> read_permission_call(const json::Value& arguments);

// The call as text, and back: held for as long as a person thinks, it takes a tenth of the memory.
std::string permission_text(const PermissionCall& call);
[[nodiscard]] Result<PermissionCall> read_permission_text(std::string_view text);

// `warnings`: what of the questions is not known, and so left out.
[[nodiscard]] Result<AskSpec> permission_spec(const PermissionCall& call,
                                              std::vector<Fault>* warnings = nullptr);

// The members of the tool's result: {behavior: "allow", updatedInput} or {behavior: "deny",
// message}, as text and nothing else.
void write_permission_result(json::Writer& out, const PermissionCall& call, const Ask& settled);

}  // namespace parley::mcp
