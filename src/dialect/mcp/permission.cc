// SPDX-License-Identifier: Apache-2.0
#include "dialect/mcp/permission.h"

#include <utility>

#include "core/model_text.h"
#include "core/questions.h"
#include "dialect/claude/ask_user_question.h"
#include "dialect/mcp/client.h"
#include "dialect/mcp/tools.h"
#include "text/limits.h"

namespace parley::mcp {

namespace {

bool is_question(const PermissionCall& call) {
    return call.wish.tool == claude::kAskTool;
}

// What Claude Code takes; the message of a denial is told to its model.
struct Ruling {
    bool is_allowed = false;
    std::string input = {};    // JSON, when allowed
    std::string rules = {};    // JSON, when it holds for the session
    std::string message = {};  // when denied
};

Ruling ruling_of(const PermissionCall& call, const Ask& settled) {
    if (is_question(call)) {
        if (settled.state() != AskState::answered) return {.message = model_text(settled)};
        return {.is_allowed = true,
                .input = claude::updated_input(call.wish.input, settled.spec->questions,
                                               settled.settlement->answers)};
    }
    const claude::Permission permission = claude::read_permission(settled);
    if (!permission.is_allowed) return {.message = permission.message};
    return {.is_allowed = true,
            .input = json::serialize(call.wish.input),
            .rules = permission.lasts ? claude::session_rules(call.wish) : std::string()};
}

void write_ruling(json::Writer& out, const Ruling& ruling) {
    out.field("behavior", ruling.is_allowed ? "allow" : "deny");
    if (!ruling.is_allowed) {
        out.field("message", ruling.message);
        return;
    }
    out.key("updatedInput").raw(ruling.input);
    if (!ruling.rules.empty()) out.key("updatedPermissions").raw(ruling.rules);
}

}  // namespace

std::optional<PermissionCall> read_permission_call(const json::Value& arguments) {
    const auto tool = text_member(arguments, "tool_name");
    const json::Value* input = member(arguments, "input");
    if (!tool || tool->empty() || input == nullptr) return std::nullopt;
    PermissionCall call;
    call.wish.tool = *tool;
    call.wish.input = *input;
    call.call_id = text_member(arguments, "tool_use_id").value_or("");
    return call;
}

std::string permission_text(const PermissionCall& call) {
    std::string text;
    json::Writer out(text);
    out.begin_object().field("tool_name", call.wish.tool).key("input").value(call.wish.input);
    out.field("tool_use_id", call.call_id).end_object();
    return text;
}

Result<PermissionCall> read_permission_text(std::string_view text) {
    TRY(arguments, json::parse(text, {.depth_max = limits::kJsonDepthMax}));
    return read_permission_call(arguments).value_or(PermissionCall());
}

Result<AskSpec> permission_spec(const PermissionCall& call, std::vector<Fault>* warnings) {
    AskSpec spec;
    if (is_question(call)) {
        TRY(questions, claude::read_input(call.wish.input, kStrictProfile, {}, warnings));
        spec.questions = std::move(questions);
    } else {
        claude::fill_permission(spec, call.wish);
    }
    if (!call.call_id.empty()) spec.tool = ToolCall{.message_id = {}, .call_id = call.call_id};
    return check_spec(std::move(spec), kStrictProfile);
}

void write_permission_result(json::Writer& out, const PermissionCall& call, const Ask& settled) {
    const Ruling ruling = ruling_of(call, settled);
    std::string text;
    json::Writer inner(text);
    inner.begin_object();
    write_ruling(inner, ruling);
    inner.end_object();
    // Text alone: a structured result is what Claude Code would take instead, and not understand.
    write_text_result(out, text);
}

}  // namespace parley::mcp
