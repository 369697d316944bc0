// SPDX-License-Identifier: Apache-2.0
// Permission asks as OpenCode's clients know them: once, always, reject. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley::opencode {

// "per_…" for an ask, and back.
std::string permission_id(AskId id);
std::optional<AskId> parse_permission_id(std::string_view text);

// PermissionRequest.
void write_permission(json::Writer& out, const Ask& ask);
// Of permission.replied; every end that is no answer is "reject".
std::string permission_replied_properties(const Ask& ask);

// {"reply": "once" | "always" | "reject", "message"?}; the older route says "response".
struct PermissionReply {
    Answers answers;
    bool stops = false;  // rejected without a word to the model
};
[[nodiscard]] Result<PermissionReply> read_permission_reply(const std::optional<json::Value>& body,
                                                            std::string_view key);

}  // namespace parley::opencode
