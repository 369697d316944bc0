// SPDX-License-Identifier: Apache-2.0
// Events of the native wire, and the values inside them, as our remote client reads them.
#include "core/text_rules.h"
#include "core/value_json.h"
#include "dialect/native/client.h"
#include "dialect/native/event_types.h"
#include "dialect/native/values.h"

namespace parley::native {

namespace {

std::optional<Answers> read_default_answers(const ObjectReader& object, Faults& faults) {
    const json::Value* policy = object.find("on_timeout");
    if (policy == nullptr || !policy->is_object()) return std::nullopt;
    const json::Path at = object.at() / "on_timeout";
    const ObjectReader inner(*policy, at, faults);
    const json::Value* answers = inner.find("default");
    if (answers == nullptr) return std::nullopt;
    return read_answers(*answers, at / "default", faults);
}

AskSpec read_written_spec(const ObjectReader& object, Faults& faults) {
    AskSpec spec;
    if (const json::Value* questions = object.find("questions"))
        spec.questions = read_written_questions(*questions, object.at() / "questions", faults);
    read_spec_fields(object, spec, faults);
    spec.asker = object.optional_string("asker").value_or(std::string());
    spec.timeout = object.optional_seconds("timeout_seconds");
    spec.default_answers = read_default_answers(object, faults);
    spec.content_deleted_at = read_optional_time(object, "content_deleted_at", faults);
    return spec;
}

std::shared_ptr<Event> make_event(Instant at, SessionId session, EventBody body) {
    return std::make_shared<Event>(
        Event{.cursor = {}, .at = at, .session = session, .body = std::move(body)});
}

// Reads the frames of one stream: one function for each event that is written.
class EventReader {
public:
    EventReader(const ObjectReader& object, std::optional<Cursor> id, Faults& faults)
        : object_(object), id_(id), faults_(faults) {}

    std::optional<Frame> read(std::string_view type) {
        if (type == "snapshot.end") return SnapshotEnd{snapshot_cursor()};
        if (type == "reset") return Reset{};
        return read_event(type, Of<EventBody>());
    }

private:
    // The first event of that type: where several have it, its function tells them apart.
    template <class... Bodies>
    std::optional<Frame> read_event(std::string_view type, Of<std::variant<Bodies...>>) {
        std::optional<Frame> frame;
        const auto is_read = [&]<class Body>(Of<Body> body) {
            if (kEventType<Body> != type) return false;
            frame = read_body(body);
            return true;
        };
        (void)(is_read(Of<Bodies>()) || ...);
        return frame;
    }

    std::optional<Frame> finish(std::shared_ptr<Event> event) const {
        event->cursor = id_.value_or(Cursor());
        return EventPtr(std::move(event));
    }

    template <class T>
    T nested(std::string_view key, T (*read)(const json::Value&, const json::Path&, Faults&)) {
        if (const json::Value* value = object_.find(key))
            return read(*value, object_.at() / key, faults_);
        faults_.add(object_.at() / key, "this event lacks it");
        return {};
    }

    std::optional<Frame> read_body(Of<AskOpened>) {
        AskPtr ask = nested("ask", read_ask_object);
        if (!ask || !id_) return SnapshotAsk{std::move(ask), snoozed_until("ask")};
        const Instant at = ask->created_at;
        const SessionId session = ask->session;
        return finish(make_event(at, session, AskOpened{std::move(ask)}));
    }

    std::optional<Frame> read_body(Of<AskSettled>) {
        AskPtr ask = nested("ask", read_ask_object);
        if (ask && !ask->settlement) faults_.add(object_.at() / "ask", "it is not settled");
        if (!faults_.empty()) return std::nullopt;
        const Instant at = ask->settlement->at;
        const SessionId session = ask->session;
        return finish(make_event(at, session, AskSettled{std::move(ask)}));
    }

    std::optional<Frame> read_body(Of<ContentDeleted>) {
        ContentDeleted deleted{.ask = read_id<AskId>(object_, "ask", faults_)};
        return finish(make_event(time(), session_ref(), std::move(deleted)));
    }

    std::optional<Frame> read_body(Of<DraftChanged>) {
        DraftChanged changed;
        changed.ask = read_id<AskId>(object_, "ask", faults_);
        changed.draft = std::make_shared<const Draft>(read_draft_fields(object_, faults_));
        return finish(make_event(time(), session_ref(), std::move(changed)));
    }

    std::optional<Frame> read_body(Of<SnoozeChanged>) {
        SnoozeChanged changed;
        changed.ask = read_id<AskId>(object_, "ask", faults_);
        changed.until = read_optional_time(object_, "snoozed_until", faults_);
        return finish(make_event(time(), session_ref(), std::move(changed)));
    }

    std::optional<Instant> snoozed_until(std::string_view key) {
        const json::Value* ask = object_.find(key);
        if (ask == nullptr || !ask->is_object()) return std::nullopt;
        const json::Path at = object_.at() / key;
        return read_optional_time(ObjectReader(*ask, at, faults_), "snoozed_until", faults_);
    }

    template <OneOf<SessionCreated, SessionChanged, SessionEnded> Body>
    std::optional<Frame> read_body(Of<Body>) {
        ListedSession listed = nested("session", read_session_object);
        if (!listed.session) return std::nullopt;
        const SessionId id = listed.session->id;
        Body body;
        body.session = std::move(listed.session);
        if constexpr (std::is_same_v<Body, SessionEnded>)
            body.reason = object_.optional_string("reason");
        return finish(make_event(time(), id, std::move(body)));
    }

