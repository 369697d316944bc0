// SPDX-License-Identifier: Apache-2.0
// The two sides of the native wire fit each other: what one writes, the other reads back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/arbitrary_values_test.h"
#include "core/questions.h"
#include "core/viewer.h"
#include "dialect/native/client.h"
#include "dialect/native/event_types.h"

namespace parley::native {
namespace {

bool same_ask(const Ask& a, const Ask& b) {
    const bool same_settlement = a.settlement && b.settlement
                                     ? *a.settlement == *b.settlement
                                     : a.settlement == nullptr && b.settlement == nullptr;
    return a.id == b.id && a.session == b.session && *a.spec == *b.spec &&
           a.created_at == b.created_at && a.deadline == b.deadline && same_settlement;
}

class Named : public SessionNames {
public:
    explicit Named(std::string name) : name_(std::move(name)) {}
    std::string_view find(SessionId) const override { return name_; }

private:
    std::string name_;
};

Ask arbitrary_ask() {
    Ask ask = *arbitrary::ask();
    AskSpec spec = *ask.spec;
    spec.asker = *rc::gen::element<std::string>("", "token-1");
    if (spec.timeout && *rc::gen::arbitrary<bool>())
        spec.default_answers = *arbitrary::answers(spec.questions);
    ask.spec = std::make_shared<const AskSpec>(std::move(spec));
    return ask;
}

RC_GTEST_PROP(NativeWire, AnAskReadsBackWhateverItsSessionIsCalled, ()) {
    const Ask ask = arbitrary_ask();
    const Named named(*rc::gen::element<std::string>("", "session-123", "日本"));
    const auto read = read_ask_document(ask_document(ask, {.names = &named}));
    RC_ASSERT(read.has_value());
    RC_ASSERT(same_ask(**read, ask));
}

RC_GTEST_PROP(NativeWire, PagesReadBack, ()) {
    const std::vector<AskPtr> asks = {std::make_shared<const Ask>(arbitrary_ask()),
                                      std::make_shared<const Ask>(arbitrary_ask())};
    const auto read = read_ask_page(ask_page(asks, asks[1]->id));
    RC_ASSERT(read.has_value());
    RC_ASSERT(read->asks.size() == 2U);
    RC_ASSERT(same_ask(*read->asks[1], *asks[1]));
    RC_ASSERT(read->next == asks[1]->id);
    const std::vector<ListedSession> sessions = {
        {.session = std::make_shared<const Session>(*arbitrary::session()), .pending = 3}};
    const auto listed = read_session_page(session_page(sessions, std::nullopt));
    RC_ASSERT(listed.has_value());
    RC_ASSERT(*listed->sessions.at(0).session == *sessions[0].session);
    RC_ASSERT(listed->sessions[0].pending == 3U);
    RC_ASSERT(!listed->next);
}

RC_GTEST_PROP(NativeWire, AnAskRequestReadsBack, ()) {
    AskRequest request = {.spec = *arbitrary::spec(),
                          .session = *rc::gen::element<std::string>("", "session-123")};
    if (request.spec.timeout && *rc::gen::arbitrary<bool>()) {
        const Answers answers = *arbitrary::answers(request.spec.questions);
        if (std::ranges::all_of(answers, is_answered)) request.spec.default_answers = answers;
    }
    const auto checked = check_spec(request.spec, kOpenProfile);
    RC_ASSERT(checked.has_value());
    const auto read = read_ask(ask_request(request), kOpenProfile);
    RC_ASSERT(read.has_value());
    RC_ASSERT(read->spec == *checked);
    RC_ASSERT(read->session == request.session);
}

RC_GTEST_PROP(NativeWire, AnswerAndReasonRequestsReadBack, ()) {
    const auto questions = *arbitrary::questions();
    const AnswerBody answer = {.answers = *arbitrary::answers(questions),
                               .by = *arbitrary::maybe(arbitrary::label()),
                               .rules = {.completeness = Completeness::partial}};
    const auto read = read_answer(answer_request(answer));
    RC_ASSERT(read.has_value());
    RC_ASSERT(read->answers == answer.answers);
    RC_ASSERT(read->by == answer.by);
    RC_ASSERT(read->rules.completeness == Completeness::partial);
    const Draft draft = {.answers = answer.answers, .device = "phone", .version = 7};
    RC_ASSERT(*read_draft_document(draft_document(draft)) == draft);
    const auto request = read_draft(draft_request(draft));
    RC_ASSERT(request && request->answers == draft.answers && request->device == "phone");
    RC_ASSERT(request->seen == 7U);
    const ReasonBody reason = {.reason = *arbitrary::maybe(arbitrary::text()), .by = answer.by};
    const auto read_back = read_reason(reason_request(reason));
    RC_ASSERT(read_back.has_value());
    RC_ASSERT(read_back->reason == reason.reason);
    RC_ASSERT(read_back->by == reason.by);
    const Millis snooze(*rc::gen::inRange<std::int64_t>(1, 1'000'000'000));
    RC_ASSERT(*read_snooze(snooze_request(snooze)) == snooze);
}

RC_GTEST_PROP(NativeWire, SessionMessageAndNoticeRequestsReadBack, ()) {
    const SessionBody session = {.name = *arbitrary::maybe(arbitrary::label()),
                                 .title = *arbitrary::maybe(arbitrary::label()),
                                 .parent = *arbitrary::maybe(arbitrary::label()),
                                 .agent = *arbitrary::maybe(arbitrary::label()),
                                 .on_dismiss = *arbitrary::any_of<OnDismiss>(),
                                 .ask_timeout = Millis(*rc::gen::inRange(1, 100'000'000))};
    const auto read = read_session(session_request(session));
    RC_ASSERT(read.has_value());
    RC_ASSERT(read->name == session.name && read->title == session.title);
    RC_ASSERT(read->parent == session.parent && read->agent == session.agent);
    RC_ASSERT(read->on_dismiss == session.on_dismiss);
    RC_ASSERT(read->ask_timeout == session.ask_timeout);
    const MessageBody message = {.text = *arbitrary::text(), .by = session.name};
    RC_ASSERT(read_message(message_request(message))->text == message.text);
    const NoticeBody notice = {
        .notice = {.text = *arbitrary::text(), .level = *arbitrary::any_of<NoticeGiven::Level>()},
        .session = *rc::gen::element<std::string>("", "s")};
    const auto read_back = read_notice(notice_request(notice));
    RC_ASSERT(read_back.has_value());
    RC_ASSERT(read_back->notice.text == notice.notice.text);
    RC_ASSERT(read_back->notice.level == notice.notice.level);
    RC_ASSERT(read_back->session == notice.session);
}

Part arbitrary_part() {
    Part part = {.kind = *arbitrary::any_of<Part::Kind>()};
    if (part.kind != Part::Kind::finish) part.part_id = *arbitrary::label();
    if (part.kind != Part::Kind::finish && part.kind != Part::Kind::text)
        part.tool = *rc::gen::element<std::string>("", "Bash");
    part.body = *arbitrary::text();
    if (part.kind == Part::Kind::tool_input || part.kind == Part::Kind::tool_output)
        part.body = json::quoted(part.body);
    part.is_error = part.kind == Part::Kind::tool_output && *rc::gen::arbitrary<bool>();
    return part;
}

PartDelta arbitrary_delta() {
    PartDelta delta;
    delta.kind = *rc::gen::element(PartDelta::Kind::text, PartDelta::Kind::tool_input);
    delta.part_id = *arbitrary::label();
    if (delta.kind == PartDelta::Kind::tool_input) delta.tool = "Bash";
    delta.text = *arbitrary::text();
    delta.is_start = *rc::gen::arbitrary<bool>();
    delta.is_replacement = *rc::gen::arbitrary<bool>();
    return delta;
}

bool same_delta(const PartDelta& a, const PartDelta& b) {
    return a.session == b.session && a.kind == b.kind && a.part_id == b.part_id &&
           a.tool == b.tool && a.text == b.text && a.is_start == b.is_start &&
           a.is_replacement == b.is_replacement;
}

RC_GTEST_PROP(NativeWire, AgentStreamsReadBack, ()) {
    const std::vector<StreamItem> items = {arbitrary_delta(), StreamPart{.part = arbitrary_part()},
                                           *arbitrary::any_of<Activity>()};
    const auto read = read_stream(stream_request(items));
    RC_ASSERT(read.has_value());
    RC_ASSERT(read->size() == items.size());
    RC_ASSERT(same_delta(std::get<PartDelta>(read->at(0)), std::get<PartDelta>(items[0])));
    RC_ASSERT(std::get<StreamPart>(read->at(1)) == std::get<StreamPart>(items[1]));
    RC_ASSERT(std::get<Activity>(read->at(2)) == std::get<Activity>(items[2]));
}

template <class Body>
Body passed_through(Event& event, Body body) {
    event.body = std::move(body);
    const Named named("named");
    const WireEvent wire = write_frame(std::make_shared<const Event>(event), {.names = &named});
    const auto read = read_frame(wire.data, wire.id);
    RC_ASSERT(read.has_value());
    RC_ASSERT(read->has_value());
    const EventPtr& got = std::get<EventPtr>(**read);
    RC_ASSERT(got->cursor == event.cursor);
    RC_ASSERT(got->at == event.at);
    RC_ASSERT(got->session == event.session);
    return std::get<Body>(got->body);
}

AskPtr as_opened() {
    Ask ask = arbitrary_ask();
    ask.settlement = nullptr;
    return std::make_shared<const Ask>(std::move(ask));
}

AskPtr as_settled() {
    Ask ask = arbitrary_ask();
    ask.settlement =
        std::make_shared<const Settlement>(*arbitrary::settlement(ask.spec->questions));
    return std::make_shared<const Ask>(std::move(ask));
}

// A function for each event: one without does not compile.
void reads_back(Of<AskOpened>, Event& event) {
    const AskPtr ask = as_opened();
    event.at = ask->created_at;
    event.session = ask->session;
    RC_ASSERT(same_ask(*passed_through(event, AskOpened{ask}).ask, *ask));
}

void reads_back(Of<AskSettled>, Event& event) {
    const AskPtr ask = as_settled();
    event.at = ask->settlement->at;
    event.session = ask->session;
    RC_ASSERT(same_ask(*passed_through(event, AskSettled{ask}).ask, *ask));
}

// Whose ask it was is told to nobody.
void reads_back(Of<ContentDeleted>, Event& event) {
    const ContentDeleted deleted = {.ask = *arbitrary::id<AskId>(), .asker = "token-1"};
    RC_ASSERT(passed_through(event, deleted).ask == deleted.ask);
    RC_ASSERT(passed_through(event, deleted).asker.empty());
}

void reads_back(Of<DraftChanged>, Event& event) {
    const AskPtr ask = as_opened();
    Draft draft = {
        .answers = *arbitrary::answers(ask->spec->questions), .device = "phone", .version = 7};
    const auto change = [&] {
        return DraftChanged{
            .ask = ask->id, .principal = {}, .draft = std::make_shared<const Draft>(draft)};
    };
    RC_ASSERT(passed_through(event, change()).ask == ask->id);
    RC_ASSERT(*passed_through(event, change()).draft == draft);
    draft.answers.clear();
    RC_ASSERT(*passed_through(event, change()).draft == draft);
}

void reads_back(Of<SnoozeChanged>, Event& event) {
    SnoozeChanged snooze = {
        .ask = *arbitrary::id<AskId>(), .principal = {}, .until = *arbitrary::instant()};
    RC_ASSERT(passed_through(event, snooze).ask == snooze.ask);
    RC_ASSERT(passed_through(event, snooze).until == snooze.until);
    snooze.until.reset();
    RC_ASSERT(passed_through(event, snooze).until == snooze.until);
}

template <OneOf<SessionCreated, SessionChanged, SessionEnded> Body>
void reads_back(Of<Body>, Event& event) {
    Body body;
    body.session = std::make_shared<Session>(*arbitrary::session());
    event.session = body.session->id;
    if constexpr (std::is_same_v<Body, SessionEnded>)
        body.reason = *arbitrary::maybe(arbitrary::text());
    const Body read = passed_through(event, body);
    RC_ASSERT(*read.session == *body.session);
    if constexpr (std::is_same_v<Body, SessionEnded>) RC_ASSERT(read.reason == body.reason);
}

void reads_back(Of<PartAdded>, Event& event) {
    const auto part = std::make_shared<const Part>(arbitrary_part());
    RC_ASSERT(*passed_through(event, PartAdded{part}).part == *part);
}

void reads_back(Of<MessageAdded>, Event& event) {
    const MessageAdded message = {
        .id = *arbitrary::id<MessageId>(), .text = *arbitrary::text(), .by = *arbitrary::decider()};
    const auto read = passed_through(event, message);
    RC_ASSERT(read.id == message.id && read.text == message.text);
    RC_ASSERT(read.by == message.by);
}

void reads_back(Of<MessagesTaken>, Event& event) {
    const MessagesTaken taken = {*arbitrary::id<MessageId>()};
    RC_ASSERT(passed_through(event, taken).up_to == taken.up_to);
}

void reads_back(Of<NoticeGiven>, Event& event) {
    const NoticeGiven notice = {.text = *arbitrary::text(),
                                .level = *arbitrary::any_of<NoticeGiven::Level>(),
                                .by = *rc::gen::element<std::string>("", "token-1")};
    for (const SessionId session : {event.session, SessionId()}) {
        event.session = session;
        const auto read = passed_through(event, notice);
        RC_ASSERT(read.text == notice.text && read.level == notice.level && read.by == notice.by);
    }
}

void reads_back(Of<AgentRevoked>, Event& event) {
    event.session = SessionId();
    const AgentRevoked revoked = {.principal = *arbitrary::label()};
    RC_ASSERT(passed_through(event, revoked).principal == revoked.principal);
}

// What is told to nobody has nothing that could be read.
template <OneOf<TokenChanged, MarkChanged> Body>
void reads_back(Of<Body>, Event& event) {
    event.body = Body{};
    RC_ASSERT(!may_see(kUnrestricted, event, /*is_session_named=*/true));
    const WireEvent wire = write_frame(std::make_shared<const Event>(event));
    const auto read = read_frame(wire.data, wire.id);
    RC_ASSERT(read && !*read);
}

template <class... Bodies>
void all_read_back(Of<std::variant<Bodies...>>) {
    const auto happens = [] {
        return Event{.cursor = {*rc::gen::arbitrary<std::uint64_t>()},
                     .at = *arbitrary::instant(),
                     .session = *arbitrary::id<SessionId>(),
                     .body = {}};
    };
    const auto check = [&](auto body) {
        Event event = happens();
        reads_back(body, event);
    };
    (check(Of<Bodies>()), ...);
}

RC_GTEST_PROP(NativeWire, EveryEventReadsBack, ()) {
    all_read_back(Of<EventBody>());
}

template <class T>
T frame_passed_through(const Frame& frame) {
    const WireEvent wire = write_frame(frame);
    const auto read = read_frame(wire.data, wire.id);
    RC_ASSERT(read.has_value());
    RC_ASSERT(read->has_value());
    return std::get<T>(**read);
}

RC_GTEST_PROP(NativeWire, TheOtherFramesReadBack, ()) {
    PartDelta delta = arbitrary_delta();
    delta.session = *arbitrary::id<SessionId>();
    RC_ASSERT(same_delta(
        *frame_passed_through<PartDeltaPtr>(std::make_shared<const PartDelta>(delta)), delta));
    auto ask = std::make_shared<Ask>(arbitrary_ask());
    ask->settlement.reset();
    ask->is_asker_revoked = *rc::gen::arbitrary<bool>();
    const Instant until = *arbitrary::instant();
    const auto listed = frame_passed_through<SnapshotAsk>(SnapshotAsk{ask, until});
    RC_ASSERT(same_ask(*listed.ask, *ask));
    RC_ASSERT(listed.ask->is_asker_revoked == ask->is_asker_revoked);
    RC_ASSERT(listed.snoozed_until == until);
    RC_ASSERT(!frame_passed_through<SnapshotAsk>(SnapshotAsk{ask}).snoozed_until);
    const Cursor cursor = {*rc::gen::arbitrary<std::uint64_t>()};
    RC_ASSERT(frame_passed_through<SnapshotEnd>(SnapshotEnd{cursor}).cursor == cursor);
    frame_passed_through<Reset>(Reset{});
}

TEST(NativeWire, APageOfALogReadsBack) {
    const auto event = [](std::uint64_t cursor) {
        return std::make_shared<const Event>(Event{.cursor = {cursor},
                                                   .at = {},
                                                   .session = {},
                                                   .body = NoticeGiven{.text = "Tea is ready"}});
    };
    const std::vector<EventPtr> events = {event(7), event(9)};
    for (const auto next : {std::optional<Cursor>(), std::optional(Cursor{7})}) {
        const auto page = read_event_page(event_page(events, next, {}));
        ASSERT_TRUE(page.has_value()) << page.error().message;
        ASSERT_EQ(page->events.size(), 2U);
        EXPECT_EQ(page->events[1]->cursor, Cursor{9});
        EXPECT_EQ(std::get<NoticeGiven>(page->events[1]->body).text, "Tea is ready");
        EXPECT_EQ(page->before, next);
    }
    for (const std::string_view text :
         {"", "{}", R"({"events":[7]})", R"({"events":[{"cursor":"7"}]})",
          R"({"events":[{"cursor":"x","event":{"type":"reset"}}]})", R"({"events":[],"next":"x"})"})
        EXPECT_FALSE(read_event_page(text).has_value()) << text;
}

TEST(NativeWire, TypesOfANewerServerArePassedOver) {
    const auto read = read_frame(R"({"type":"ask.reminded","ask":7})", Cursor{1});
    ASSERT_TRUE(read.has_value());
    EXPECT_FALSE(read->has_value());
}

TEST(NativeWire, ABrokenFrameIsRefusedNotTrusted) {
    for (const std::string_view data :
         {"", "{}", "[]", R"({"type":"ask.opened"})", R"({"type":"ask.opened","ask":{}})",
          R"({"type":"ask.settled","ask":7})", R"({"type":"session.created"})",
          R"({"type":"session.part","session":"x"})", R"({"type":"session.message"})",
          R"({"type":"notice"})", R"({"type":"snapshot.end","cursor":"x"})",
          R"({"type":"ask.draft"})", R"({"type":"ask.snoozed"})", R"({"type":"agent.revoked"})"})
        EXPECT_FALSE(read_frame(data, Cursor{1}).has_value()) << data;
    EXPECT_FALSE(read_ask_document("{}").has_value());
    EXPECT_FALSE(read_ask_page("{}").has_value());
    EXPECT_FALSE(read_session_document("7").has_value());
    EXPECT_FALSE(read_session_page(R"({"sessions":[7]})").has_value());
}

}  // namespace
}  // namespace parley::native
