// SPDX-License-Identifier: Apache-2.0
#include "dialect/opencode/server_events.h"

#include <algorithm>

#include "core/json_fields.h"
#include "dialect/limits.h"

namespace parley::opencode {

namespace {

using json::field;
using json::text_field;

// Where sessions that we make keep whose they are.
constexpr std::string_view kDriverMember = "parley";
// Where parts that we say have a mark by which they are found again.
constexpr std::string_view kMarkMember = "parley";
constexpr std::string_view kStackLead = "\n    at ";
constexpr std::string_view kAborted = "MessageAbortedError";

}  // namespace

Result<ServerEvent> read_server_event(std::string_view data) {
    TRY(document, json::parse(data, {.bytes_max = limits::kOpencodeEventBytes,
                                     .depth_max = limits::kOpencodeJsonDepth}));
    const json::Value& payload = field(document, "payload");
    return ServerEvent{.directory = text_field(document, "directory"),
                       .type = text_field(payload, "type"),
                       .properties = field(payload, "properties")};
}

SessionFacts read_session_facts(const json::Value& info) {
    return {.id = text_field(info, "id"),
            .title = text_field(info, "title"),
            .directory = text_field(info, "directory"),
            .parent = text_field(info, "parentID"),
            .agent = text_field(info, "agent"),
            .driver = text_field(field(info, "metadata"), kDriverMember)};
}

std::vector<SessionFacts> read_session_list(const json::Value& list) {
    std::vector<SessionFacts> sessions;
    if (const json::Array* entries = list.if_array())
        for (const json::Value& info : *entries) sessions.push_back(read_session_facts(info));
    return sessions;
}

std::vector<std::string> read_busy(const json::Value& status) {
    std::vector<std::string> busy;
    if (const json::Object* sessions = status.if_object())
        for (const auto& entry : *sessions)
            if (text_field(entry.value(), "type") != "idle") busy.emplace_back(json::key_of(entry));
    return busy;
}

std::optional<SessionStatus> read_status(const ServerEvent& event) {
    if (event.type != "session.status") return std::nullopt;
    const json::Value& status = field(event.properties, "status");
    const std::string type = text_field(status, "type");
    SessionStatus read{.is_busy = type != "idle"};
    if (type == "retry") {
        read.retry = text_field(status, "message");
        if (read.retry.empty()) read.retry = "its model did not answer";
    }
    return read;
}

TurnError read_error(const json::Value& properties) {
    const json::Value& error = field(properties, "error");
    const std::string name = text_field(error, "name");
    std::string text = text_field(field(error, "data"), "message");
    // Its own places in the code are of no use to anybody here.
    text.resize(std::min(text.size(), text.find(kStackLead)));
    if (text.empty()) text = name.empty() ? "it says no more" : name;
    return {.text = std::move(text), .is_stop = name == kAborted};
}

std::vector<std::string> read_agents(const json::Value& list) {
    std::vector<std::string> names;
    if (const json::Array* agents = list.if_array())
        for (const json::Value& agent : *agents)
            if (text_field(agent, "mode") != "subagent" && !json::is_true(agent, "hidden"))
                names.push_back(text_field(agent, "name"));
    return names;
}

std::string refusal_text(std::string_view body) {
    const auto document = json::parse(body);
    if (!document) return {};
    std::string text = text_field(field(*document, "data"), "message");
    if (text.empty()) text = text_field(*document, "message");
    return text;
}

std::string new_session_body(std::string_view title, std::string_view driver) {
    std::string text;
    json::Writer out(text);
    out.begin_object();
    if (!title.empty()) out.field("title", title);
    out.key("metadata").begin_object().field(kDriverMember, driver).end_object();
    out.end_object();
    return text;
}

std::string prompt_body(const std::vector<std::string>& texts, const PromptChoice& choice,
                        std::string_view mark) {
    std::string text;
    json::Writer out(text);
    out.begin_object().key("parts").begin_array();
    for (const std::string& each : texts) {
        out.begin_object().field("type", "text").field("text", each);
        if (!mark.empty()) out.key("metadata").begin_object().field(kMarkMember, mark).end_object();
        out.end_object();
    }
    out.end_array();
    if (const std::size_t slash = choice.model.find('/'); slash != std::string::npos) {
        out.key("model").begin_object().field("providerID", choice.model.substr(0, slash));
        out.field("modelID", choice.model.substr(slash + 1)).end_object();
    }
    if (!choice.agent.empty()) out.field("agent", choice.agent);
    out.end_object();
    return text;
}

bool has_marked(const json::Value& messages, std::string_view mark) {
    const json::Array* list = messages.if_array();
    if (list == nullptr) return false;
    const auto is_marked = [&](const json::Value& part) {
        return text_field(field(part, "metadata"), kMarkMember) == mark;
    };
    return std::ranges::any_of(*list, [&](const json::Value& message) {
        const json::Array* parts = json::list_field(message, "parts");
        return parts != nullptr && std::ranges::any_of(*parts, is_marked);
    });
}

}  // namespace parley::opencode