    std::optional<Frame> read_body(Of<PartAdded>) {
        const SessionId session = session_ref();
        const json::Value* value = object_.find("part");
        if (value == nullptr) {
            faults_.add(object_.at() / "part", "this event lacks it");
            return std::nullopt;
        }
        auto item = read_item(*value, object_.at() / "part", faults_);
        if (!item) return std::nullopt;
        if (auto* delta = std::get_if<PartDelta>(&*item)) {
            delta->session = session;
            return std::make_shared<const PartDelta>(std::move(*delta));
        }
        auto* end = std::get_if<StreamPart>(&*item);
        if (end == nullptr) return std::nullopt;
        return finish(make_event(time(), session,
                                 PartAdded{std::make_shared<const Part>(std::move(end->part))}));
    }

    std::optional<Frame> read_body(Of<MessageAdded>) {
        if (object_.find("taken_up_to") != nullptr) return read_body(Of<MessagesTaken>());
        const SessionId session = session_ref();
        MessageAdded message = nested("message", parley::read_message);
        return finish(make_event(time(), session, std::move(message)));
    }

    std::optional<Frame> read_body(Of<MessagesTaken>) {
        const SessionId session = session_ref();
        const MessagesTaken taken = {read_id<MessageId>(object_, "taken_up_to", faults_)};
        return finish(make_event(time(), session, taken));
    }

    std::optional<Frame> read_body(Of<NoticeGiven>) {
        NoticeGiven notice = {.text = object_.required_string("text")};
        notice.level = read_name<NoticeGiven::Level>(object_, "level", faults_)
                           .value_or(NoticeGiven::Level::info);
        notice.by = object_.optional_string("by").value_or(std::string());
        const bool has_session = object_.find("session") != nullptr;
        return finish(
            make_event(time(), has_session ? session_ref() : SessionId(), std::move(notice)));
    }

    std::optional<Frame> read_body(Of<AgentRevoked>) {
        AgentRevoked revoked = {.principal = object_.required_string("asker")};
        return finish(make_event(time(), SessionId(), std::move(revoked)));
    }

    // The broker's own: nobody is given one.
    std::optional<Frame> read_body(Of<TokenChanged>) { return std::nullopt; }
    std::optional<Frame> read_body(Of<MarkChanged>) { return std::nullopt; }

    Cursor snapshot_cursor() {
        const std::string text = object_.required_string("cursor");
        if (const auto cursor = parse_cursor(text)) return *cursor;
        faults_.add(object_.at() / "cursor", fmt::format("{} is no cursor", quoted_excerpt(text)));
        return {};
    }

    Instant time() { return read_time(object_, "at", faults_); }
    SessionId session_ref() { return read_session_ref(object_, faults_); }

    const ObjectReader& object_;
    std::optional<Cursor> id_;
    Faults& faults_;
};

}  // namespace

SessionId read_session_ref(const ObjectReader& object, Faults& faults) {
    return read_id<SessionId>(
        object, object.find("session_id") != nullptr ? "session_id" : "session", faults);
}

AskPtr read_ask_object(const json::Value& value, const json::Path& at, Faults& faults) {
    const ObjectReader object(value, at, faults);
    if (!object.is_object()) return nullptr;
    auto ask = std::make_shared<Ask>();
    ask->id = read_id<AskId>(object, "id", faults);
    ask->session = read_session_ref(object, faults);
    ask->spec = std::make_shared<const AskSpec>(read_written_spec(object, faults));
    ask->created_at = read_time(object, "created_at", faults);
    ask->deadline = read_optional_time(object, "deadline", faults);
    ask->is_asker_revoked = object.optional_bool("asker_revoked").value_or(false);
    if (const json::Value* settlement = object.find("settlement")) {
        ask->settlement = std::make_shared<const Settlement>(
            read_settlement(*settlement, at / "settlement", faults));
    }
    return ask;
}

ListedSession read_session_object(const json::Value& value, const json::Path& at, Faults& faults) {
    const ObjectReader object(value, at, faults);
    if (!object.is_object()) return {};
    auto session = std::make_shared<Session>(read_session_fields(object, faults));
    const auto pending = object.optional_int("pending").value_or(0);
    return {.session = std::move(session),
            .pending = static_cast<std::size_t>(std::max<std::int64_t>(0, pending))};
}

Result<std::optional<Frame>> read_frame(std::string_view data, std::optional<Cursor> id) {
    TRY(document, json::parse(data, kServerLimits));
    Faults faults;
    const json::Path root;
    const ObjectReader object(document, root, faults);
    const std::string type = object.required_string("type");
    std::optional<Frame> frame = EventReader(object, id, faults).read(type);
    return std::move(faults).give(std::move(frame));
}

Result<EventList> read_event_page(std::string_view text) {
    TRY(document, json::parse(text, kServerLimits));
    Faults faults;
    const json::Path root;
    const ObjectReader object(document, root, faults);
    EventList page;
    const json::Array* list = object.required_array("events");
    const json::Path events = root / "events";  // a path lives no longer than what it begins with
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
        const json::Path at = events / i;
        const ObjectReader entry((*list)[i], at, faults);
        const auto cursor = parse_cursor(entry.required_string("cursor"));
        if (!cursor) faults.add(at / "cursor", "this is not a cursor");
        const json::Value* inside = entry.find("event");
        if (inside == nullptr) {
            faults.add(at / "event", "this entry lacks it");
            continue;
        }
        const json::Path inside_at = at / "event";
        const ObjectReader event(*inside, inside_at, faults);
        auto frame = EventReader(event, cursor, faults).read(event.required_string("type"));
        if (auto* happened = frame ? std::get_if<EventPtr>(&*frame) : nullptr)
            page.events.push_back(std::move(*happened));
    }
    if (const auto next = object.optional_string("next")) {
        page.before = parse_cursor(*next);
        if (!page.before) faults.add(root / "next", "this is not a cursor");
    }
    return std::move(faults).give(std::move(page));
}

}  // namespace parley::native
