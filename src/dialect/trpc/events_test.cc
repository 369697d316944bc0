// SPDX-License-Identifier: Apache-2.0
#include "dialect/trpc/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/settle.h"
#include "core/test_asks.h"
#include "dialect/trpc/asks.h"
#include "text/json.h"

namespace parley::trpc {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr SessionId kSession(IdBits{.high = 0, .low = 4});

AskPtr make_ask(std::uint64_t number) {
    AskSpec spec;
    spec.questions = {{.text = "Tea?", .header = "Tea", .options = {}}};
    Ask ask;
    ask.id = AskId(IdBits{.high = 0, .low = number});
    ask.session = kSession;
    ask.spec = std::make_shared<const AskSpec>(std::move(spec));
    return std::make_shared<const Ask>(std::move(ask));
}

class SessionEventsTest : public testing::Test {
protected:
    // The types of what a frame becomes; "" for one that only moves the cursor.
    std::vector<std::string> types(const Frame& frame) {
        told_.clear();
        events_.render(frame, told_);
        std::vector<std::string> all;
        for (const StreamEvent& event : told_) {
            const auto value = event.data.empty() ? json::Value() : *json::parse(event.data);
            const auto* object = value.if_object();
            all.emplace_back(object == nullptr ? ""
                                               : std::string_view(object->at("type").as_string()));
        }
        return all;
    }
    EventPtr event(EventBody body) {
        Event made{.cursor = {++cursor_},
                   .at = Instant(Millis(1000 * cursor_)),
                   .session = kSession,
                   .body = std::move(body)};
        return std::make_shared<const Event>(std::move(made));
    }
    EventPtr part(Part value) {
        return event(PartAdded{std::make_shared<const Part>(std::move(value))});
    }
    EventPtr activity(Activity now) {
        return event(SessionChanged{
            std::make_shared<const Session>(Session{.id = kSession, .activity = now})});
    }
    static PartDeltaPtr delta(std::string text, bool is_start) {
        return std::make_shared<const PartDelta>(PartDelta{
            .session = kSession, .part_id = "p", .text = std::move(text), .is_start = is_start});
    }

