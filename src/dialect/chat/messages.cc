// SPDX-License-Identifier: Apache-2.0
#include "dialect/chat/messages.h"

#include <fmt/format.h>

#include "core/object_reader.h"
#include "core/permission.h"
#include "core/text_rules.h"
#include "core/value_json.h"
#include "dialect/claude/ask_user_question.h"
#include "dialect/native/server.h"
#include "text/json_object.h"
#include "text/time_text.h"

namespace parley::chat {

namespace {

// {"type": …, …}; `fill` adds the rest.
template <class Fill>
std::string message(std::string_view type, Fill fill) {
    return json::typed_object_text(type, fill);
}

void write_question_id(json::Writer& out, std::string_view id) {
    out.field("question_id", id).field("questionId", id);
}

void write_cursor(json::Writer& out, std::optional<Cursor> cursor) {
    if (cursor) out.field("cursor", native::cursor_text(*cursor));
}

void write_time_or_null(json::Writer& out, const json::Key& name, std::optional<Instant> at) {
    if (at) {
        write_time(out, name, *at);
    } else {
        out.key(name).null();
    }
}

std::string_view decided_by(const Decider& decider) {
    if (decider.name) return *decider.name;
    if (decider.kind == Decider::Kind::timer || decider.principal.empty())
        return to_string(decider.kind);
    return decider.principal;
}

void write_settlement_fields(json::Writer& out, const Settlement& settlement) {
    out.field("outcome", to_string(settlement.outcome))
        .field("by", decided_by(settlement.decider))
        .field("door", settlement.door);
    write_time(out, "at", settlement.at);
    write_optional(out, "note", settlement.note);
}

std::string_view to_string(Stage stage) {
    switch (stage) {
        case Stage::thinking: return "thinking";
        case Stage::generating: return "generating";
        case Stage::waiting: return "waiting";
        case Stage::done: return "done";
    }
    return "done";
}

Stage stage_of(const Status& status) {
    if (status.pending) return Stage::waiting;
    if (status.activity == Activity::idle) return Stage::done;
    return status.has_written ? Stage::generating : Stage::thinking;
}

// A message of the right type whose content is wrong says of which type it is.
Rejection refuse(std::string_view type, Faults faults) {
    Error error = std::move(faults).reject().value();
    error.message = fmt::format("Invalid {}: {}", type, error.message);
    return reject(std::move(error));
}

Result<ClientMessage> read_response(const json::Value& data, const json::Path& at) {
    Faults faults;
    const ObjectReader object(data, at, faults, "an object with \"question_id\" and \"answers\"");
    Response response;
    auto id = object.optional_string("question_id");
    if (!id) id = object.optional_string("questionId");
    if (object.is_object() && !id) faults.add(at / "question_id", "\"question_id\" is missing");
    response.question_id = std::move(id).value_or(std::string());
    response.is_cancelled = object.optional_bool("cancelled").value_or(false);
    response.reason = object.optional_string("reason");
    response.answers = json::Object();
    if (const json::Value* answers = object.find("answers")) {
        if (!answers->is_object()) {
            faults.add(at / "answers",
                       expected_message("an object with the question texts as its keys", *answers));
        }
        response.answers = *answers;
    }
    if (!faults.empty()) return refuse("ask_user_response", std::move(faults));
    return response;
}

Result<ClientMessage> read_user_message(const json::Value& data, const json::Path& at) {
    Faults faults;
    const ObjectReader object(data, at, faults, "an object with \"message\"");
    UserMessage said{object.required_string("message")};
    if (faults.empty() && said.text.empty()) faults.add(at / "message", "the message is empty");
    if (!faults.empty()) return refuse("user_message", std::move(faults));
    return said;
}

}  // namespace

Result<ClientMessage> read_message(std::string_view text) {
    const auto document = json::parse(text);
    if (!document)
        return reject(ErrorCode::invalid, "Invalid message format: {}", document.error().message);
    Faults faults;
    const json::Path root;
    const ObjectReader object(*document, root, faults, "an object with \"type\"");
    const std::string type = object.required_string("type");
    if (!faults.empty()) return refuse("message format", std::move(faults));
    const json::Value none = json::Object();
    const json::Value* data = object.find("data");
    const json::Path at = root / "data";
    if (type == "ask_user_response") return read_response(data ? *data : none, at);
    if (type == "user_message") return read_user_message(data ? *data : none, at);
    if (type == "interrupt") return Interrupt{};
    return reject(ErrorCode::invalid,
                  "Unknown message type {}; this socket takes ask_user_response, user_message and "
                  "interrupt",
                  quoted_excerpt(type));
}

Result<Answers> read_answers(const std::vector<Question>& questions, const json::Value& answers) {
    Faults faults;
    const json::Path root;
    const json::Path data = root / "data";
    Answers read =
        claude::read_answers(questions, answers, JoinStyle::plain, data / "answers", faults);
    if (!faults.empty()) return refuse("ask_user_response", std::move(faults));
    return read;
}

std::string connected(const Connected& connected) {
    return message("connected", [&](json::Writer& out) {
        out.field("connection_id", connected.connection)
            .field("connectionId", connected.connection)
            .field("session_id", connected.session)
            .field("sessionId", connected.session)
            .field("session", connected.id.str())
            .field_bool("observe", connected.is_observer);
    });
}

std::string session_status(const Status& status) {
    return message("session_status", [&](json::Writer& out) {
        const bool is_waiting = status.pending.has_value();
        out.field("session_id", status.session)
            .field_bool("is_processing", status.activity == Activity::working && !is_waiting)
            .field_bool("waiting_for_user", is_waiting);
        out.key("pending_question_id");
        if (status.pending) {
            out.string(status.pending->str());
        } else {
            out.null();
        }
        out.key("pending_count").number(std::uint64_t{status.pending_count});
        out.field("status", to_string(stage_of(status)));
        out.key("last_event_type");
        if (status.last_event.empty()) {
            out.null();
        } else {
            out.string(status.last_event);
        }
        out.key("buffered_count").number(std::uint64_t{status.pending_count});
        write_time_or_null(out, "last_activity", status.last_at);
        write_time_or_null(out, "completed_at", status.completed_at);
    });
}

std::string ask_user_question(const Ask& ask, std::optional<Cursor> cursor) {
    return message("ask_user_question", [&](json::Writer& out) {
        write_question_id(out, ask.id.str());
        claude::write_questions(out.key("questions"), ask.spec->questions);
        out.key("timeout_seconds");
        if (ask.spec->timeout) {
            out.number(static_cast<double>(ask.spec->timeout->count()) / 1000);
        } else {
            out.number(std::int64_t{0});
        }
        if (ask.deadline) write_time(out, "deadline", *ask.deadline);
        const std::string context = permission::context_text(*ask.spec);
        if (!context.empty()) out.field("context", context);
        if (!ask.spec->dismissible) out.field_bool("dismissible", false);
        write_cursor(out, cursor);
    });
}

std::string ask_user_timeout(const Ask& ask, std::optional<Cursor> cursor) {
    const bool is_timeout = ask.state() == AskState::timed_out;
    return message("ask_user_timeout", [&](json::Writer& out) {
        write_question_id(out, ask.id.str());
        out.field("error", is_timeout ? "User response timed out" : "User cancelled question")
            .field("reason", is_timeout ? "timed_out" : "cancelled");
        write_settlement_fields(out, *ask.settlement);
        write_cursor(out, cursor);
    });
}

std::string ask_user_settled(const Ask& ask, std::optional<Cursor> cursor) {
    return message("ask_user_settled", [&](json::Writer& out) {
        write_question_id(out, ask.id.str());
        write_settlement_fields(out, *ask.settlement);
        if (ask.state() == AskState::answered)
            claude::write_answers(out.key("answers"), ask.spec->questions, ask.settlement->answers,
                                  JoinStyle::plain);
        write_cursor(out, cursor);
    });
}

std::string session_taken() {
    return message("session_taken", [](json::Writer&) {});
}

std::string session_ended(const SessionEnded& ended, Cursor cursor) {
    return message("session_ended", [&](json::Writer& out) {
        write_optional(out, "reason", ended.reason);
        write_cursor(out, cursor);
    });
}

std::string error(const Error& error, std::string_view question) {
    return message("error", [&](json::Writer& out) {
        out.field("error", error.message);
        if (!question.empty()) write_question_id(out, question);
        if (error.faults.empty()) return;
        out.key("errors").begin_array();
        for (const Fault& fault : error.faults) {
            out.begin_object().field("path", fault.path).field("detail", fault.detail).end_object();
        }
        out.end_array();
    });
}

std::string settled_error(const Ask& ask) {
    const Settlement& settlement = *ask.settlement;
    return message("error", [&](json::Writer& out) {
        out.field("error",
                  fmt::format("Question is settled already: {} by {} at {}",
                              parley::to_string(settlement.outcome), decided_by(settlement.decider),
                              format_rfc3339(settlement.at)));
        write_question_id(out, ask.id.str());
        write_settlement_fields(out, settlement);
    });
}

std::string text(const PartDelta& delta) {
    return message("text", [&](json::Writer& out) {
        out.field("chunk", delta.text).field("part_id", delta.part_id);
        if (delta.is_replacement) out.field_bool("replace", true);
    });
}

namespace {

std::string text_part(const Part& part, Cursor cursor, bool was_streamed) {
    return message(was_streamed ? "text_end" : "text", [&](json::Writer& out) {
        if (!was_streamed) out.field("chunk", part.body);
        out.field("part_id", part.part_id);
        write_cursor(out, cursor);
    });
}

std::string tool_part(const Part& part, Cursor cursor) {
    const bool is_input = part.kind == Part::Kind::tool_input;
    return message(is_input ? "tool_use" : "tool_result", [&](json::Writer& out) {
        out.field("id", part.part_id).field("name", part.tool);
        if (part.kind == Part::Kind::tool_input_error) {
            out.field("output", part.body);
        } else {
            out.key(is_input ? "input" : "output").raw(part.body);
        }
        if (!is_input)
            out.field_bool("is_error", part.is_error || part.kind == Part::Kind::tool_input_error);
        write_cursor(out, cursor);
    });
}

}  // namespace

std::string part(const Part& part, Cursor cursor, bool was_streamed) {
    switch (part.kind) {
        case Part::Kind::text: return text_part(part, cursor, was_streamed);
        case Part::Kind::tool_input:
        case Part::Kind::tool_input_error:
        case Part::Kind::tool_output: return tool_part(part, cursor);
        case Part::Kind::finish: break;
    }
    return message("complete", [&](json::Writer& out) {
        out.field("status", "success");
        if (!part.body.empty()) out.field("reason", part.body);
        write_cursor(out, cursor);
    });
}

std::string user_message(const MessageAdded& said, Cursor cursor) {
    return message("user_message", [&](json::Writer& out) {
        out.key("data").begin_object().field("message", said.text).end_object();
        out.field("message_id", said.id.str()).field("by", decided_by(said.by));
        write_cursor(out, cursor);
    });
}

std::string message_queued(MessageId id, bool is_waiting) {
    return message("message_queued", [&](json::Writer& out) {
        out.field("message_id", id.str())
            .field("reason", is_waiting ? "waiting_for_user" : "no_agent");
    });
}

std::string notice(const NoticeGiven& notice, std::optional<Cursor> cursor) {
    return message("notice", [&](json::Writer& out) {
        out.field("text", notice.text).field("level", parley::to_string(notice.level));
        write_cursor(out, cursor);
    });
}

}  // namespace parley::chat
