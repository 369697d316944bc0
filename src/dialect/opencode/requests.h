// SPDX-License-Identifier: Apache-2.0
// What OpenCode's clients send to create a session and to speak to its agent. Faults have its
// wording. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "text/json.h"

namespace parley::opencode {

// Every field may be absent, and so may the body; what is not known is passed over.
struct SessionInput {
    std::optional<std::string> parent = {};
    std::optional<std::string> title = {};
};
[[nodiscard]] Result<SessionInput> read_session_input(const std::optional<json::Value>& body);

// The title that a session is to have from now on; nothing if it stays.
[[nodiscard]] Result<std::optional<std::string>> read_new_title(
    const std::optional<json::Value>& body);

// The text of a prompt: its text parts, and the names of its files, one paragraph each.
[[nodiscard]] Result<std::string> read_prompt(const std::optional<json::Value>& body);

}  // namespace parley::opencode
