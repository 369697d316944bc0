// SPDX-License-Identifier: Apache-2.0
// Requests that our remote client writes, documents that it reads.
#include "dialect/native/client.h"

#include "core/value_json.h"
#include "dialect/native/values.h"
#include "text/json_object.h"

namespace parley::native {

namespace {

template <class Element, class Read>
std::vector<Element> read_elements(const ObjectReader& object, std::string_view name,
                                   Faults& faults, Read read) {
    std::vector<Element> elements;
    const json::Array* list = object.required_array(name);
    if (list == nullptr) return elements;
    const json::Path at = object.at() / name;
    elements.reserve(list->size());
    for (std::size_t i = 0; i < list->size(); ++i)
        elements.push_back(read((*list)[i], at / i, faults));
    return elements;
}

template <class IdType>
std::optional<IdType> read_next(const ObjectReader& object, Faults& faults) {
    if (object.find("next") == nullptr) return std::nullopt;
    return read_id<IdType>(object, "next", faults);
}

}  // namespace

std::string ask_request(const AskRequest& body) {
    const AskSpec& spec = body.spec;
    return json::object_text([&](json::Writer& out) {
        write_questions(out.key("questions"), spec.questions, Fields::changed);
        if (!body.session.empty()) out.field("session", body.session);
        write_spec_fields(out, spec, Fields::changed);
        write_permission(out, spec, Summary::left_out);
        write_seconds(out, "timeout_seconds", spec.timeout);
        if (spec.default_answers) {
            out.key("on_timeout").begin_object();
            write_answers(out.key("default"), *spec.default_answers);
            out.end_object();
        }
    });
}

std::string answer_request(const AnswerBody& body) {
    return json::object_text([&](json::Writer& out) {
        write_answers(out.key("answers"), body.answers);
        write_optional(out, "by", body.by);
        if (body.rules.completeness != Completeness::whole) out.field_bool("partial", true);
    });
}

std::string reason_request(const ReasonBody& body) {
    return json::object_text([&](json::Writer& out) {
        write_optional(out, "reason", body.reason);
        write_optional(out, "by", body.by);
    });
}

std::string draft_request(const Draft& draft) {
    return json::object_text([&](json::Writer& out) {
        write_answers(out.key("answers"), draft.answers);
        if (!draft.device.empty()) out.field("device", draft.device);
        out.key("version").number(draft.version);
    });
}

std::string snooze_request(Millis duration) {
    return json::object_text([&](json::Writer& out) { write_seconds(out, "seconds", duration); });
}

std::string session_request(const SessionBody& body) {
    return json::object_text([&](json::Writer& out) {
        write_optional(out, "name", body.name);
        write_optional(out, "title", body.title);
        write_optional(out, "parent", body.parent);
        write_optional(out, "agent", body.agent);
        write_optional(out, "directory", body.directory);
        out.field("on_dismiss", to_string(body.on_dismiss));
        write_seconds(out, "ask_timeout_seconds", body.ask_timeout);
    });
}

std::string message_request(const MessageBody& body) {
    return json::object_text([&](json::Writer& out) {
        out.field("text", body.text);
        write_optional(out, "by", body.by);
    });
}

std::string notice_request(const NoticeBody& body) {
    return json::object_text([&](json::Writer& out) {
        out.field("text", body.notice.text).field("level", to_string(body.notice.level));
        if (!body.session.empty()) out.field("session", body.session);
    });
}

std::string stream_request(std::span<const StreamItem> items) {
    std::string text;
    json::Writer out(text);
    out.begin_array();
    for (const StreamItem& item : items) write_item(out, item);
    out.end_array();
    return text;
}

Result<AskPtr> read_ask_document(std::string_view text) {
    TRY(document, json::parse(text, kServerLimits));
    return read_ask_value(document);
}

Result<AskPtr> read_ask_value(const json::Value& value) {
    Faults faults;
    AskPtr ask = read_ask_object(value, json::Path(), faults);
    return std::move(faults).give(std::move(ask));
}

Result<AskList> read_ask_page(std::string_view text) {
    TRY(document, json::parse(text, kServerLimits));
    Faults faults;
    const json::Path root;
    const ObjectReader object(document, root, faults);
    AskList page;
    page.asks = read_elements<AskPtr>(object, "asks", faults, read_ask_object);
    page.next = read_next<AskId>(object, faults);
    return std::move(faults).give(std::move(page));
}

Result<ListedSession> read_session_document(std::string_view text) {
    TRY(document, json::parse(text, kServerLimits));
    Faults faults;
    ListedSession session = read_session_object(document, json::Path(), faults);
    return std::move(faults).give(std::move(session));
}

Result<SessionList> read_session_page(std::string_view text) {
    TRY(document, json::parse(text, kServerLimits));
    Faults faults;
    const json::Path root;
    const ObjectReader object(document, root, faults);
    SessionList page = {
        .sessions = read_elements<ListedSession>(object, "sessions", faults, read_session_object)};
    page.next = read_next<SessionId>(object, faults);
    return std::move(faults).give(std::move(page));
}

Result<Draft> read_draft_document(std::string_view text) {
    TRY(document, json::parse(text, kServerLimits));
    Faults faults;
    Draft draft = read_draft_fields(ObjectReader(document, json::Path(), faults), faults);
    return std::move(faults).give(std::move(draft));
}

Result<std::map<AskId, DraftPtr>> read_draft_page(std::string_view text) {
    TRY(document, json::parse(text, kServerLimits));
    Faults faults;
    const json::Path root;
    const ObjectReader object(document, root, faults);
    using Entry = std::pair<AskId, DraftPtr>;
    const auto entries = read_elements<Entry>(
        object, "drafts", faults,
        [](const json::Value& value, const json::Path& at, Faults& found) {
            const ObjectReader entry(value, at, found);
            return Entry(read_id<AskId>(entry, "ask", found),
                         std::make_shared<const Draft>(read_draft_fields(entry, found)));
        });
    return std::move(faults).give(std::map<AskId, DraftPtr>(entries.begin(), entries.end()));
}

}  // namespace parley::native
