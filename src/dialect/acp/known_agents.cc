// SPDX-License-Identifier: Apache-2.0
#include "dialect/acp/known_agents.h"

#include <algorithm>
#include <array>

namespace parley::acp {

namespace {

using Words = std::array<std::string_view, 2>;
constexpr Words kCopilot = {"copilot", "--acp"};
constexpr Words kGemini = {"gemini", "--acp"};
constexpr Words kQwen = {"qwen", "--acp"};

constexpr std::array kAgents = {KnownAgent{"copilot", "Copilot CLI", kCopilot},
                                KnownAgent{"gemini", "Gemini CLI", kGemini},
                                KnownAgent{"qwen", "Qwen Code", kQwen}};

}  // namespace

std::span<const KnownAgent> known_agents() {
    return kAgents;
}

const KnownAgent* find_agent(std::string_view name) {
    const auto found = std::ranges::find(kAgents, name, &KnownAgent::name);
    return found == kAgents.end() ? nullptr : &*found;
}

}  // namespace parley::acp
