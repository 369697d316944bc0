// SPDX-License-Identifier: Apache-2.0
// Claude Code's hooks: what a hook is told, what is to be asked or taken back because of it, and
// what the hook says once that is settled. The same for the command and for the HTTP kind. Saying
// nothing is "no opinion": Claude Code goes on with its own dialog. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "parley/event.h"
#include "parley/requests.h"
#include "text/json.h"

namespace parley::claude {

// What a hook does when the ask's deadline passes.
enum class OnTimeout : std::uint8_t {
    abstain,  // Claude Code's own dialog serves
    deny,     // the model is told that nobody answered
    empty,    // the questions count as not answered, and the turn goes on
};

std::optional<OnTimeout> read_on_timeout(std::string_view name);

struct HookRules {
    std::optional<Millis> timeout = {};  // of the asks
    OnTimeout on_timeout = OnTimeout::abstain;
    bool defers = false;  // PreToolUse: the CLI ends, the ask stays
    // CLIs that pass over the answers in `updatedInput` still show the model this text.
    bool adds_context = false;
};

// In the environment of a Claude Code that `parley run claude` drives.
inline constexpr std::string_view kDrivenVariable = "PARLEY_DRIVES_CLAUDE";

// Whether the Claude Code that writes this transcript uses the answers in `updatedInput`. One of
// unknown version counts as old.
bool takes_answers(std::string_view transcript_tail);

struct HookCall {
    std::string event;       // "PreToolUse"
    std::string session;     // Claude's own id
    std::string prompt;      // the turn
    std::string folder;      // where Claude works
    std::string transcript;  // its file
    std::string tool;
    std::string call_id;  // absent in PermissionRequest
    json::Value document;
};
[[nodiscard]] Result<HookCall> read_hook_call(std::string_view text);
// Takes out of the call what its answer needs, as text, and leaves it without a document until that
// is put back: held for as long as a person thinks, text takes a tenth of the memory.
std::string take_document(HookCall& call);
[[nodiscard]] Result<void> put_back_document(HookCall& call, std::string_view text);

struct HookAsk {
    AskRequest request;
    std::string session_title;
};
// Whatever of this call still waits was settled in Claude Code itself.
struct HookWithdrawal {
    std::string session;
    std::string call_id;
    std::string key_start;  // of asks by PermissionRequest, which knows no call id
};
struct HookNotice {
    std::string session;
    NoticeGiven notice;
    bool only_if_none_waits = false;  // it says no more than a pending ask does
};
using HookPlan = std::variant<std::monostate, HookAsk, HookWithdrawal, HookNotice>;

// `nonce` tells two calls apart that look alike. `complaint` is what was wrong with the answer
// before, if the same is asked again. The Error says why this cannot be asked.
[[nodiscard]] Result<HookPlan> plan_hook(const HookCall& call, const HookRules& rules,
                                         std::string_view nonce, std::string_view complaint = {});

bool is_meant(const HookWithdrawal& withdrawal, const Ask& ask);

// What the hook prints; empty is "no opinion". An Error is a complaint for the person: ask again.
[[nodiscard]] Result<std::string> hook_output(const HookCall& call, const HookRules& rules,
                                              const Ask& settled);
// The CLI is to end with this tool call open, and to come back to it.
std::string defer_output();
bool is_deferred(const HookCall& call, const HookRules& rules);
// The same output with `text` for the person at Claude Code, who is shown it as a warning.
std::string with_system_message(const std::string& output, std::string_view text);

}  // namespace parley::claude
