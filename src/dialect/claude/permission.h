// SPDX-License-Identifier: Apache-2.0
// May this tool run? Claude Code's permission requests as an ask like any other, and the person's
// decision as Claude Code takes it: from the hook and from the driven CLI alike. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "parley/values.h"
#include "text/json.h"

namespace parley::claude {

inline constexpr std::string_view kAskTool = "AskUserQuestion";

struct PermissionWish {
    std::string tool;
    json::Value input;
    json::Value suggestions = {};  // Claude Code's own rules for "always"; a list, or nothing
    std::string why = {};          // its own words about the request
    bool may_last = true;          // false: "for this session" is not on offer
};

// What would be permitted, whole; one question with the three options, what the second allows in
// its description; the CLI's own words as the context.
void fill_permission(AskSpec& spec, const PermissionWish& wish);

struct Permission {
    bool is_allowed = false;
    bool lasts = false;        // for the rest of the session
    std::string message = {};  // what the model is told of a denial
};
// What the person decided. Own words are a denial that says them; anything but an answer is one
// that says why there is none.
Permission read_permission(const Ask& settled);

// The rules of "for this session", as a JSON list of permission updates.
std::string session_rules(const PermissionWish& wish);

}  // namespace parley::claude
