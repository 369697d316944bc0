// SPDX-License-Identifier: Apache-2.0
// Parley's own tools among those of a client, which lists them under names of its making. Pure
// functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace parley::mcp {

// Which tool of ours a client calls so, by its name here; none for every other name.
std::optional<std::string_view> own_tool(std::string_view listed);

// Whether a call with these members can be one of this tool of ours.
bool may_have_members(std::string_view tool, std::span<const std::string> members);

}  // namespace parley::mcp
