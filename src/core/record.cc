// SPDX-License-Identifier: Apache-2.0
#include "core/record.h"

#include <array>
#include <limits>

#include "base/sizes.h"
#include "core/value_json.h"
#include "text/limits.h"

namespace parley {

namespace {

// The DOM of most records fits on the stack; a longer one goes on in the heap.
constexpr std::size_t kArenaSize = 16 * limits::kKiB;
// A record is ours, and escapes can make it longer than what was sent to us.
constexpr json::ParseLimits kRecordLimits = {.bytes_max = std::numeric_limits<std::size_t>::max(),
                                             .depth_max = limits::kJsonDepth};

template <class T, class Read>
Result<T> from_record(std::string_view record, std::string_view what, Read read) {
    alignas(std::max_align_t) std::array<unsigned char, kArenaSize> buffer;
    json::Arena arena(buffer.data(), buffer.size());
    const auto value = json::parse_into(record, &arena, kRecordLimits);
    if (!value)
        return reject(ErrorCode::corrupt, "a stored {} cannot be read: {}", what,
                      value.error().message);
    Faults faults;
    T result = read(*value, json::Path(), faults);
    if (faults.empty()) return result;
    const Fault& fault = faults.list().front();
    return reject(ErrorCode::corrupt, "a stored {} cannot be read: {} {}", what, fault.path,
                  fault.detail);
}

AskSpec read_spec(const json::Value& value, const json::Path& at, Faults& faults) {
    const ObjectReader object(value, at, faults);
    AskSpec spec;
    if (const json::Value* questions = object.find("questions"))
        spec.questions = read_written_questions(*questions, at / "questions", faults);
    read_spec_fields(object, spec, faults);
    spec.asker = object.optional_string("asker").value_or(std::string());
    if (const auto timeout_ms = object.optional_int("timeout_ms"))
        spec.timeout = Millis(*timeout_ms);
    if (const json::Value* answers = object.find("default_answers"))
        spec.default_answers = read_answers(*answers, at / "default_answers", faults);
    spec.content_deleted_at = read_optional_time(object, "content_deleted_at", faults);
    return spec;
}

Session read_session(const json::Value& value, const json::Path& at, Faults& faults) {
    return read_session_fields(ObjectReader(value, at, faults), faults);
}

Part read_part(const json::Value& value, const json::Path& at, Faults& faults) {
    const ObjectReader object(value, at, faults);
    Part part;
    if (const auto kind = read_name<Part::Kind>(object, "kind", faults)) {
        part.kind = *kind;
    } else {
        faults.add(at / "kind", "\"kind\" is missing");
    }
    part.part_id = object.optional_string("part_id").value_or(std::string());
    part.tool = object.optional_string("tool").value_or(std::string());
    part.body = object.optional_string("body").value_or(std::string());
    part.is_error = object.optional_bool("is_error").value_or(false);
    if (object.find("message") != nullptr) {
        part.place.message = read_id<MessageId>(object, "message", faults);
        part.place.index = static_cast<std::uint32_t>(object.optional_int("index").value_or(0));
    }
    return part;
}

NoticeGiven read_notice(const json::Value& value, const json::Path& at, Faults& faults) {
    const ObjectReader object(value, at, faults);
    NoticeGiven notice;
    notice.text = object.required_string("text");
    notice.level =
        read_name<NoticeGiven::Level>(object, "level", faults).value_or(NoticeGiven::Level::info);
    notice.by = object.optional_string("by").value_or(std::string());
    return notice;
}

// Before drafts had versions, a record was the bare list of answers.
Draft read_stored_draft(const json::Value& value, const json::Path& at, Faults& faults) {
    if (value.is_array()) return {.answers = read_answers(value, at, faults), .version = 1};
    return read_draft_fields(ObjectReader(value, at, faults), faults);
}

SnoozeChanged read_snooze(const json::Value& value, const json::Path& at, Faults& faults) {
    const ObjectReader object(value, at, faults);
    return {.ask = {},
            .principal = object.required_string("principal"),
            .until = read_optional_time(object, "until", faults)};
}

void write_nonempty(json::Writer& out, std::string_view name, std::string_view text) {
    if (!text.empty()) out.field(name, text);
}

}  // namespace

std::string to_record(const AskSpec& spec) {
    std::string record;
    json::Writer out(record);
    out.begin_object();
    write_questions(out.key("questions"), spec.questions, Fields::changed);
    write_spec_fields(out, spec, Fields::changed);
    write_permission(out, spec, Summary::written);
    write_nonempty(out, "asker", spec.asker);
    if (spec.timeout) out.field_int("timeout_ms", spec.timeout->count());
    if (spec.default_answers) write_answers(out.key("default_answers"), *spec.default_answers);
    if (spec.content_deleted_at) write_time(out, "content_deleted_at", *spec.content_deleted_at);
    out.end_object();
    return record;
}

std::string to_record(const Settlement& settlement) {
    std::string record;
    json::Writer out(record);
    write_settlement(out, settlement);
    return record;
}

std::string to_record(const Session& session) {
    std::string record;
    json::Writer out(record);
    out.begin_object().field("id", session.id.str());
    write_optional(out, "name", session.name);
    write_optional(out, "title", session.title);
    if (session.parent) out.field("parent", session.parent->str());
    if (!session.owner.empty()) out.field("owner", session.owner);
    write_optional(out, "agent", session.agent);
    write_optional(out, "directory", session.directory);
    if (session.on_dismiss != OnDismiss::tell)
        out.field("on_dismiss", to_string(session.on_dismiss));
    if (session.activity != Activity::idle) out.field("activity", to_string(session.activity));
    write_seconds(out, "ask_timeout_seconds", session.ask_timeout);
    write_time(out, "created_at", session.created_at);
    if (session.ended_at) write_time(out, "ended_at", *session.ended_at);
    out.end_object();
    return record;
}

std::string to_record(const Part& part) {
    std::string record;
    json::Writer out(record);
    out.begin_object().field("kind", to_string(part.kind));
    write_nonempty(out, "part_id", part.part_id);
    write_nonempty(out, "tool", part.tool);
    write_nonempty(out, "body", part.body);
    if (part.is_error) out.field_bool("is_error", true);
    if (!part.place.message.is_nil()) {
        out.field("message", part.place.message.str());
        out.key("index").number(std::uint64_t{part.place.index});
    }
    out.end_object();
    return record;
}

std::string to_record(const Draft& draft) {
    std::string record;
    json::Writer out(record);
    out.begin_object();
    write_draft_fields(out, draft);
    out.end_object();
    return record;
}

std::string to_record(const SnoozeChanged& snooze) {
    std::string record;
    json::Writer out(record);
    out.begin_object().field("principal", snooze.principal);
    if (snooze.until) write_time(out, "until", *snooze.until);
    out.end_object();
    return record;
}

std::string to_record(const MessageAdded& message) {
    std::string record;
    json::Writer out(record);
    write_message(out, message);
    return record;
}

std::string to_record(const NoticeGiven& notice) {
    std::string record;
    json::Writer out(record);
    out.begin_object().field("text", notice.text).field("level", to_string(notice.level));
    write_nonempty(out, "by", notice.by);
    out.end_object();
    return record;
}

Result<AskSpec> spec_from_record(std::string_view record) {
    return from_record<AskSpec>(record, "ask", read_spec);
}

Result<Settlement> settlement_from_record(std::string_view record) {
    return from_record<Settlement>(record, "settlement", read_settlement);
}

Result<Session> session_from_record(std::string_view record) {
    return from_record<Session>(record, "session", read_session);
}

Result<Part> part_from_record(std::string_view record) {
    return from_record<Part>(record, "part", read_part);
}

Result<Draft> draft_from_record(std::string_view record) {
    return from_record<Draft>(record, "draft", read_stored_draft);
}

Result<SnoozeChanged> snooze_from_record(std::string_view record) {
    return from_record<SnoozeChanged>(record, "snooze", read_snooze);
}

Result<MessageAdded> message_from_record(std::string_view record) {
    return from_record<MessageAdded>(record, "message", read_message);
}

Result<NoticeGiven> notice_from_record(std::string_view record) {
    return from_record<NoticeGiven>(record, "notice", read_notice);
}

}  // namespace parley
