// SPDX-License-Identifier: Apache-2.0
// The agent's stream, messages and notices: order, append-only input, joining in the middle.
#include <gtest/gtest.h>

#include "broker/broker_fixture.h"
#include "broker/limits.h"
#include "core/push_refusal.h"

namespace parley {
namespace {

class StreamTest : public SubscriptionTest {
protected:
    StreamTest() {
        broker().open_session({.name = "chat"}, kUnrestricted,
                              [this](Result<SessionPtr> session) { session_ = *session; });
        process_->settle_down();
    }

    static StreamItem text(std::string id, std::string first) {
        return PartDelta{
            .session = {}, .part_id = std::move(id), .text = std::move(first), .is_start = true};
    }
    static StreamItem input(std::string id, std::string first) {
        return PartDelta{.session = {},
                         .kind = PartDelta::Kind::tool_input,
                         .part_id = std::move(id),
                         .tool = "Bash",
                         .text = std::move(first),
                         .is_start = true};
    }
    static StreamItem more(std::string id, std::string rest) {
        return PartDelta{.session = {}, .part_id = std::move(id), .text = std::move(rest)};
    }
    static StreamItem more_input(std::string id, std::string rest) {
        return PartDelta{.session = {},
                         .kind = PartDelta::Kind::tool_input,
                         .part_id = std::move(id),
                         .text = std::move(rest)};
    }
    static StreamItem end(Part::Kind kind, std::string id) {
        return StreamPart{{.kind = kind, .part_id = std::move(id)}, false};
    }
    static StreamItem whole(Part::Kind kind, std::string id, std::string body) {
        return StreamPart{{.kind = kind, .part_id = std::move(id), .body = std::move(body)}};
    }
    Result<void> push(std::vector<StreamItem> items) {
        Result<void> got = reject(ErrorCode::internal, "not called");
        broker().push("chat", std::move(items), kUnrestricted,
                      [&](Result<void> result) { got = result; });
        process_->settle_down();
        return got;
    }
    // One word a frame, in order: "+a:hel" a delta, "=a:hello" a whole part, "~a:hel" a
    // replacement.
    static std::vector<std::string> words(const std::vector<Frame>& frames) {
        std::vector<std::string> list;
        for (const Frame& frame : frames) {
            if (const auto* delta = std::get_if<PartDeltaPtr>(&frame)) {
                list.push_back(((*delta)->is_replacement ? "~" : "+") + (*delta)->part_id + ":" +
                               (*delta)->text);
            } else if (const auto* event = std::get_if<EventPtr>(&frame)) {
                if (const auto* part = std::get_if<PartAdded>(&(*event)->body))
                    list.push_back("=" + part->part->part_id + ":" + part->part->body);
            }
        }
        return list;
    }
    using Words = std::vector<std::string>;

