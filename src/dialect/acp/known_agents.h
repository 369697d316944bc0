// SPDX-License-Identifier: Apache-2.0
// Agents of the Agent Client Protocol that were tried, and the commands that start them.
#pragma once

#include <span>
#include <string_view>

namespace parley::acp {

struct KnownAgent {
    std::string_view name;    // as in `parley run NAME`
    std::string_view called;  // by people
    std::span<const std::string_view> command;
};

std::span<const KnownAgent> known_agents();
// Null if there is none of this name.
const KnownAgent* find_agent(std::string_view name);

}  // namespace parley::acp
