// SPDX-License-Identifier: Apache-2.0
// What a hook is told, and the plan of what to ask or to take back because of it.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

#include "core/object_reader.h"
#include "core/profile.h"
#include "dialect/claude/ask_user_question.h"
#include "dialect/claude/hook_fields.h"
#include "dialect/limits.h"
#include "dialect/mcp/elicitation.h"
#include "dialect/mcp/tools.h"
#include "dialect/requested_form.h"
#include "text/limits.h"

namespace parley::claude {

namespace {

constexpr std::string_view kPostToolUse = "PostToolUse";
constexpr std::string_view kNotification = "Notification";

std::string text_field(const HookCall& call, std::string_view name) {
    return json::text_field(call.document, name);
}

// Whether the tool is one of Parley's own MCP server, which Claude Code knows by any name. It asks
// by itself: the hook would ask whether it may ask.
bool is_own_tool(std::string_view tool) {
    constexpr std::string_view kMcp = "mcp__";
    if (!tool.starts_with(kMcp)) return false;
    tool.remove_prefix(kMcp.size());
    if (tool.starts_with("parley__")) return true;
    const std::size_t mark = tool.rfind("__");
    if (mark == std::string_view::npos) return false;
    const std::string_view name = tool.substr(mark + 2);
    return name == mcp::kAskUser || name == mcp::kAskPerson || name == mcp::kWaitAnswer ||
           name == mcp::kNotifyUser;
}

// FNV-1a. It only tells apart the calls of one turn.
std::uint64_t fingerprint(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return hash;
}

// The same for a PermissionRequest and for the PostToolUse of the same call, whose input then has
// the answers in it.
std::string permission_key_start(const HookCall& call) {
    std::string text = call.prompt + '\n' + call.tool + '\n';
    const json::Value& input = field(call, "tool_input");
    if (const json::Object* fields = input.if_object()) {
        for (const auto& entry : *fields) {
            const std::string_view name = json::key_of(entry);
            if (call.tool == kAskTool && name != "questions") continue;
            text += std::string(name) + '=' + json::serialize(entry.value()) + '\n';
        }
    }
    return fmt::format("permission-{:016x}-", fingerprint(text));
}

// By the folder, and a few letters of the session's id for two that work in one.
std::string title_of(const HookCall& call) {
    constexpr std::size_t kTag = 4;
    const std::size_t slash = call.folder.find_last_of('/');
    const std::string_view last = slash == std::string::npos
                                      ? std::string_view()
                                      : std::string_view(call.folder).substr(slash + 1);
    const std::string place = last.empty() ? std::string() : fmt::format(" in {}", last);
    return fmt::format("Claude Code{} #{}", place, call.session.substr(0, kTag));
}

HookAsk start_ask(const HookCall& call, const HookRules& rules) {
    HookAsk ask{.request = {.spec = {.questions = {}}, .session = call.session},
                .session_title = title_of(call)};
    ask.request.spec.agent = "claude";
    ask.request.spec.timeout = rules.timeout;
    return ask;
}

Result<HookPlan> plan_question(const HookCall& call, const HookRules& rules,
                               std::string_view nonce) {
    HookAsk ask = start_ask(call, rules);
    TRY(questions, read_input(field(call, "tool_input"), kOpenProfile, {}, &ask.request.warnings));
    ask.request.spec.questions = std::move(questions);
    if (call.call_id.empty()) {
        ask.request.spec.key = permission_key_start(call) + std::string(nonce);
    } else {
        ask.request.spec.tool = ToolCall{call.prompt, call.call_id};
    }
    return ask;
}

Result<HookPlan> plan_permission(const HookCall& call, const HookRules& rules,
                                 std::string_view nonce) {
    HookAsk ask = start_ask(call, rules);
    fill_permission(ask.request.spec, wish_of(call));
    ask.request.spec.key = permission_key_start(call) + std::string(nonce);
    return ask;
}

Result<HookPlan> plan_form(const HookCall& call, const HookRules& rules, std::string_view nonce,
                           std::string_view complaint) {
    // An address to open is for the person at the terminal, and a form of our own server is an ask
    // already.
    if (text_field(call, "mode") == "url") return HookPlan();
    if (text_field(call, "mcp_server_name") == "parley" ||
        mcp::is_own_form(field(call, "requested_schema")))
        return HookPlan();
    HookAsk ask = start_ask(call, rules);
    const std::string message = text_field(call, "message");
    TRY(questions, elicitation::read_form(message, field(call, "requested_schema")));
    ask.request.spec.questions = std::move(questions);
    ask.request.spec.context =
        fmt::format("{}{}The MCP server {} asks: {}", complaint, complaint.empty() ? "" : "\n\n",
                    text_field(call, "mcp_server_name"), message);
    ask.request.spec.key = fmt::format("elicitation-{}", nonce);
    return ask;
}

Result<HookPlan> plan_notice(const HookCall& call) {
    std::string text = text_field(call, "message");
    if (text.empty()) return HookPlan();
    return HookNotice{
        .session = call.session,
        .notice = {.text = std::move(text)},
        .only_if_none_waits = text_field(call, "notification_type") == "permission_prompt"};
}

}  // namespace

bool takes_answers(std::string_view transcript_tail) {
    constexpr std::string_view kVersion = "\"version\":\"";
    // From this release on; some before it did too, and are told twice.
    constexpr std::array kFirst = {2, 1, 70};
    const std::size_t found = transcript_tail.rfind(kVersion);
    if (found == std::string_view::npos) return false;
    std::string_view rest = transcript_tail.substr(found + kVersion.size());
    std::array<int, 3> version = {};
    for (int& number : version) {
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
        if (error != std::errc()) return false;
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        if (rest.starts_with('.')) rest.remove_prefix(1);
    }
    return version >= kFirst;
}

Result<HookCall> read_hook_call(std::string_view text) {
    auto document = json::parse(
        text, {.bytes_max = limits::kChildLineBytes, .depth_max = limits::kClaudeJsonDepth});
    if (!document)
        return reject(ErrorCode::invalid, "the hook's input is not JSON: {}",
                      document.error().message);
    Faults faults;
    const json::Path root;
    const ObjectReader object(*document, root, faults, "the object that Claude Code gives a hook");
    HookCall call;
    call.event = object.required_string("hook_event_name");
    call.session = object.required_string("session_id");
    call.prompt = object.optional_string("prompt_id").value_or("");
    call.folder = object.optional_string("cwd").value_or("");
    call.transcript = object.optional_string("transcript_path").value_or("");
    call.tool = object.optional_string("tool_name").value_or("");
    call.call_id = object.optional_string("tool_use_id").value_or("");
    if (!faults.empty()) return std::move(faults).reject();
    call.document = std::move(*document);
    return call;
}

std::string take_document(HookCall& call) {
    std::string text;
    json::Writer out(text);
    out.begin_object();
    for (const std::string_view name : {"tool_input", "permission_suggestions", "requested_schema",
                                        "message", "mode", "mcp_server_name"})
        if (const json::Value& value = field(call, name); !value.is_null())
            out.key(name).value(value);
    out.end_object();
    call.document = nullptr;
    return text;
}

Result<void> put_back_document(HookCall& call, std::string_view text) {
    TRY(document, json::parse(text, {.bytes_max = limits::kChildLineBytes,
                                     .depth_max = limits::kClaudeJsonDepth}));
    call.document = std::move(document);
    return {};
}

Result<HookPlan> plan_hook(const HookCall& call, const HookRules& rules, std::string_view nonce,
                           std::string_view complaint) {
    if (is_own_tool(call.tool)) return HookPlan();
    if (call.event == kPreToolUse)
        return call.tool == kAskTool ? plan_question(call, rules, nonce) : HookPlan();
    if (call.event == kPermissionRequest)
        return call.tool == kAskTool ? plan_question(call, rules, nonce)
                                     : plan_permission(call, rules, nonce);
    if (call.event == kElicitation) return plan_form(call, rules, nonce, complaint);
    if (call.event == kNotification) return plan_notice(call);
    if (call.event == kPostToolUse)
        return HookWithdrawal{call.session, call.call_id, permission_key_start(call)};
    return HookPlan();
}

bool is_meant(const HookWithdrawal& withdrawal, const Ask& ask) {
    if (ask.spec->tool && ask.spec->tool->call_id == withdrawal.call_id) return true;
    return ask.spec->key && ask.spec->key->starts_with(withdrawal.key_start);
}

}  // namespace parley::claude
