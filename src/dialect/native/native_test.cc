// SPDX-License-Identifier: Apache-2.0
// The native wire as documents: what is written, word for word, and how each bad request is
// refused. That both sides of the wire fit each other: native_round_trip_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/printers_test.h"
#include "core/settle.h"
#include "core/test_asks.h"
#include "dialect/native/problem.h"
#include "dialect/native/server.h"
#include "dialect/native/settled_problem.h"
#include "text/limits.h"

namespace parley::native {
namespace {

using testing::ElementsAre;

constexpr std::string_view kAskId = "que_00000000000000000000000002";
constexpr std::string_view kSessionId = "ses_00000000000000000000000004";
const Instant kTime = Instant(Millis(1'500));

Ask sample_ask() {
    AskSpec spec;
    spec.questions = {{.text = "Which database?",
                       .header = "DB",
                       .options = {{.label = "PostgreSQL", .description = "Yours"},
                                   {.label = "SQLite", .description = "", .preview = "sqlite>"}}}};
    Ask ask;
    ask.id = AskId(IdBits{.high = 0, .low = 2});
    ask.session = SessionId(IdBits{.high = 0, .low = 4});
    ask.spec = std::make_shared<const AskSpec>(std::move(spec));
    ask.created_at = kTime;
    return ask;
}

AskPtr settled_ask() {
    const Actor ada = {.principal = "token-7", .door = "native", .name = "ada"};
    return with_settlement(sample_ask(),
                           *make_answer(sample_ask(), {{.selected = {"SQLite"}}}, {}, ada, kTime));
}

std::string ask_text(std::string_view session, std::string_view state, std::string_view more) {
    return fmt::format(
        R"({{"id":"{}",{},"state":"{}","questions":[{{"question":"Which database?","header":"DB",)"
        R"("kind":"choice",)"
        R"("options":[{{"label":"PostgreSQL","description":"Yours"}},)"
        R"({{"label":"SQLite","description":"","preview":"sqlite>"}}],)"
        R"("multi_select":false,"custom":true}}],"urgency":"normal","dismissible":true,)"
        R"("created_at":"1970-01-01T00:00:01.500Z"{}}})",
        kAskId, session, state, more);
}

const std::string kOwnSession = fmt::format(R"("session":"{0}","session_id":"{0}")", kSessionId);
constexpr std::string_view kSettlement =
    R"(,"settlement":{"outcome":"answered","answers":[{"selected":["SQLite"]}],)"
    R"("decider":{"kind":"person","principal":"token-7","name":"ada"},"door":"native",)"
    R"("at":"1970-01-01T00:00:01.500Z"})";

TEST(NativeDocuments, APendingAsk) {
    EXPECT_EQ(ask_document(sample_ask()), ask_text(kOwnSession, "pending", ""));
}

class OneName : public SessionNames {
public:
    explicit OneName(std::string_view name) : name_(name) {}
    std::string_view find(SessionId) const override { return name_; }

private:
    std::string_view name_;
};

TEST(NativeDocuments, TheSessionIsShownByItsNameBesideItsId) {
    const OneName named("session-123");
    EXPECT_EQ(ask_document(sample_ask(), {.names = &named}),
              ask_text(fmt::format(R"("session":"session-123","session_id":"{}")", kSessionId),
                       "pending", ""));
    const OneName nameless("");
    EXPECT_EQ(ask_document(sample_ask(), {.names = &nameless}),
              ask_text(kOwnSession, "pending", ""));
}

TEST(NativeDocuments, ASettledAsk) {
    EXPECT_EQ(ask_document(*settled_ask()), ask_text(kOwnSession, "answered", kSettlement));
}

TEST(NativeDocuments, AnAskWithEverything) {
    Ask ask = sample_ask();
    AskSpec spec = *ask.spec;
    spec.context = "# Why";
    spec.key = "k1";
    spec.tool = ToolCall{.message_id = "msg_1", .call_id = "toolu_1"};
    spec.agent = "claude";
    spec.asker = "token-1";
    spec.timeout = Millis(2'500);
    spec.default_answers = Answers{{.selected = {"SQLite"}}};
    ask.spec = std::make_shared<const AskSpec>(spec);
    ask.deadline = kTime + Millis(2'500);
    const std::string text = ask_document(ask);
    EXPECT_THAT(text,
                testing::HasSubstr(R"("context":"# Why","key":"k1","tool":{"message_id":"msg_1",)"
                                   R"("call_id":"toolu_1"},"agent":"claude","urgency":"normal",)"
                                   R"("dismissible":true,"asker":"token-1")"));
    EXPECT_THAT(text, testing::HasSubstr(R"("deadline":"1970-01-01T00:00:04.000Z",)"
                                         R"("timeout_seconds":2.5,"on_timeout":)"
                                         R"({"default":[{"selected":["SQLite"]}]})"));
    spec.default_answers.reset();
    ask.spec = std::make_shared<const AskSpec>(spec);
    EXPECT_THAT(ask_document(ask), testing::HasSubstr(R"("on_timeout":"deny")"));
}

TEST(NativeDocuments, PagesSayWhereTheNextOneStarts) {
    const std::vector<AskPtr> asks = {std::make_shared<const Ask>(sample_ask())};
    EXPECT_EQ(ask_page(asks, AskId(IdBits{.high = 0, .low = 2})),
              fmt::format(R"({{"asks":[{}],"next":"{}"}})", ask_document(sample_ask()), kAskId));
    EXPECT_EQ(ask_page({}, std::nullopt), R"({"asks":[],"next":null})");
}

TEST(NativeDocuments, ASessionsStateFollowsFromItsActivityAskAndEnd) {
    Session session;
    session.id = SessionId(IdBits{.high = 0, .low = 4});
    session.name = "session-123";
    session.created_at = kTime;
    EXPECT_EQ(session_document(session, 0),
              R"({"id":"ses_00000000000000000000000004",)"
              R"("session_id":"ses_00000000000000000000000004","session":"session-123",)"
              R"("name":"session-123","state":"idle",)"
              R"("activity":"idle","pending":0,"on_dismiss":"tell",)"
              R"("created_at":"1970-01-01T00:00:01.500Z"})");
    EXPECT_THAT(session_document(session, 2),
                testing::HasSubstr(R"("state":"waiting","activity":"idle","pending":2)"));
    session.activity = Activity::working;
    EXPECT_THAT(session_document(session, 0), testing::HasSubstr(R"("state":"working")"));
    session.ended_at = kTime;
    EXPECT_THAT(session_document(session, 2), testing::HasSubstr(R"("state":"ended")"));
}

EventPtr event_of(EventBody body) {
    return std::make_shared<const Event>(Event{.cursor = {17},
                                               .at = kTime,
                                               .session = SessionId(IdBits{.high = 0, .low = 4}),
                                               .body = std::move(body)});
}

TEST(NativeEvents, AskEventsCarryTheAsk) {
    const auto opened = write_frame(event_of(AskOpened{std::make_shared<const Ask>(sample_ask())}));
    EXPECT_EQ(opened.type, "ask.opened");
    EXPECT_EQ(opened.id, Cursor{17});
    EXPECT_EQ(opened.data,
              R"({"type":"ask.opened","ask":)" + ask_text(kOwnSession, "pending", "") + "}");
    const auto settled = write_frame(event_of(AskSettled{settled_ask()}));
    EXPECT_EQ(settled.type, "ask.settled");
    EXPECT_EQ(settled.data, R"({"type":"ask.settled","ask":)" +
                                ask_text(kOwnSession, "answered", kSettlement) + "}");
}

TEST(NativeEvents, SnapshotFramesHaveNoIdButTheLastHas) {
    const auto ask = write_frame(SnapshotAsk{std::make_shared<const Ask>(sample_ask())});
    EXPECT_EQ(ask.type, "ask.opened");
    EXPECT_EQ(ask.id, std::nullopt);
    const auto end = write_frame(SnapshotEnd{{17}});
    EXPECT_EQ(end.data, R"({"type":"snapshot.end","cursor":"17"})");
    EXPECT_EQ(end.id, Cursor{17});
    EXPECT_EQ(write_frame(Reset{}).data, R"({"type":"reset"})");
    EXPECT_EQ(write_frame(Reset{}).id, std::nullopt);
}

TEST(NativeEvents, PartsAreStreamEvents) {
    const auto data_of = [](Part part) {
        return write_frame(event_of(PartAdded{std::make_shared<const Part>(std::move(part))})).data;
    };
    const std::string head = fmt::format(
        R"({{"type":"session.part","at":"1970-01-01T00:00:01.500Z",{},"part":)", kOwnSession);
    EXPECT_EQ(data_of({.kind = Part::Kind::text, .part_id = "p1", .body = "Hi"}),
              head + R"({"type":"text-end","part_id":"p1","text":"Hi"}})");
    EXPECT_EQ(data_of({.kind = Part::Kind::tool_input,
                       .part_id = "c1",
                       .tool = "Bash",
                       .body = R"({"command":"ls"})"}),
              head + R"({"type":"tool-input-available","call_id":"c1","tool":"Bash",)"
                     R"("input":{"command":"ls"}}})");
    EXPECT_EQ(data_of({.kind = Part::Kind::tool_input_error, .part_id = "c1", .body = "bad"}),
              head + R"({"type":"tool-input-error","call_id":"c1","error":"bad"}})");
    EXPECT_EQ(data_of({.kind = Part::Kind::tool_output,
                       .part_id = "c1",
                       .tool = "Bash",
                       .body = "\"x\"",
                       .is_error = true}),
              head + R"({"type":"tool-output","call_id":"c1","tool":"Bash","output":"x",)"
                     R"("error":true}})");
    EXPECT_EQ(data_of({.kind = Part::Kind::finish, .body = "stop"}),
              head + R"({"type":"finish","reason":"stop"}})");
}

TEST(NativeEvents, DeltasHaveNoIdAndSayWhenTheyReplace) {
    PartDelta delta;
    delta.session = SessionId(IdBits{.high = 0, .low = 4});
    delta.part_id = "p1";
    delta.text = "He";
    delta.is_start = true;
    delta.is_replacement = true;
    const auto written = write_frame(std::make_shared<const PartDelta>(delta));
    EXPECT_EQ(written.id, std::nullopt);
    EXPECT_EQ(written.data,
              fmt::format(R"({{"type":"session.part",{},"part":{{"type":"text-start",)"
                          R"("part_id":"p1","text":"He","replace":true}}}})",
                          kOwnSession));
}

TEST(NativeRequests, AnAskMaySetEverything) {
    const auto ask = read_ask(R"({"question":"Which database?","options":["PostgreSQL","SQLite"],
        "session":"session-123","key":"k1","timeout_seconds":0.5,
        "on_timeout":{"default":[{"selected":["SQLite"]}]},"dismissible":false,"urgency":"high",
        "tool":{"call_id":"toolu_1"},"agent":"claude","context":"why\r\n"})",
                              kOpenProfile);
    ASSERT_TRUE(ask.has_value()) << testing::PrintToString(ask.error());
    EXPECT_EQ(ask->session, "session-123");
    EXPECT_EQ(ask->spec.key, "k1");
    EXPECT_EQ(ask->spec.timeout, Millis(500));
    EXPECT_THAT(*ask->spec.default_answers, ElementsAre(Answer{.selected = {"SQLite"}}));
    EXPECT_FALSE(ask->spec.dismissible);
    EXPECT_EQ(ask->spec.urgency, Urgency::high);
    EXPECT_EQ(ask->spec.tool, (ToolCall{.message_id = "", .call_id = "toolu_1"}));
    EXPECT_EQ(ask->spec.agent, "claude");
    EXPECT_EQ(ask->spec.context, "why\n");
}

TEST(NativeRequests, AnAskMayBeAListOrAJsonString) {
    EXPECT_TRUE(read_ask(R"([{"question":"Q?"}])", kOpenProfile).has_value());
    const auto wrapped = read_ask(json::quoted(R"({"question":"Q?","session":"s"})"), kOpenProfile);
    ASSERT_TRUE(wrapped.has_value());
    EXPECT_EQ(wrapped->session, "s");
}

TEST(NativeRequests, NobodyCanAskInAnothersName) {
    const auto ask = read_ask(R"({"question":"Q?","asker":"root"})", kOpenProfile);
    ASSERT_FALSE(ask.has_value());
    EXPECT_EQ(ask.error().faults.front().path, "/asker");
}

std::vector<Fault> ask_faults(std::string_view body) {
    const auto refused = read_ask(body, kOpenProfile);
    EXPECT_FALSE(refused.has_value()) << body;
    return refused ? std::vector<Fault>() : refused.error().faults;
}

TEST(NativeRequests, ABadAskNamesEveryField) {
    EXPECT_THAT(
        ask_faults(R"({"questions":[{"question":""}],"session":"a\nb","key":7,"timeout_seconds":0,
            "on_timeout":"maybe","dismissible":"no","urgency":"urgent","tool":{},"agent":"",
            "context":[]})"),
        testing::UnorderedElementsAre(
            Fault{"/questions/0/question", "the question is empty; give it some text"},
            Fault{"/session",
                  "the session contains U+000A LINE FEED at byte 1, which cannot be shown; remove "
                  "it"},
            Fault{"/key", "expected a string, not a number"},
            Fault{"/timeout_seconds",
                  "the timeout must be more than 0 seconds; leave it out to wait for ever"},
            Fault{"/on_timeout", "expected \"deny\" or {\"default\": [answers]}"},
            Fault{"/dismissible", "expected true or false, not a string"},
            Fault{"/urgency", "expected \"low\", \"normal\" or \"high\", not \"urgent\""},
            Fault{"/tool/call_id", "\"call_id\" is missing"},
            Fault{"/agent", "the agent's name is empty; give it some text"},
            Fault{"/context", "expected a string, not a list"}));
}

TEST(NativeRequests, WhatIsNoJsonIsAFaultOfTheWhole) {
    EXPECT_THAT(ask_faults("{nope"),
                ElementsAre(Fault{"", "not valid JSON: an unexpected character at byte 1"}));
    EXPECT_THAT(ask_faults(""), ElementsAre(Fault{"",
                                                  "not valid JSON: it ends too early, at byte "
                                                  "0"}));
    EXPECT_THAT(ask_faults("\"\xff\""), testing::SizeIs(1));
    EXPECT_EQ(read_ask(std::string(limits::kJsonBytes + 1, ' '), kOpenProfile).error().code,
              ErrorCode::too_large);
}

TEST(NativeRequests, TimeoutsBeyondAllNumbersAreRefusedNotWrapped) {
    EXPECT_EQ(ask_faults(R"({"question":"Q?","timeout_seconds":1e300})").at(0).path,
              "/timeout_seconds");
    EXPECT_EQ(ask_faults(R"({"question":"Q?","timeout_seconds":-1e300})").at(0).path,
              "/timeout_seconds");
    EXPECT_EQ(read_ask(R"({"question":"Q?","timeout_seconds":0.0001})", kOpenProfile)->spec.timeout,
              Millis(1));
}

TEST(NativeRequests, AnAnswerMayBePartial) {
    const auto answer =
        read_answer(R"({"answers":[{"selected":["A"]},{"other":"x","note":"y"}],"by":"ada"})");
    ASSERT_TRUE(answer.has_value());
    EXPECT_THAT(answer->answers,
                ElementsAre(Answer{.selected = {"A"}}, Answer{.other = "x", .note = "y"}));
    EXPECT_EQ(answer->by, "ada");
    EXPECT_EQ(answer->rules.completeness, Completeness::whole);
    EXPECT_EQ(read_answer(R"({"answers":[],"partial":true})")->rules.completeness,
              Completeness::partial);
}

TEST(NativeRequests, ABadAnswerNamesEveryField) {
    const auto refused =
        read_answer(R"({"answers":[7,{"selected":"A"},{"selected":[1],"other":2,"note":[]}],)"
                    R"("by":1,"partial":0})");
    ASSERT_FALSE(refused.has_value());
    EXPECT_THAT(
        refused.error().faults,
        ElementsAre(
            Fault{"/answers/0", "expected an answer: an object with \"selected\", not a number"},
            Fault{"/answers/1/selected", "expected a list, not a string"},
            Fault{"/answers/2/selected/0", "expected a label as a string, not a number"},
            Fault{"/answers/2/other", "expected a string, not a number"},
            Fault{"/answers/2/note", "expected a string, not a list"},
            Fault{"/by", "expected a string, not a number"},
            Fault{"/partial", "expected true or false, not a number"}));
    EXPECT_THAT(read_answer("{}").error().faults,
                ElementsAre(Fault{"/answers",
                                  "there are no answers; give \"answers\", a list with one for "
                                  "each question"}));
    EXPECT_THAT(read_answer(R"({"answers":{"Q?":"A"}})").error().faults,
                ElementsAre(Fault{"/answers",
                                  "expected a list of answers, one for each question, not an "
                                  "object"}));
}

TEST(NativeRequests, AReasonNeedsNoBody) {
    EXPECT_EQ(read_reason("")->reason, std::nullopt);
    EXPECT_EQ(read_reason(R"({"reason":"no","by":"ada"})")->reason, "no");
    EXPECT_THAT(read_reason(R"({"reason":1})").error().faults,
                ElementsAre(Fault{"/reason", "expected a string, not a number"}));
    EXPECT_FALSE(read_reason("[]").has_value());
}

TEST(NativeRequests, ASnoozeSaysForHowLong) {
    EXPECT_EQ(*read_snooze(R"({"seconds":1.5})"), Millis(1500));
    EXPECT_THAT(read_snooze("{}").error().faults,
                ElementsAre(Fault{"/seconds", "\"seconds\" is missing; say for how long"}));
    EXPECT_EQ(*read_snooze(R"({"seconds":0})"), Millis::zero()) << "ends it";
    EXPECT_THAT(
        read_snooze(R"({"seconds":-1})").error().faults,
        ElementsAre(Fault{"/seconds", "must be more than 0 seconds, or 0 to end the snooze"}));
    EXPECT_THAT(read_snooze(R"({"seconds":1e99})").error().faults,
                ElementsAre(Fault{"/seconds", "may be at most 316224000 seconds"}));
}

TEST(NativeRequests, ASessionMayBeNamedOrNot) {
    EXPECT_EQ(read_session("")->name, std::nullopt);
    const auto session = read_session(
        R"({"name":"session-123","title":"T","parent":"p","agent":"demo","on_dismiss":"stop"})");
    ASSERT_TRUE(session.has_value());
    EXPECT_EQ(session->name, "session-123");
    EXPECT_EQ(session->on_dismiss, OnDismiss::stop);
    EXPECT_EQ(read_session(R"({"ask_timeout_seconds":1.5})")->ask_timeout, Millis(1500));
    EXPECT_EQ(read_session(R"({"ask_timeout_seconds":0})")->ask_timeout, std::nullopt);
    EXPECT_EQ(read_session(R"({"ask_timeout_seconds":-1})").error().faults.at(0).path,
              "/ask_timeout_seconds");
    EXPECT_THAT(read_session(R"({"name":" ","on_dismiss":"go"})").error().faults,
                ElementsAre(Fault{"/name", "the name is empty; give it some text"},
                            Fault{"/on_dismiss", "expected \"tell\" or \"stop\", not \"go\""}));
}

TEST(NativeRequests, MessagesAndNoticesHaveText) {
    EXPECT_EQ(read_message(R"({"text":"Go on\r\n","by":"ada"})")->text, "Go on\n");
    EXPECT_THAT(read_message("{}").error().faults,
                ElementsAre(Fault{"/text", "\"text\" is missing"}));
    EXPECT_THAT(read_message(R"({"text":""})").error().faults,
                ElementsAre(Fault{"/text", "the message is empty; give it some text"}));
    const auto notice = read_notice(R"({"text":"Deployed","level":"warning","session":"s"})");
    ASSERT_TRUE(notice.has_value());
    EXPECT_EQ(notice->notice.level, NoticeGiven::Level::warning);
    EXPECT_EQ(notice->session, "s");
    EXPECT_THAT(
        read_notice(R"({"text":"x","level":"loud"})").error().faults,
        ElementsAre(Fault{"/level", "expected \"info\", \"warning\" or \"error\", not \"loud\""}));
}

TEST(NativeRequests, AStreamIsAListOfTypedEvents) {
    const auto items = read_stream(R"([{"type":"text-start","part_id":"p"},
        {"type":"text-delta","part_id":"p","text":"Hi"},{"type":"text-end","part_id":"p"},
        {"type":"tool-input-available","call_id":"c","tool":"Bash","input":{"a":1}},
        {"type":"tool-output","call_id":"c","error":"no such file"},
        {"type":"status","status":"working"},{"type":"finish"}])");
    ASSERT_TRUE(items.has_value()) << testing::PrintToString(items.error());
    ASSERT_EQ(items->size(), 7U);
    EXPECT_TRUE(std::get<PartDelta>(items->at(0)).is_start);
    EXPECT_EQ(std::get<PartDelta>(items->at(1)).text, "Hi");
    EXPECT_FALSE(std::get<StreamPart>(items->at(2)).has_body);
    EXPECT_EQ(std::get<StreamPart>(items->at(3)).part.body, R"({"a":1})");
    EXPECT_EQ(std::get<StreamPart>(items->at(4)).part.body, "\"no such file\"");
    EXPECT_TRUE(std::get<StreamPart>(items->at(4)).part.is_error);
    EXPECT_EQ(std::get<Activity>(items->at(5)), Activity::working);
}

TEST(NativeRequests, ABadStreamEventSaysWhich) {
    const auto refused = read_stream(R"([{"type":"text-delta","part_id":"p"},{"type":"shout"},7,
        {"type":"tool-output"},{"type":"status","status":"busy"},{"type":"status"}])");
    ASSERT_FALSE(refused.has_value());
    EXPECT_THAT(
        refused.error().faults,
        ElementsAre(
            Fault{"/0/text", "\"text\" is missing"},
            Fault{"/1/type",
                  "\"shout\" is no type of a stream event; they are text-start, text-delta, "
                  "text-end, tool-input-start, tool-input-delta, tool-input-available, "
                  "tool-input-error, tool-output, status, finish"},
            Fault{"/2", "expected a stream event: an object with \"type\", not a number"},
            Fault{"/3/call_id", "\"call_id\" is missing"},
            Fault{"/4/status", "expected \"idle\" or \"working\", not \"busy\""},
            Fault{"/5/status", "\"status\" is missing"}));
    EXPECT_THAT(read_stream("{}").error().faults,
                ElementsAre(Fault{"", "expected a list of stream events, not an object"}));
}

TEST(NativeCursor, IsDigitsAndNothingElse) {
    EXPECT_EQ(parse_cursor("18446744073709551615"), Cursor{~std::uint64_t{0}});
    EXPECT_EQ(cursor_text(Cursor{42}), "42");
    for (const std::string_view text : {"", "x", "1x", "-1", " 1", "1 ", "18446744073709551616"})
        EXPECT_EQ(parse_cursor(text), std::nullopt) << text;
}

TEST(Problems, CarryTheFaults) {
    const Error error = {.code = ErrorCode::invalid,
                         .message = "bad",
                         .faults = {{"/questions", "there is no question"}}};
    EXPECT_EQ(problem_document(error, 400),
              R"({"type":"urn:parley:problem:invalid","title":"The request is not valid",)"
              R"("status":400,"detail":"bad","errors":[{"path":"/questions",)"
              R"("detail":"there is no question"}]})");
}

TEST(Problems, AConflictCarriesTheAskThatStands) {
    EXPECT_EQ(
        settled_problem(*settled_ask()),
        R"({"type":"urn:parley:problem:already-settled","title":"The ask is settled already",)"
        R"("status":409,"detail":"this ask was answered by ada through the API at )"
        R"(1970-01-01T00:00:01.500Z; that settlement stands","ask":)" +
            ask_document(*settled_ask()) + "}");
    const Problem problem = read_problem(settled_problem(*settled_ask()), 409);
    EXPECT_EQ(problem.error.code, ErrorCode::conflict);
    ASSERT_NE(problem.ask, nullptr);
    EXPECT_EQ(*problem.ask->settlement, *settled_ask()->settlement);
}