    SessionPtr session_;
};

// "message.index", messages numbered as they come.
std::vector<std::string> places(const std::vector<Frame>& frames) {
    std::vector<MessageId> messages;
    std::vector<std::string> list;
    for (const Frame& frame : frames) {
        const auto* event = std::get_if<EventPtr>(&frame);
        const auto* part = event == nullptr ? nullptr : std::get_if<PartAdded>(&(*event)->body);
        if (part == nullptr) continue;
        const PartPlace& place = part->part->place;
        if (messages.empty() || messages.back() != place.message) messages.push_back(place.message);
        list.push_back(std::to_string(messages.size()) + "." + std::to_string(place.index));
    }
    return list;
}

TEST_F(StreamTest, WhatIsSaidBetweenTwoPausesIsOneMessageAndACallStaysInItsPlace) {
    Subscription reader = subscribe({.after = broker().ledger().head()});
    ASSERT_TRUE(push({text("a", "hel"), end(Part::Kind::text, "a"),
                      whole(Part::Kind::tool_input, "c", "{}"), text("b", "x")}));
    open({.spec = spec(), .session = "chat"});
    ASSERT_TRUE(push({end(Part::Kind::text, "b"), whole(Part::Kind::tool_output, "c", "1"),
                      whole(Part::Kind::text, "d", "after"), whole(Part::Kind::finish, "", ""),
                      whole(Part::Kind::text, "e", "next turn")}));
    EXPECT_EQ(places(take_all(reader)), (Words{"1.0", "1.1", "1.2", "1.1", "2.0", "2.1", "3.0"}));
}

TEST_F(StreamTest, DeltasComeAsTheyAreAndTheWholePartIsKept) {
    Subscription reader = subscribe({.after = broker().ledger().head()});
    ASSERT_TRUE(push({text("a", "hel"), more("a", "lo"), end(Part::Kind::text, "a")}));
    EXPECT_EQ(words(take_all(reader)), (Words{"+a:hel", "+a:lo", "=a:hello"}));
}

// The next part's first delta is not shown before the end of the part before it.
TEST_F(StreamTest, OrderIsKeptAcrossTheStore) {
    Subscription reader = subscribe({.after = broker().ledger().head()});
    broker().push("chat", {text("a", "one"), end(Part::Kind::text, "a"), text("b", "two")},
                  kUnrestricted, [](Result<void>) {});
    broker().push("chat", {more("b", "!")}, kUnrestricted, [](Result<void>) {});
    process_->settle_down();
    EXPECT_EQ(words(take_all(reader)), (Words{"+a:one", "=a:one", "+b:two", "+b:!"}));
}

TEST_F(StreamTest, WhoJoinsInsideAPartGetsItFromItsStartAndThenGoesOn) {
    ASSERT_TRUE(push({text("a", "hel")}));
    Subscription fresh = subscribe({});
    EXPECT_EQ(words(take_all(fresh)), (Words{"~a:hel"}));
    ASSERT_TRUE(push({more("a", "lo")}));
    EXPECT_EQ(words(take_all(fresh)), (Words{"+a:lo"}));
}

TEST_F(StreamTest, WhoResumesByCursorGetsTheUnfinishedPartAsAReplacementOnce) {
    const Cursor seen = broker().ledger().head();
    ASSERT_TRUE(push({text("a", "hel"), more("a", "l")}));
    Subscription back = subscribe({.after = seen});
    EXPECT_EQ(words(take_all(back)), (Words{"~a:hell"}));
}

TEST_F(StreamTest, ASecondInputOfACallIsDropped) {
    Subscription reader = subscribe({.after = broker().ledger().head()});
    ASSERT_TRUE(push({input("c1", "{\"a\":"), whole(Part::Kind::tool_input, "c1", "{\"a\":1}"),
                      whole(Part::Kind::tool_input, "c1", "{\"a\":2}"), more_input("c1", "late")}));
    EXPECT_EQ(words(take_all(reader)), (Words{"+c1:{\"a\":", "=c1:{\"a\":1}"}));
}

TEST_F(StreamTest, AnInputErrorAfterInputBeganIsDropped) {
    Subscription reader = subscribe({.after = broker().ledger().head()});
    ASSERT_TRUE(
        push({input("c1", "{"), whole(Part::Kind::tool_input_error, "c1", "no such tool")}));
    EXPECT_EQ(words(take_all(reader)), (Words{"+c1:{"}));
    ASSERT_TRUE(push({whole(Part::Kind::tool_input_error, "c2", "no such tool")}));
    EXPECT_EQ(words(take_all(reader)), (Words{"=c2:no such tool"}));
}

TEST_F(StreamTest, APartThatNeverBeganNeitherGoesOnNorEnds) {
    for (const StreamItem& item :
         {more("ghost", "x"), end(Part::Kind::text, "ghost"), more_input("ghost", "{"),
          end(Part::Kind::tool_input, "ghost")}) {
        const auto result = push({item});
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().code, ErrorCode::conflict);
        EXPECT_EQ(result.error().message, "part ghost is not open; send it again from its start");
    }
}

// What was said before the restart is gone; what follows must not be taken for all of it.
TEST_F(StreamTest, APartThatSpansARestartIsSentAgainFromItsStart) {
    ASSERT_TRUE(push({text("a", "Do NOT "), more("a", "run the ")}));
    restart();
    Subscription reader = subscribe({.after = broker().ledger().head()});
    EXPECT_FALSE(push({more("a", "migration")}));
    EXPECT_FALSE(push({end(Part::Kind::text, "a")}));
    ASSERT_TRUE(
        push({text("a", "Do NOT run the "), more("a", "migration"), end(Part::Kind::text, "a")}));
    EXPECT_EQ(words(take_all(reader)),
              (Words{"+a:Do NOT run the ", "+a:migration", "=a:Do NOT run the migration"}));
}

// An agent that does not know what of a push arrived sends the part again.
TEST_F(StreamTest, TheStartOfAnOpenPartBeginsItAgain) {
    Subscription reader = subscribe({.after = broker().ledger().head()});
    ASSERT_TRUE(
        push({text("a", "hel"), text("a", "hell"), more("a", "o"), end(Part::Kind::text, "a")}));
    EXPECT_EQ(words(take_all(reader)), (Words{"+a:hel", "~a:hell", "+a:o", "=a:hello"}));
}

// One result for all: what stands before the first refusal stays, what follows it is not taken.
TEST_F(StreamTest, APushStopsAtItsFirstRefusalAndNamesIt) {
    Subscription reader = subscribe({.after = broker().ledger().head()});
    const auto result =
        push({text("a", "one"), end(Part::Kind::text, "a"), end(Part::Kind::text, "ghost"),
              Activity::working, whole(Part::Kind::text, "b", "two")});
    ASSERT_FALSE(result);
    EXPECT_EQ(applied_items(result.error()), 2u);
    ASSERT_EQ(result.error().faults.size(), 1u);
    EXPECT_EQ(result.error().faults[0].path, "/2/part_id");
    EXPECT_EQ(words(take_all(reader)), (Words{"+a:one", "=a:one"}));
    EXPECT_EQ(broker().ledger().find_session(session_->id)->session->activity, Activity::idle);
    EXPECT_TRUE(push({whole(Part::Kind::text, "b", "two")}));
}

TEST_F(StreamTest, ADeltaThatDoesNotFitIsNotLeftOutOfItsPart) {
    const std::string large(limits::kPartBytes - 10, 'x');
    ASSERT_TRUE(push({text("a", large)}));
    const auto result = push({more("a", "more than ten bytes"), end(Part::Kind::text, "a")});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::too_large);
    EXPECT_EQ(applied_items(result.error()), 0u);
    EXPECT_EQ(broker().ledger().find_session(session_->id)->session->activity, Activity::idle);
}

