// SPDX-License-Identifier: Apache-2.0
// What a hook prints once its ask is settled, or to put it off.
#include <utility>

#include "core/model_text.h"
#include "dialect/claude/ask_user_question.h"
#include "dialect/claude/hook_fields.h"
#include "dialect/requested_form.h"

namespace parley::claude {

namespace {

// {"hookSpecificOutput":{"hookEventName":…, and what `rest` writes.
template <class Rest>
std::string output(std::string_view event, Rest rest) {
    std::string text;
    json::Writer out(text);
    out.begin_object().key("hookSpecificOutput").begin_object().field("hookEventName", event);
    rest(out);
    out.end_object().end_object();
    return text;
}

std::string allow_answers(const HookCall& call, const HookRules& rules, const Ask& ask,
                          const Answers& answers) {
    const std::string input =
        updated_input(field(call, "tool_input"), ask.spec->questions, answers);
    if (call.event == kPermissionRequest) {
        return output(call.event, [&](json::Writer& out) {
            out.key("decision").begin_object().field("behavior", "allow");
            out.key("updatedInput").raw(input).end_object();
        });
    }
    return output(call.event, [&](json::Writer& out) {
        out.field("permissionDecision", "allow").key("updatedInput").raw(input);
        if (rules.adds_context) out.field("additionalContext", model_text(ask));
    });
}

std::string deny(const HookCall& call, const std::string& message) {
    if (call.event == kPermissionRequest) {
        return output(call.event, [&](json::Writer& out) {
            out.key("decision").begin_object().field("behavior", "deny");
            out.field("message", message).end_object();
        });
    }
    return output(call.event, [&](json::Writer& out) {
        out.field("permissionDecision", "deny").field("permissionDecisionReason", message);
    });
}

std::string permission_output(const HookCall& call, const Ask& ask) {
    const Permission permission = read_permission(ask);
    if (!permission.is_allowed) return deny(call, permission.message);
    return output(call.event, [&](json::Writer& out) {
        out.key("decision").begin_object().field("behavior", "allow");
        if (permission.lasts) out.key("updatedPermissions").raw(session_rules(wish_of(call)));
        out.end_object();
    });
}

Result<std::string> form_output(const HookCall& call, const HookRules& rules, const Ask& ask) {
    const bool declines =
        ask.state() == AskState::dismissed ||
        (ask.state() == AskState::timed_out && rules.on_timeout == OnTimeout::deny);
    if (declines)
        return output(call.event, [](json::Writer& out) { out.field("action", "decline"); });
    if (ask.state() != AskState::answered) return std::string();
    TRY(content, elicitation::form_content(field(call, "requested_schema"), ask.spec->questions,
                                           ask.settlement->answers));
    return output(call.event, [&](json::Writer& out) {
        out.field("action", "accept").key("content").raw(content);
    });
}

std::string timeout_output(const HookCall& call, const HookRules& rules, const Ask& ask) {
    switch (rules.on_timeout) {
        case OnTimeout::abstain: return {};
        case OnTimeout::deny: return deny(call, model_text(ask));
        case OnTimeout::empty:
            // Nobody's silence is a permission.
            return call.tool == kAskTool ? allow_answers(call, rules, ask, {}) : std::string();
    }
    return {};
}

}  // namespace

std::optional<OnTimeout> read_on_timeout(std::string_view name) {
    if (name == "abstain") return OnTimeout::abstain;
    if (name == "deny") return OnTimeout::deny;
    if (name == "empty") return OnTimeout::empty;
    return std::nullopt;
}

Result<std::string> hook_output(const HookCall& call, const HookRules& rules, const Ask& settled) {
    if (settled.state() == AskState::withdrawn) return std::string();
    if (call.event == kElicitation) return form_output(call, rules, settled);
    if (settled.state() == AskState::timed_out) return timeout_output(call, rules, settled);
    if (call.tool != kAskTool) return permission_output(call, settled);
    if (settled.state() == AskState::dismissed) return deny(call, model_text(settled));
    return allow_answers(call, rules, settled, settled.settlement->answers);
}

std::string defer_output() {
    return output(kPreToolUse, [](json::Writer& out) { out.field("permissionDecision", "defer"); });
}

bool is_deferred(const HookCall& call, const HookRules& rules) {
    return rules.defers && call.event == kPreToolUse;
}

std::string with_system_message(const std::string& output, std::string_view text) {
    std::string written;
    json::Writer out(written);
    out.begin_object().field("systemMessage", text).end_object();
    if (output.empty()) return written;
    // Both are objects with something in them: the end of one becomes the middle of both.
    written.back() = ',';
    return written.append(output, 1);
}

}  // namespace parley::claude
