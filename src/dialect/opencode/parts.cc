// SPDX-License-Identifier: Apache-2.0
#include "dialect/opencode/parts.h"

#include <fmt/format.h>

#include "core/permission.h"
#include "core/settle.h"
#include "dialect/opencode/questions.h"

namespace parley::opencode {

namespace {

constexpr std::string_view kModel = "parley";
constexpr std::string_view kNoInput = "{}";

std::string digits_of(IdBits bits) {
    const auto digits = id_digits(bits);
    return {digits.data(), digits.size()};
}

std::int64_t millis(Instant at) {
    return at.time_since_epoch().count();
}

void write_tokens(json::Writer& out) {
    out.begin_object().field_int("input", 0).field_int("output", 0).field_int("reasoning", 0);
    out.key("cache").begin_object().field_int("read", 0).field_int("write", 0);
    out.end_object().end_object();
}

void write_error(json::Writer& out, const MessageInfo& info) {
    out.begin_object().field("name", info.is_aborted ? "MessageAbortedError" : "UnknownError");
    out.key("data").begin_object().field("message", info.error).end_object().end_object();
}

// {id, sessionID, messageID, type: "tool", callID, tool, state}; `state` writes the last.
template <class F>
std::string tool_part(std::string_view id, SessionId session, const ToolCall& call,
                      std::string_view tool, F state) {
    std::string text;
    json::Writer out(text);
    out.begin_object().field("id", id).field("sessionID", session.str());
    out.field("messageID", call.message_id).field("type", "tool").field("callID", call.call_id);
    out.field("tool", tool).key("state").begin_object();
    state(out);
    out.end_object().end_object();
    return text;
}

void write_time(json::Writer& out, Instant start, std::optional<Instant> end) {
    out.key("time").begin_object().field_int("start", millis(start));
    if (end) out.field_int("end", millis(*end));
    out.end_object();
}

void write_ask_state(json::Writer& out, const Ask& ask) {
    const Settlement* settlement = ask.settlement.get();
    const bool is_answered = settlement != nullptr && settlement->outcome == Outcome::answered;
    out.field("status", settlement == nullptr ? "running" : is_answered ? "completed" : "error");
    out.key("input").begin_object();
    write_questions(out.key("questions"), ask.spec->questions);
    out.end_object();
    if (settlement == nullptr) return write_time(out, ask.created_at, std::nullopt);
    const auto& questions = ask.spec->questions;
    if (is_answered) {
        out.field("output", output_text(questions, settlement->answers));
        out.key("metadata").begin_object();
        write_answers(out.key("answers"), questions, settlement->answers);
        out.field_bool("truncated", false).end_object();
        out.field("title", title(questions.size()));
    } else {
        out.field("error", error_text(ask));
        if (settlement->outcome == Outcome::withdrawn)
            out.key("metadata").begin_object().field_bool("interrupted", true).end_object();
    }
    write_time(out, ask.created_at, settlement->at);
}

// A tool's input must be an object here; what is none is shown inside one.
void write_input(json::Writer& out, std::string_view json) {
    out.key("input");
    if (json.starts_with('{')) {
        out.raw(json);
    } else if (json.empty()) {
        out.raw(kNoInput);
    } else {
        out.begin_object().key("value").raw(json).end_object();
    }
}

// Their outputs are texts: a JSON string is its text, all else stays JSON.
std::string output_of(std::string_view json) {
    if (json.starts_with('"')) {
        if (const auto value = json::parse(json); value && value->is_string())
            return std::string(value->get_string());
    }
    return std::string(json);
}

std::string_view tool_of(const Part& part, const Call* call) {
    return part.tool.empty() && call != nullptr ? call->input->tool : part.tool;
}

void write_agent_state(json::Writer& out, const Part& part, Instant at, const Call* call) {
    switch (part.kind) {
        case Part::Kind::tool_input:
            out.field("status", "running");
            write_input(out, part.body);
            return write_time(out, at, std::nullopt);
        case Part::Kind::tool_input_error:
            out.field("status", "error");
            write_input(out, {});
            out.field("error", output_of(part.body));
            return write_time(out, at, at);
        default: break;
    }
    out.field("status", part.is_error ? "error" : "completed");
    write_input(out, call == nullptr ? std::string_view() : call->input->body);
    out.field(part.is_error ? "error" : "output", output_of(part.body));
    if (!part.is_error) out.field("title", tool_of(part, call)).key("metadata").raw(kNoInput);
    write_time(out, call == nullptr ? at : call->at, at);
}

std::string text_part(std::string_view id, SessionId session, std::string_view message,
                      std::string_view text) {
    std::string part;
    json::Writer out(part);
    out.begin_object().field("id", id).field("sessionID", session.str());
    out.field("messageID", message).field("type", "text").field("text", text).end_object();
    return part;
}

}  // namespace

ToolCall shown_call(const Ask& ask) {
    const std::string digits = digits_of(ask.id.bits());
    ToolCall call{.message_id = "msg_" + digits, .call_id = "call_" + digits};
    if (!ask.spec->tool) return call;
    if (!ask.spec->tool->call_id.empty()) call.call_id = ask.spec->tool->call_id;
    // Their clients look for messages by ids of this form.
    if (ask.spec->tool->message_id.starts_with("msg")) call.message_id = ask.spec->tool->message_id;
    return call;
}

std::string part_id(const PartPlace& place) {
    return fmt::format("prt_{}{:05}", digits_of(place.message.bits()), place.index);
}

Instant time_of(MessageId message) {
    return Instant(Millis(static_cast<std::int64_t>(message.bits().high >> 16U)));
}

MessageInfo info_of(const Ask& ask) {
    MessageInfo info{.id = shown_call(ask).message_id,
                     .session = ask.session.str(),
                     .created = ask.created_at,
                     .agent = ask.spec->agent.value_or(std::string())};
    if (!ask.settlement) return info;
    info.completed = ask.settlement->at;
    info.finish = "tool-calls";
    if (withdrawal_rule(*ask.settlement) == WithdrawalRule::turn_stopped) {
        info.error = "Aborted";
        info.is_aborted = true;
    }
    return info;
}

MessageInfo info_of(SessionId session, MessageId message) {
    return {.id = message.str(), .session = session.str(), .created = time_of(message)};
}

MessageInfo info_of(SessionId session, const MessageAdded& message, Instant at) {
    return {.id = message.id.str(), .session = session.str(), .is_user = true, .created = at};
}

void write_info(json::Writer& out, const MessageInfo& info, const Scene& scene) {
    std::string_view agent = info.agent;
    if (agent.empty() && scene.session != nullptr && scene.session->agent)
        agent = *scene.session->agent;
    if (agent.empty()) agent = kModel;
    out.begin_object().field("id", info.id).field("sessionID", info.session);
    out.field("role", info.is_user ? "user" : "assistant");
    out.key("time").begin_object().field_int("created", millis(info.created));
    if (info.completed) out.field_int("completed", millis(*info.completed));
    out.end_object();
    if (info.is_user) {
        out.field("agent", agent).key("model").begin_object().field("providerID", kModel);
        out.field("modelID", kModel).end_object().end_object();
        return;
    }
    if (!info.error.empty()) write_error(out.key("error"), info);
    const std::string_view directory = directory_of(scene.session, scene);
    out.field("parentID", info.parent).field("modelID", kModel).field("providerID", kModel);
    out.field("mode", agent).field("agent", agent).key("path").begin_object();
    out.field("cwd", directory).field("root", directory).end_object().field_int("cost", 0);
    write_tokens(out.key("tokens"));
    if (!info.finish.empty()) out.field("finish", info.finish);
    out.end_object();
}

std::string ask_part(const Ask& ask, AskPart form) {
    const std::string id = "prt_" + digits_of(ask.id.bits());
    const std::string_view tool = permission::has_usual_options(ask) ? "permission" : "question";
    return tool_part(id, ask.session, shown_call(ask), tool, [&](json::Writer& out) {
        if (form == AskPart::current) return write_ask_state(out, ask);
        out.field("status", "pending").key("input").raw(kNoInput).field("raw", "");
    });
}

std::string agent_part(SessionId session, const Part& part, Instant at, const Call* call) {
    const std::string id = part_id(part.place);
    const std::string message = part.place.message.str();
    if (part.kind == Part::Kind::text) return text_part(id, session, message, part.body);
    return tool_part(id, session, {.message_id = message, .call_id = part.part_id},
                     tool_of(part, call),
                     [&](json::Writer& out) { write_agent_state(out, part, at, call); });
}

std::string unfinished_part(const PartDelta& delta) {
    const std::string id = part_id(delta.place);
    const std::string message = delta.place.message.str();
    if (delta.kind == PartDelta::Kind::text)
        return text_part(id, delta.session, message, delta.text);
    return tool_part(id, delta.session, {.message_id = message, .call_id = delta.part_id},
                     delta.tool, [&](json::Writer& out) {
                         out.field("status", "pending").key("input").raw(kNoInput);
                         out.field("raw", delta.text);
                     });
}

std::string user_part(SessionId session, const MessageAdded& message) {
    return text_part("prt_" + digits_of(message.id.bits()), session, message.id.str(),
                     message.text);
}

}  // namespace parley::opencode
