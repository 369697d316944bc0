// SPDX-License-Identifier: Apache-2.0
#include "dialect/mcp/own_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/questions.h"
#include "core/text_rules.h"
#include "dialect/mcp/tools.h"

namespace parley::mcp {

namespace {

constexpr std::array kTools = {kAskUser, kAskPerson, kWaitAnswer, kNotifyUser};

// Claude Code and Codex, Gemini CLI, OpenCode, Copilot CLI, Codex, Gemini CLI and Qwen Code.
constexpr std::array<std::string_view, 6> kNameForms = {
    "mcp__parley__{}", "mcp_parley_{}", "parley_{}",
    "parley-{}",       "parley/{}",     "{} (parley mcp server)"};

constexpr std::array<std::string_view, 4> kAskMembers = {"questions", "context", "timeout_seconds",
                                                         "blocking"};
constexpr std::array<std::string_view, 2> kNoticeMembers = {"text", "level"};

bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

bool has(std::span<const std::string> members, std::string_view name) {
    return std::ranges::find(members, name) != members.end();
}

}  // namespace

std::optional<std::string_view> own_tool(std::string_view listed) {
    const std::string name = lower_ascii(trim_blanks(listed));
    for (const std::string_view tool : kTools)
        for (const std::string_view form : kNameForms)
            if (name == fmt::format(fmt::runtime(form), tool)) return tool;
    return std::nullopt;
}

bool may_have_members(std::string_view tool, std::span<const std::string> members) {
    const auto are_all = [&](auto is_known) { return std::ranges::all_of(members, is_known); };
    if (tool == kWaitAnswer) return members.size() == 1 && has(members, "ask_id");
    if (tool == kNotifyUser)
        return has(members, "text") &&
               are_all([](const std::string& name) { return is_one_of(kNoticeMembers, name); });
    const bool is_flat = has(members, "question");
    return (is_flat || has(members, "questions")) && are_all([&](const std::string& name) {
               return is_one_of(kAskMembers, name) ||
                      (is_flat &&
                       is_one_of({kQuestionMembers.begin(), kQuestionMembers.size()}, name));
           });
}

}  // namespace parley::mcp
