// SPDX-License-Identifier: Apache-2.0
// Documents of the native wire.
#include <array>
#include <charconv>

#include "core/value_json.h"
#include "dialect/native/ask_texts.h"
#include "dialect/native/server.h"
#include "text/json_object.h"

namespace parley::native {

namespace {

constexpr std::size_t kAskBytesUsual = 1024;

void write_timer(json::Writer& out, const Ask& ask) {
    const AskSpec& spec = *ask.spec;
    if (ask.deadline) write_time(out, "deadline", *ask.deadline);
    if (!spec.timeout) return;
    write_seconds(out, "timeout_seconds", spec.timeout);
    out.key("on_timeout");
    if (spec.default_answers) {
        out.begin_object();
        write_answers(out.key("default"), *spec.default_answers);
        out.end_object();
    } else {
        out.string("deny");
    }
}

void write_snooze(json::Writer& out, const Ask& ask, const Shown& shown) {
    if (shown.snoozes == nullptr || !ask.is_pending()) return;
    const auto found = shown.snoozes->find(ask.id);
    if (found != shown.snoozes->end()) write_time(out, "snoozed_until", found->second);
}

std::string_view state_of(const Session& session, std::size_t pending) {
    if (session.ended_at) return "ended";
    return pending > 0 ? "waiting" : to_string(session.activity);
}

template <class Page>
std::string page(std::string_view name, const Page& elements,
                 const std::optional<std::string>& next, auto write_element) {
    std::string text;
    json::Writer out(text);
    out.begin_object().key(name).begin_array();
    for (const auto& element : elements) write_element(out, element);
    out.end_array().key("next");
    if (next) {
        out.string(*next);
    } else {
        out.null();
    }
    out.end_object();
    return text;
}

}  // namespace

void write_session_ref(json::Writer& out, SessionId id, const Shown& shown) {
    const std::string_view name =
        shown.names == nullptr ? std::string_view() : shown.names->find(id);
    if (name.empty()) {
        write_id(out, "session", id);
    } else {
        out.field("session", name);
    }
    write_id(out, "session_id", id);
}

void write_opening(json::Writer& out, const Ask& ask) {
    const AskSpec& spec = *ask.spec;
    write_questions(out.key("questions"), spec.questions, Fields::all);
    write_spec_fields(out, spec, Fields::all);
    write_permission(out, spec, Summary::written);
    if (!spec.asker.empty()) out.field("asker", spec.asker);
    if (spec.content_deleted_at) write_time(out, "content_deleted_at", *spec.content_deleted_at);
    write_time(out, "created_at", ask.created_at);
    write_timer(out, ask);
}

void write_ask(json::Writer& out, const Ask& ask, const Shown& shown) {
    out.begin_object();
    write_id(out, "id", ask.id);
    write_session_ref(out, ask.session, shown);
    out.field("state", to_string(ask.state()));
    if (shown.texts != nullptr) {
        out.members(shown.texts->opening(ask));
    } else {
        write_opening(out, ask);
    }
    if (ask.settlement && shown.texts != nullptr) {
        out.key("settlement").raw(shown.texts->settlement(ask.settlement));
    } else if (ask.settlement) {
        write_settlement(out.key("settlement"), *ask.settlement);
    }
    if (ask.is_asker_revoked && ask.is_pending()) out.field_bool("asker_revoked", true);
    write_snooze(out, ask, shown);
    out.end_object();
}

std::string ask_document(const Ask& ask, const Shown& shown) {
    std::string text;
    text.reserve(kAskBytesUsual);
    json::Writer out(text);
    write_ask(out, ask, shown);
    return text;
}

std::string ask_page(std::span<const AskPtr> asks, std::optional<AskId> next, const Shown& shown) {
    return page("asks", asks, next ? std::optional(next->str()) : std::nullopt,
                [&](json::Writer& out, const AskPtr& ask) { write_ask(out, *ask, shown); });
}

void write_session(json::Writer& out, const Session& session, std::size_t pending) {
    out.begin_object();
    write_id(out, "id", session.id);
    write_id(out, "session_id", session.id);
    if (session.name) {
        out.field("session", *session.name).field("name", *session.name);
    } else {
        write_id(out, "session", session.id);
    }
    write_optional(out, "title", session.title);
    if (session.parent) out.field("parent", session.parent->str());
    write_optional(out, "agent", session.agent);
    write_optional(out, "directory", session.directory);
    out.field("state", state_of(session, pending));
    out.field("activity", to_string(session.activity));
    out.key("pending").number(std::uint64_t{pending});
    out.field("on_dismiss", to_string(session.on_dismiss));
    write_seconds(out, "ask_timeout_seconds", session.ask_timeout);
    write_time(out, "created_at", session.created_at);
    if (session.ended_at) write_time(out, "ended_at", *session.ended_at);
    out.end_object();
}

std::string session_document(const Session& session, std::size_t pending) {
    std::string text;
    json::Writer out(text);
    write_session(out, session, pending);
    return text;
}

std::string session_page(std::span<const ListedSession> sessions, std::optional<SessionId> next) {
    return page("sessions", sessions, next ? std::optional(next->str()) : std::nullopt,
                [](json::Writer& out, const ListedSession& listed) {
                    write_session(out, *listed.session, listed.pending);
                });
}

std::string draft_document(const Draft& draft) {
    return json::object_text([&](json::Writer& out) { write_draft_fields(out, draft); });
}

std::string listed_draft(AskId ask, const Draft& draft) {
    return json::object_text([&](json::Writer& out) {
        write_id(out, "ask", ask);
        write_draft_fields(out, draft);
    });
}

std::string cursor_text(Cursor cursor) {
    std::array<char, 20> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), cursor.value).ptr;
    return {digits.data(), end};
}

std::optional<Cursor> parse_cursor(std::string_view text) {
    Cursor cursor;
    const char* const end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, cursor.value);
    if (text.empty() || problem != std::errc() || stop != end) return std::nullopt;
    return cursor;
}

std::string event_page(std::span<const EventPtr> events, std::optional<Cursor> next,
                       const Shown& shown) {
    return page("events", events, next ? std::optional(cursor_text(*next)) : std::nullopt,
                [&](json::Writer& out, const EventPtr& event) {
                    out.begin_object().field("cursor", cursor_text(event->cursor));
                    out.key("event").raw(write_frame(event, shown).data).end_object();
                });
}

}  // namespace parley::native
