// SPDX-License-Identifier: Apache-2.0
#include "dialect/claude/control.h"

#include <fmt/format.h>

#include <utility>

#include "core/json_fields.h"
#include "dialect/limits.h"
#include "text/limits.h"

namespace parley::claude {

namespace {

// {"type":"control_request","request_id":…,"request":{"subtype":…, and what `rest` writes.
template <class Rest>
std::string request_line(std::string_view id, std::string_view subtype, Rest rest) {
    std::string text;
    json::Writer out(text);
    out.begin_object().field("type", "control_request").field("request_id", id);
    out.key("request").begin_object().field("subtype", subtype);
    rest(out);
    out.end_object().end_object();
    return text + '\n';
}

// Everything that the CLI says about a request, in its own words.
std::string words_of(const json::Value& request) {
    std::string words;
    for (const std::string_view name : {"title", "description", "decision_reason"}) {
        const std::string text = json::text_field(request, name);
        if (text.empty()) continue;
        if (!words.empty()) words += "\n\n";
        words += text;
    }
    return words;
}

ControlRequest read_request(const json::Value& line) {
    const json::Value& request = json::field(line, "request");
    const std::string subtype = json::text_field(request, "subtype");
    ControlRequest read{json::text_field(line, "request_id"), UnknownWish{subtype}};
    if (subtype == "can_use_tool") {
        read.wish = ToolWish{{.tool = json::text_field(request, "tool_name"),
                              .input = json::field(request, "input"),
                              .suggestions = json::field(request, "permission_suggestions"),
                              .why = words_of(request),
                              .may_last = !json::is_true(request, "suppress_always_allow_rule")},
                             json::text_field(request, "tool_use_id")};
    } else if (subtype == "hook_callback") {
        read.wish =
            CallbackWish{json::text_field(request, "callback_id"), json::field(request, "input")};
    } else if (subtype == "elicitation") {
        read.wish =
            FormWish{json::text_field(request, "mcp_server_name"),
                     json::text_field(request, "message"), json::text_field(request, "mode"),
                     json::text_field(request, "url"), json::field(request, "requested_schema")};
    }
    return read;
}

TurnEnded read_result(const json::Value& line) {
    TurnEnded ended{.is_error = json::is_true(line, "is_error")};
    const std::string reason = json::text_field(line, "terminal_reason");
    ended.is_interrupted = reason.starts_with("aborted");
    ended.result = json::text_field(line, "result");
    if (!ended.is_error) return ended;
    ended.why = ended.result;
    if (const json::Array* errors = json::list_field(line, "errors"))
        for (const json::Value& error : *errors)
            if (error.is_string())
                ended.why +=
                    (ended.why.empty() ? "" : "; ") + std::string(view_of(error.get_string()));
    if (ended.why.empty()) ended.why = json::text_field(line, "subtype");
    return ended;
}

}  // namespace

std::string initialize_line(std::string_view request_id) {
    return request_line(request_id, "initialize", [](json::Writer& out) {
        out.key("hooks").begin_object().key("Notification").begin_array().begin_object();
        out.key("hookCallbackIds").begin_array().string(kNotificationCallback).end_array();
        out.end_object().end_array().end_object();
    });
}

std::string user_line(std::string_view text, std::string_view id) {
    std::string line;
    json::Writer out(line);
    out.begin_object().field("type", "user").key("message").begin_object();
    out.field("role", "user").field("content", text).end_object();
    out.key("parent_tool_use_id").null().field("session_id", "").field("uuid", id).end_object();
    return line + '\n';
}

std::string interrupt_line(std::string_view request_id) {
    return request_line(request_id, "interrupt", [](json::Writer&) {});
}

std::string reply_line(std::string_view request_id, std::string_view response) {
    std::string line;
    json::Writer out(line);
    out.begin_object().field("type", "control_response").key("response").begin_object();
    out.field("subtype", "success").field("request_id", request_id);
    out.key("response").raw(response).end_object().end_object();
    return line + '\n';
}

std::string refusal_line(std::string_view request_id, std::string_view error) {
    std::string line;
    json::Writer out(line);
    out.begin_object().field("type", "control_response").key("response").begin_object();
    out.field("subtype", "error").field("request_id", request_id);
    out.field("error", error).end_object().end_object();
    return line + '\n';
}

std::string allow_response(std::string_view updated_input, std::string_view updated_permissions) {
    std::string text;
    json::Writer out(text);
    out.begin_object().field("behavior", "allow").key("updatedInput").raw(updated_input);
    if (!updated_permissions.empty()) out.key("updatedPermissions").raw(updated_permissions);
    out.end_object();
    return text;
}

std::string deny_response(std::string_view message, bool interrupts) {
    std::string text;
    json::Writer out(text);
    out.begin_object().field("behavior", "deny").field("message", message);
    if (interrupts) out.field_bool("interrupt", true);
    out.end_object();
    return text;
}

Result<CliLine> read_cli_line(std::string_view line) {
    TRY(value, json::parse(line, {.bytes_max = limits::kChildLineBytes,
                                  .depth_max = limits::kClaudeJsonDepth}));
    if (!value.is_object()) return reject(ErrorCode::invalid, "a line is not a JSON object");
    const std::string type = json::text_field(value, "type");
    if (type == "control_request") return read_request(value);
    if (type == "control_cancel_request")
        return ControlCancel{json::text_field(value, "request_id")};
    if (type == "control_response") {
        const json::Value& response = json::field(value, "response");
        ControlReply reply{json::text_field(response, "request_id"), {}};
        if (json::text_field(response, "subtype") == "error") {
            reply.error = json::text_field(response, "error");
            if (reply.error.empty()) reply.error = "refused";
        }
        return reply;
    }
    if (type == "system" && json::text_field(value, "subtype") == "init")
        return SessionBegan{json::text_field(value, "session_id"),
                            json::text_field(value, "claude_code_version")};
    if (type == "result") return read_result(value);
    if (type == "user" && json::is_true(value, "isReplay"))
        return Heard{json::text_field(value, "uuid")};
    if (type == "assistant" || type == "user" || type == "stream_event")
        return ShownTurn{std::move(value)};
    return Noise{};
}

}  // namespace parley::claude