    SessionEvents events_{Activity::idle};
    std::vector<StreamEvent> told_;
    std::uint64_t cursor_ = 10;
};

// Who comes without an id gets what is pending, and only the last of it says where to go on.
TEST_F(SessionEventsTest, TheLastOfTheListCarriesItsCursor) {
    EXPECT_THAT(types(SnapshotAsk{make_ask(2)}), IsEmpty());
    EXPECT_THAT(types(SnapshotAsk{make_ask(3)}), ElementsAre("ask-question"));
    EXPECT_FALSE(told_[0].cursor.has_value());
    EXPECT_THAT(types(SnapshotEnd{Cursor{7}}), ElementsAre("ask-question"));
    EXPECT_EQ(told_[0].cursor, Cursor{7});
    EXPECT_NE(told_[0].data.find(make_ask(3)->id.str()), std::string::npos);
}

TEST_F(SessionEventsTest, AnEmptyListMovesTheCursorOrTellsTheNewSession) {
    EXPECT_THAT(types(SnapshotEnd{Cursor{7}}), ElementsAre(""));
    EXPECT_EQ(told_[0].cursor, Cursor{7});
    events_.tell_created(kSession);
    EXPECT_THAT(types(SnapshotEnd{Cursor{8}}), ElementsAre("session-created"));
}

TEST_F(SessionEventsTest, TextThatWasStreamedOnlyEnds) {
    EXPECT_THAT(types(delta("", true)), ElementsAre("text-start"));
    EXPECT_THAT(types(delta("Hi", false)), ElementsAre("text-delta"));
    EXPECT_THAT(types(part({.kind = Part::Kind::text, .part_id = "p", .body = "Hi"})),
                ElementsAre("text-end"));
    EXPECT_TRUE(told_[0].cursor.has_value());
}

TEST_F(SessionEventsTest, TextThatWasMissedComesWhole) {
    EXPECT_THAT(types(part({.kind = Part::Kind::text, .part_id = "p", .body = "Hi"})),
                ElementsAre("text-start", "text-delta", "text-end"));
    EXPECT_FALSE(told_[1].cursor.has_value());
    EXPECT_TRUE(told_[2].cursor.has_value());
}

TEST_F(SessionEventsTest, AToolsEndKnowsItsNameAndHowLongItTook) {
    EXPECT_THAT(types(part({.kind = Part::Kind::tool_input,
                            .part_id = "c",
                            .tool = "look",
                            .body = R"({"at":1})"})),
                ElementsAre("tool-call"));
    EXPECT_EQ(told_[0].data, R"({"type":"tool-call","toolCallId":"c","toolName":"look",)"
                             R"("input":{"at":1},"startTime":11000})");
    EXPECT_THAT(types(part({.kind = Part::Kind::tool_output, .part_id = "c", .body = "[]"})),
                ElementsAre("tool-result"));
    EXPECT_EQ(told_[0].data, R"({"type":"tool-result","toolCallId":"c","toolName":"look",)"
                             R"("result":[],"duration":1000})");
    EXPECT_THAT(types(part({.kind = Part::Kind::tool_output,
                            .part_id = "d",
                            .tool = "look",
                            .body = R"("gone")",
                            .is_error = true})),
                ElementsAre("tool-error"));
    EXPECT_EQ(told_[0].data, R"({"type":"tool-error","toolCallId":"d","toolName":"look",)"
                             R"("error":"gone"})");
}

TEST_F(SessionEventsTest, FinishingEndsTheTurnOnce) {
    EXPECT_THAT(types(activity(Activity::working)), ElementsAre("assistant-message-created"));
    EXPECT_THAT(types(part({.kind = Part::Kind::finish})), ElementsAre("complete"));
    EXPECT_TRUE(events_.is_turn_over());
    EXPECT_THAT(types(activity(Activity::idle)), ElementsAre(""));
}

TEST_F(SessionEventsTest, StoppingWithoutAFinishIsAnAbort) {
    (void)types(activity(Activity::working));
    EXPECT_THAT(types(activity(Activity::idle)), ElementsAre("abort"));
    EXPECT_TRUE(events_.is_turn_over());
}

// The stream of one turn must not end before every prompt of it was taken away.
TEST_F(SessionEventsTest, AnAgentThatOnlyAsksIsAbortedWithItsLastAsk) {
    const AskPtr first = make_ask(2);
    const AskPtr second = make_ask(3);
    (void)types(event(AskOpened{first}));
    (void)types(event(AskOpened{second}));
    const Actor ada = {.principal = "ada", .door = "trpc"};
    const auto stopped =
        make_withdrawal(WithdrawalRule::turn_stopped, std::nullopt, ada, Instant{});
    ASSERT_TRUE(stopped.has_value());
    EXPECT_THAT(types(event(AskSettled{with_settlement(*first, *stopped)})),
                ElementsAre("ask-settled"));
    EXPECT_THAT(types(event(AskSettled{with_settlement(*second, *stopped)})),
                ElementsAre("ask-settled", "abort"));
}

TEST_F(SessionEventsTest, ATurnThatDidNotTakeTheMessageIsAnother) {
    const MessageId mine(IdBits{.high = 0, .low = 5});
    events_.await_taken(mine);
    (void)types(part({.kind = Part::Kind::finish}));
    EXPECT_FALSE(events_.is_turn_over());
    EXPECT_THAT(types(event(MessagesTaken{mine})), ElementsAre(""));
    (void)types(part({.kind = Part::Kind::finish}));
    EXPECT_TRUE(events_.is_turn_over());
}

TEST(TrpcResume, PointsReadBack) {
    for (const StreamPlace& point :
         {StreamPlace{.cursor = {17}}, StreamPlace{.cursor = {0}, .is_in_snapshot = true},
          StreamPlace{.cursor = {17}, .is_in_snapshot = true, .session = kSession}})
        EXPECT_EQ(parse_resume(resume_text(point)), point);
    for (const std::string_view text : {"", "*", "x", "1x", "-1", "1@", "1@chat", "1**"})
        EXPECT_FALSE(parse_resume(text).has_value()) << text;
}

}  // namespace
}  // namespace parley::trpc
