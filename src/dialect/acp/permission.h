// SPDX-License-Identifier: Apache-2.0
// May this tool run? An agent's permission request as an ask with the agent's own options, and the
// person's decision as the agent takes it. The protocol has no field for a reason: words that a
// person adds are for the agent's next prompt. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parley/values.h"
#include "text/json.h"

namespace parley::acp {

struct PermissionOption {
    std::string id;
    std::string name;
    std::string kind;  // allow_once, allow_always, reject_once, reject_always
};

struct PermissionWish {
    std::string session;
    json::Value call;  // the tool call, as far as it is told here
    std::vector<PermissionOption> options;
};
PermissionWish read_permission_wish(const json::Value& params);

// Whether the call is one of Parley's own ways to ask: that one passes, or we would ask whether
// somebody may ask. Most agents make titles of what a model wrote: there the input must be the
// tool's as well. `is_title_name`: not where no input is told.
bool is_own_tool(const json::Value& call, bool is_title_name = false);

// What becomes of words that a person adds: the agent's next message, or nothing that it hears.
enum class Words : std::uint8_t { follow, stay };

// Fills in questions, permission, context and call id. Qwen Code puts questions of its model into
// such a request: these become the questions. `agent` is what people call it.
void fill_permission(AskSpec& spec, const PermissionWish& wish, std::string_view agent,
                     Words words = Words::follow);

struct Decision {
    std::string result;      // of the request, as JSON
    std::string words = {};  // that the agent can be told with the next prompt only
};
Decision permission_decision(const PermissionWish& wish, const Ask& settled);
// By rule: allowed this once. Empty result: the agent offers nothing like it.
std::string allow_once_result(const PermissionWish& wish);
std::string cancelled_result();

}  // namespace parley::acp
