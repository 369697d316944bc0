// SPDX-License-Identifier: Apache-2.0
#include "dialect/mcp/known_clients.h"

#include <algorithm>
#include <array>

#include "core/limits.h"
#include "dialect/limits.h"
#include "dialect/mcp/client.h"
#include "dialect/mcp/tools.h"

namespace parley::mcp {

namespace {

using std::chrono::seconds;

constexpr Habits kUnknown{.client = ""};

constexpr std::array kKnown = {
    // 2.1.325. In the newer era its terminal moves the call to the background at once, and the
    // answer comes to the model later as "NOT USER INPUT"; while a form is open it polls no more.
    // Waits on for as long as there is progress; without, 30 minutes on stdio and 5 over HTTP.
    Habits{.client = "claude-code",
           .idle_limit = seconds(300),
           .is_better_off_legacy = true,
           .puts_tasks_aside = true},
    // 0.166.0. Declines every form by itself where nobody is asked (exec, -a never); its terminal
    // has Esc only, which cancels. Enter does nothing on an empty text field, so a form that has
    // one beside its choice cannot be sent. Progress does not extend its limit.
    Habits{.client = "codex-mcp-client",
           .limit = seconds(300),
           .idle_limit = seconds(300),
           .declines_by_hand = false,
           .sends_empty_texts = false},
    // 1.0.102, under the names of its versions. In the newer era a form stays until somebody closes
    // it at that terminal, and the agent waits for that.
    Habits{.client = "copilot-cli", .idle_limit = seconds(180), .is_better_off_legacy = true},
    Habits{.client = "github-copilot-*", .idle_limit = seconds(180), .is_better_off_legacy = true},
    // 0.61.0. Without a terminal, and in ACP, every tool called ask_user is left out, whosoever it
    // is: its own has that name.
    Habits{.client = "gemini-cli-mcp-client",
           .limit = seconds(600),
           .idle_limit = seconds(600),
           .ask_tool = kAskPerson},
    // 0.24.4; the name goes on with that of the server.
    Habits{.client = "qwen-cli-mcp-client*", .limit = seconds(600), .idle_limit = seconds(300)},
    // 1.18.33. Progress extends its limit without end.
    Habits{.client = "opencode", .idle_limit = seconds(60)},
    // Waits on for as long as there is progress.
    Habits{.client = "Visual Studio Code", .idle_limit = seconds(60)},
};

bool is_named(const Habits& habits, std::string_view name) {
    std::string_view pattern = habits.client;
    if (!pattern.ends_with('*')) return name == pattern;
    pattern.remove_suffix(1);
    return name.starts_with(pattern);
}

std::string text_of(const json::Value* object, std::string_view name) {
    return std::string(object == nullptr ? "" : text_member(*object, name).value_or(""));
}

constexpr std::string_view kCodexTurn = "x-codex-turn-metadata";
constexpr std::string_view kProgressToken = "progressToken";
constexpr std::string_view kThread = "threadId";

}  // namespace

const Habits& habits_of(const ClientInfo& client) {
    const auto* found = std::ranges::find_if(
        kKnown, [&](const Habits& habits) { return is_named(habits, client.name); });
    return found == kKnown.end() ? kUnknown : *found;
}

std::optional<Millis> hold_of(const ClientInfo& client, bool wants_progress) {
    const Habits& habits = habits_of(client);
    if (habits.client.empty()) return limits::kMcpHold;
    const Millis limit =
        wants_progress || habits.idle_limit == Millis::zero() ? habits.limit : habits.idle_limit;
    if (limit == Millis::zero()) return std::nullopt;
    return limit - limits::kMcpCallMargin;
}

// Codex in `exec`: no form is ever seen there.
bool is_headless(const json::Value& params) {
    const json::Value* meta = member(params, "_meta");
    return meta != nullptr && text_of(member(*meta, kCodexTurn), "turn_trigger") == "exec";
}

json::Value kept_params(const json::Value& params) {
    json::Object kept;
    const json::Value* task = member(params, "task");
    if (task != nullptr && task->is_object()) kept["task"] = json::Object();
    if (const json::Value* meta = member(params, "_meta")) {
        json::Object few;
        for (const std::string_view name : {kProgressToken, kThread}) {
            const json::Value* value = member(*meta, name);
            const auto* text = value == nullptr ? nullptr : value->if_string();
            const bool is_small = text != nullptr ? text->size() <= limits::kNameChars
                                                  : value != nullptr && value->is_number();
            if (is_small) few[name] = *value;
        }
        if (is_headless(params)) few[kCodexTurn] = json::Object{{"turn_trigger", "exec"}};
        kept["_meta"] = std::move(few);
    }
    return kept;
}

std::optional<ToolCall> tool_call_of(const json::Value& params) {
    const json::Value* meta = member(params, "_meta");
    std::string id = text_of(meta, "claudecode/toolUseId");
    std::string turn;
    if (id.empty()) {
        id = text_of(meta, "callId");
        turn = meta == nullptr ? "" : text_of(member(*meta, kCodexTurn), "turn_id");
    }
    if (id.empty()) return std::nullopt;
    return ToolCall{.message_id = std::move(turn), .call_id = std::move(id)};
}

std::string conversation_tag(const json::Value& params) {
    constexpr std::size_t kLength = 8;
    const std::string thread = text_of(member(params, "_meta"), kThread);
    const bool is_plain = std::ranges::all_of(thread, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_';
    });
    if (!is_plain) return {};
    // Its end: such ids begin with the time.
    return thread.size() <= kLength ? thread : thread.substr(thread.size() - kLength);
}

}  // namespace parley::mcp
