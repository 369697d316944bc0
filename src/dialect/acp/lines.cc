// SPDX-License-Identifier: Apache-2.0
#include "dialect/acp/lines.h"

#include <algorithm>
#include <utility>

#include "core/json_fields.h"
#include "dialect/limits.h"
#include "text/limits.h"

namespace parley::acp {

namespace {

void begin_line(json::Writer& out) {
    out.begin_object().field("jsonrpc", "2.0");
}

template <class Params>
std::string request_line(std::int64_t id, std::string_view method, Params params) {
    std::string text;
    json::Writer out(text);
    begin_line(out);
    out.field_int("id", id).field("method", method).key("params").begin_object();
    params(out);
    out.end_object().end_object();
    return text + '\n';
}

template <class Params>
std::string notification_line(std::string_view method, Params params) {
    std::string text;
    json::Writer out(text);
    begin_line(out);
    out.field("method", method).key("params").begin_object();
    params(out);
    out.end_object().end_object();
    return text + '\n';
}

void write_server(json::Writer& out, const McpServer& server) {
    out.begin_object().field("name", server.name).field("command", server.command.front());
    out.key("args").begin_array();
    for (std::size_t i = 1; i < server.command.size(); ++i) out.string(server.command[i]);
    out.end_array().key("env").begin_array();
    for (const std::string& variable : server.variables) {
        const std::string_view text = variable;
        const std::size_t mark = std::min(text.find('='), text.size());
        out.begin_object().field("name", text.substr(0, mark));
        out.field("value", text.substr(std::min(mark + 1, text.size()))).end_object();
    }
    out.end_array().end_object();
}

void write_place(json::Writer& out, const SessionPlace& place) {
    out.field("cwd", place.folder).key("mcpServers").begin_array();
    for (const McpServer& server : place.servers) write_server(out, server);
    out.end_array();
}

// Choices stand by themselves or in groups.
void add_values(const json::Array* options, std::vector<std::string>& values) {
    for (const json::Value& option : options != nullptr ? *options : json::Array()) {
        if (const json::Array* group = json::list_field(option, "options")) {
            for (const json::Value& each : *group)
                values.push_back(json::text_field(each, "value"));
        } else {
            values.push_back(json::text_field(option, "value"));
        }
    }
}

Line read_request(const json::Value& line, std::string method) {
    const json::Value& params = json::field(line, "params");
    Request request{json::serialize(json::field(line, "id")), UnknownWish{}};
    if (method == "session/request_permission") {
        request.wish = read_permission_wish(params);
    } else if (method == "elicitation/create") {
        request.wish = read_form_wish(params);
    } else {
        request.wish = UnknownWish{std::move(method)};
    }
    return request;
}

Line read_notification(const json::Value& line, std::string_view method) {
    const json::Value& params = json::field(line, "params");
    if (method == "session/update")
        return Update{json::text_field(params, "sessionId"), json::field(params, "update")};
    if (method == "$/cancel_request")
        return RequestCancelled{json::serialize(json::field(params, "requestId"))};
    if (method == "elicitation/complete")
        return FormCompleted{json::text_field(params, "elicitationId")};
    return Noise{};
}

Line read_reply(const json::Value& line) {
    const json::Value& id = json::field(line, "id");
    if (!id.is_int64()) return Noise{};
    Reply reply{.id = id.get_int64(), .result = json::field(line, "result")};
    const json::Value& error = json::field(line, "error");
    if (!error.is_object()) return reply;
    const json::Value& code = json::field(error, "code");
    reply.code = code.is_int64() ? code.get_int64() : 0;
    reply.error = json::text_field(error, "message");
    // Where the words say nothing, what stands beside them may.
    const json::Value& data = json::field(error, "data");
    if (!data.is_null())
        reply.error +=
            (reply.error.empty() ? "" : ": ") +
            (data.is_string() ? std::string(view_of(data.get_string())) : json::serialize(data));
    return reply;
}

}  // namespace

std::string initialize_line(std::int64_t id, std::string_view version) {
    return request_line(id, "initialize", [&](json::Writer& out) {
        out.field_int("protocolVersion", 1).key("clientCapabilities").begin_object();
        out.key("fs").begin_object().field_bool("readTextFile", false);
        out.field_bool("writeTextFile", false).end_object().field_bool("terminal", false);
        out.key("elicitation").begin_object().key("form").begin_object().end_object();
        out.key("url").begin_object().end_object().end_object().end_object();
        out.key("clientInfo").begin_object().field("name", "parley").field("title", "Parley");
        out.field("version", version).end_object();
    });
}

std::string new_session_line(std::int64_t id, const SessionPlace& place) {
    return request_line(id, "session/new", [&](json::Writer& out) { write_place(out, place); });
}

std::string known_session_line(std::int64_t id, std::string_view method, std::string_view session,
                               const SessionPlace& place) {
    return request_line(id, method, [&](json::Writer& out) {
        out.field("sessionId", session);
        write_place(out, place);
    });
}

std::string prompt_line(std::int64_t id, std::string_view session,
                        std::span<const std::string> texts) {
    return request_line(id, "session/prompt", [&](json::Writer& out) {
        out.field("sessionId", session).key("prompt").begin_array();
        for (const std::string& text : texts)
            out.begin_object().field("type", "text").field("text", text).end_object();
        out.end_array();
    });
}

Modes read_modes(const json::Value& told) {
    Modes modes;
    if (const json::Value& own = json::field(told, "modes"); own.is_object()) {
        modes.current = json::text_field(own, "currentModeId");
        if (const json::Array* offered = json::list_field(own, "availableModes"))
            for (const json::Value& mode : *offered)
                modes.known.push_back(json::text_field(mode, "id"));
        return modes;
    }
    if (std::string mode = json::text_field(told, "currentModeId"); !mode.empty())
        modes.current = std::move(mode);
    if (const json::Array* options = json::list_field(told, "configOptions"))
        for (const json::Value& option : *options) {
            if (json::text_field(option, "category") != "mode") continue;
            modes.option = json::text_field(option, "id");
            modes.current = json::text_field(option, "currentValue");
            add_values(json::list_field(option, "options"), modes.known);
            break;
        }
    return modes;
}

const std::string* find_mode(const Modes& modes, std::string_view wanted) {
    for (const std::string& mode : modes.known)
        if (mode == wanted || mode.substr(mode.rfind('#') + 1) == wanted) return &mode;
    return nullptr;
}

std::string mode_line(std::int64_t id, std::string_view session, const Modes& modes,
                      std::string_view mode) {
    const bool is_option = !modes.option.empty();
    return request_line(id, is_option ? "session/set_config_option" : "session/set_mode",
                        [&](json::Writer& out) {
                            out.field("sessionId", session);
                            if (is_option) out.field("configId", modes.option).field("value", mode);
                            if (!is_option) out.field("modeId", mode);
                        });
}

std::string cancel_line(std::string_view session) {
    return notification_line("session/cancel",
                             [&](json::Writer& out) { out.field("sessionId", session); });
}

std::string reply_line(std::string_view request, std::string_view result) {
    std::string text;
    json::Writer out(text);
    begin_line(out);
    out.key("id").raw(request).key("result").raw(result).end_object();
    return text + '\n';
}

std::string refusal_line(std::string_view request, std::int64_t code, std::string_view message) {
    std::string text;
    json::Writer out(text);
    begin_line(out);
    out.key("id").raw(request).key("error").begin_object().field_int("code", code);
    out.field("message", message).end_object().end_object();
    return text + '\n';
}

std::string cancel_request_line(std::string_view request) {
    return notification_line("$/cancel_request",
                             [&](json::Writer& out) { out.key("requestId").raw(request); });
}

AgentFacts read_facts(const json::Value& initialized) {
    const json::Value& info = json::field(initialized, "agentInfo");
    const json::Value& can = json::field(initialized, "agentCapabilities");
    AgentFacts facts{.title = json::text_field(info, "title"),
                     .version = json::text_field(info, "version"),
                     .can_load = json::is_true(can, "loadSession")};
    if (facts.title.empty()) facts.title = json::text_field(info, "name");
    const std::string name = json::text_field(info, "name");
    facts.keeps_by_minute = name == "gemini-cli";
    facts.titles_are_names = name == "OpenCode";
    facts.can_resume = json::field(json::field(can, "sessionCapabilities"), "resume").is_object();
    return facts;
}

std::string stop_reason(const json::Value& prompted) {
    return json::text_field(prompted, "stopReason");
}

Result<json::Value> parse_line(std::string_view line) {
    TRY(value, json::parse(line, {.bytes_max = limits::kChildLineBytes,
                                  .depth_max = limits::kAcpJsonDepth}));
    if (!value.is_object()) return reject(ErrorCode::invalid, "a line is not a JSON object");
    return value;
}

Line line_of(const json::Value& parsed) {
    std::string method = json::text_field(parsed, "method");
    const bool has_id = parsed.get_object().contains("id");
    if (method.empty()) return has_id ? read_reply(parsed) : Line(Noise{});
    if (has_id) return read_request(parsed, std::move(method));
    return read_notification(parsed, method);
}

Result<Line> read_line(std::string_view line) {
    return parse_line(line).map(line_of);
}

Envelope envelope_of(const json::Value& parsed) {
    Envelope envelope{.method = json::text_field(parsed, "method"),
                      .params = json::field(parsed, "params"),
                      .result = json::field(parsed, "result"),
                      .is_refusal = parsed.get_object().contains("error")};
    if (parsed.get_object().contains("id"))
        envelope.id = json::serialize(json::field(parsed, "id"));
    return envelope;
}

}  // namespace parley::acp
