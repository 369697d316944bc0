// SPDX-License-Identifier: Apache-2.0
// What both halves of a hook read of its call: what is to be asked because of it (hook_input.cc),
// and what it says once that is settled (hook_output.cc). Pure functions.
#pragma once

#include <string_view>

#include "core/json_fields.h"
#include "dialect/claude/hook.h"
#include "dialect/claude/permission.h"

namespace parley::claude {

inline constexpr std::string_view kPreToolUse = "PreToolUse";
inline constexpr std::string_view kPermissionRequest = "PermissionRequest";
inline constexpr std::string_view kElicitation = "Elicitation";

inline const json::Value& field(const HookCall& call, std::string_view name) {
    return json::field(call.document, name);
}

inline PermissionWish wish_of(const HookCall& call) {
    return {.tool = call.tool,
            .input = field(call, "tool_input"),
            .suggestions = field(call, "permission_suggestions")};
}

}  // namespace parley::claude