TEST(Problems, ReadBackAsTheErrorTheyWere) {
    for (const ErrorCode code :
         {ErrorCode::invalid, ErrorCode::not_found, ErrorCode::conflict, ErrorCode::key_conflict,
          ErrorCode::denied, ErrorCode::too_large, ErrorCode::overloaded, ErrorCode::over_quota,
          ErrorCode::unavailable, ErrorCode::corrupt, ErrorCode::unsupported,
          ErrorCode::interrupted, ErrorCode::internal}) {
        const Error error = {.code = code, .message = "so", .faults = {{"/a/b", "c"}}};
        const int status = http_status(code);
        EXPECT_EQ(read_problem(problem_document(error, status), status).error, error);
    }
}

TEST(Problems, AStreamSaysWhyTheStoreIsAwayAndThatItIsBack) {
    const StoreNews away{Error{ErrorCode::unavailable, "the database is away"}};
    const auto read = read_store_news(kStoreAway, store_news_document(away));
    ASSERT_TRUE(read && read->away);
    EXPECT_EQ(read->away->code, ErrorCode::unavailable);
    EXPECT_EQ(read->away->message, "the database is away");
    EXPECT_FALSE(read_store_news(kStoreBack, store_news_document({}))->away);
    EXPECT_TRUE(read_store_news(kStoreAway, "rubbish")->away);
    EXPECT_FALSE(read_store_news("ask.opened", "{}"));
}

TEST(Problems, WhatIsNoProblemDocumentIsJudgedByItsStatus) {
    EXPECT_EQ(read_problem("<html>", 502).error.code, ErrorCode::unavailable);
    EXPECT_EQ(read_problem("", 401).error.code, ErrorCode::denied);
    EXPECT_EQ(read_problem("[]", 404).error.code, ErrorCode::not_found);
    EXPECT_EQ(read_problem("{}", 418).error.code, ErrorCode::invalid);
    EXPECT_EQ(read_problem("x", 404).error.message, "the server answered with status 404");
}

}  // namespace
}  // namespace parley::native