TEST_F(StreamTest, TooManyUnfinishedPartsAreRefused) {
    for (std::size_t i = 0; i < limits::kOpenPartsMax; ++i)
        ASSERT_TRUE(push({text(std::to_string(i), "x")}));
    const auto result = push({text("one more", "x")});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::too_large);
}

TEST_F(StreamTest, AMessageIsQueuedUntilItsAgentIsThereAndDoesNotWait) {
    Said said;
    const auto say = [&](std::string words) {
        broker().say("chat", std::move(words), ada_, [&](Result<Said> result) { said = *result; });
        process_->settle_down();
    };
    say("nobody is there");
    EXPECT_TRUE(said.is_queued);
    Subscription agent = subscribe({.session = session_->id, .is_agent = true});
    say("now you are");
    EXPECT_FALSE(said.is_queued);
    open({spec(), "chat"});
    say("but you wait for an answer");
    EXPECT_TRUE(said.is_queued);
    EXPECT_EQ(broker().ledger().find_session(session_->id)->messages.size(), 3u);
    broker().take_messages("chat", said.id, kUnrestricted,
                           [](Result<void> result) { ASSERT_TRUE(result); });
    process_->settle_down();
    EXPECT_TRUE(broker().ledger().find_session(session_->id)->messages.empty());
}

TEST_F(StreamTest, QueuedMessagesOutliveARestart) {
    broker().say("chat", "remember me", ada_, [](Result<Said>) {});
    process_->settle_down();
    restart();
    const auto& messages = broker().ledger().find_session(session_->id)->messages;
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_EQ(messages[0].message.text, "remember me");
}

TEST_F(StreamTest, FinishingLeavesTheSessionIdle) {
    ASSERT_TRUE(push({Activity::working}));
    EXPECT_EQ(broker().ledger().find_session(session_->id)->session->activity, Activity::working);
    ASSERT_TRUE(push({whole(Part::Kind::finish, "", "stop")}));
    EXPECT_EQ(broker().ledger().find_session(session_->id)->session->activity, Activity::idle);
}

TEST_F(StreamTest, TheEndOfASessionEndsItsStream) {
    ASSERT_TRUE(push({text("a", "half")}));
    broker().end_session("chat", std::nullopt, agent_, [](Result<SessionPtr>) {});
    process_->settle_down();
    EXPECT_FALSE(push({more("a", "more")}));
    Subscription fresh = subscribe({});
    EXPECT_TRUE(words(take_all(fresh)).empty());
}

TEST_F(StreamTest, WhatIsUnfinishedIsBoundedAndEndingItMakesRoom) {
    const std::string large(limits::kPartBytes, 'x');
    const std::size_t fits = limits::kOpenPartsBytes / large.size();
    for (std::size_t i = 0; i < fits; ++i)
        ASSERT_TRUE(push({text("p" + std::to_string(i), large)}));
    const auto refused = push({text("more", "x")});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::too_large);
    ASSERT_TRUE(push({end(Part::Kind::text, "p0")}));
    EXPECT_TRUE(push({text("more", "x")}));
    ASSERT_TRUE(push({whole(Part::Kind::finish, "", "")}));
    for (std::size_t i = 0; i < fits; ++i)
        EXPECT_TRUE(push({text("q" + std::to_string(i), large)}));
}

TEST_F(StreamTest, WhatIsUnfinishedInAllSessionsIsBoundedToo) {
    const std::string large(limits::kPartBytes, 'x');
    const std::size_t each = limits::kOpenPartsBytes / large.size();
    const std::size_t sessions = limits::kAllOpenPartsBytes / limits::kOpenPartsBytes;
    for (std::size_t session = 0; session < sessions; ++session) {
        const std::string name = "s" + std::to_string(session);
        broker().open_session({.name = name}, kUnrestricted, [](const Result<SessionPtr>&) {});
        process_->settle_down();
        for (std::size_t i = 0; i < each; ++i)
            broker().push(name, {text("p" + std::to_string(i), large)}, kUnrestricted,
                          [](Result<void> pushed) { EXPECT_TRUE(pushed); });
        process_->settle_down();
    }
    const auto refused = push({text("a", "x")});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::overloaded);
    broker().end_session("s0", std::nullopt, ada_, [](const Result<SessionPtr>&) {});
    process_->settle_down();
    EXPECT_TRUE(push({text("a", "x")}));
}

}  // namespace
}  // namespace parley
