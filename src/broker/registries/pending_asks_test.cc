// SPDX-License-Identifier: Apache-2.0
#include "broker/registries/pending_asks.h"

#include <gtest/gtest.h>

#include "broker/limits.h"
#include "support/sim_broker.h"

namespace parley {
namespace {

using namespace std::chrono_literals;
using sim::Got;
using sim::tea_or_coffee;

class PendingAsksTest : public testing::Test {
protected:
    // The question id, which a streamed event would carry.
    std::string ask(Got<Answers>& got, AskRequest request = {tea_or_coffee(), "session-1"}) {
        AskPtr opened;
        asks_.ask(std::move(request), agent_, [&](const AskPtr& ask) { opened = ask; }, got.done());
        world_.settle_down();
        return opened ? opened->id.str() : "";
    }
    Result<void> resolve(const std::string& id, std::string label) {
        Got<void> got;
        asks_.resolve(id, {{.selected = {std::move(label)}}}, ada_, got.done());
        world_.settle_down();
        return *got;
    }
    AskPtr stored(const std::string& id) {
        Got<AskPtr> found;
        world_.broker.find_ask(*AskId::parse(id), kUnrestricted, found.done());
        world_.settle_down();
        return **found;
    }

    const Actor agent_{.principal = "bot", .door = "test"};
    const Actor ada_{.principal = "ada", .door = "test"};
    sim::SimBroker world_;
    PendingAsks asks_{{world_.home, world_.broker}};
};

TEST_F(PendingAsksTest, ResolvingGivesTheAnswersToWhoAsked) {
    Got<Answers> answers;
    const std::string id = ask(answers);
    EXPECT_EQ(asks_.size(), 1u);
    EXPECT_TRUE(resolve(id, "Tea"));
    ASSERT_TRUE(*answers);
    EXPECT_EQ((*answers)->at(0).selected, std::vector<std::string>{"Tea"});
    EXPECT_EQ(asks_.size(), 0u);
    EXPECT_EQ(stored(id)->settlement->decider.principal, "ada");
}

TEST_F(PendingAsksTest, AnUnansweredQuestionTimesOutAfterFiveMinutesAndNotBefore) {
    Got<Answers> answers;
    const std::string id = ask(answers);
    world_.pass(limits::kAskTimeoutDefault - 1s);
    EXPECT_EQ(answers.calls(), 0);
    world_.pass(1s);
    ASSERT_FALSE(*answers);
    EXPECT_EQ(answers->error().code, ErrorCode::timed_out);
    EXPECT_EQ(answers->error().message, "Ask timeout");
    EXPECT_EQ(stored(id)->state(), AskState::timed_out);
}

TEST_F(PendingAsksTest, ATimeoutOfTheAskersOwnIsKept) {
    Got<Answers> answers;
    AskRequest request{tea_or_coffee(), "session-1"};
    request.spec.timeout = 10min;
    ask(answers, std::move(request));
    world_.pass(9min);
    EXPECT_EQ(answers.calls(), 0);
    world_.pass(1min);
    EXPECT_EQ(answers.calls(), 1);
}

TEST_F(PendingAsksTest, ASecondAnswerALateOneAndAnUnknownOneAreRefusedInTheSameWords) {
    Got<Answers> answered;
    const std::string first = ask(answered);
    ASSERT_TRUE(resolve(first, "Tea"));
    Got<Answers> late;
    const std::string second = ask(late);
    world_.pass(limits::kAskTimeoutDefault);
    for (const std::string& id : {first, second, AskId(IdBits{1, 2}).str(), std::string("q1")}) {
        const auto refused = resolve(id, "Coffee");
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, ErrorCode::not_found);
        EXPECT_EQ(refused.error().message, "Question not found or already answered");
    }
    EXPECT_EQ((*answered)->at(0).selected[0], "Tea");
}

TEST_F(PendingAsksTest, OfTwoAnswersInOneTurnTheSecondIsRefused) {
    Got<Answers> answers;
    const std::string id = ask(answers);
    Got<void> first;
    Got<void> second;
    asks_.resolve(id, {{.selected = {"Tea"}}}, ada_, first.done());
    asks_.resolve(id, {{.selected = {"Coffee"}}}, ada_, second.done());
    world_.settle_down();
    EXPECT_TRUE(*first);
    ASSERT_FALSE(*second);
    EXPECT_EQ(second->error().message, PendingAsks::kUnknownText);
}

TEST_F(PendingAsksTest, AnInvalidAnswerNamesItsFaultAndTheQuestionWaitsOn) {
    Got<Answers> answers;
    const std::string id = ask(answers);
    Got<void> refused;
    asks_.resolve(id, {}, ada_, refused.done());
    world_.settle_down();
    ASSERT_FALSE(*refused);
    EXPECT_EQ(refused->error().code, ErrorCode::invalid);
    EXPECT_FALSE(refused->error().faults.empty());
    EXPECT_EQ(answers.calls(), 0);
    EXPECT_TRUE(resolve(id, "Tea"));
}

TEST_F(PendingAsksTest, RejectingEndsTheAskWithTheReason) {
    Got<Answers> answers;
    const std::string id = ask(answers);
    Got<void> rejected;
    asks_.reject(id, "not today", ada_, rejected.done());
    world_.settle_down();
    EXPECT_TRUE(*rejected);
    ASSERT_FALSE(*answers);
    EXPECT_EQ(answers->error().code, ErrorCode::conflict);
    EXPECT_EQ(answers->error().message, "The question was dismissed: not today");
    asks_.reject(id, std::nullopt, ada_, rejected.done());
    world_.settle_down();
    EXPECT_EQ(rejected->error().message, PendingAsks::kUnknownText);
}

TEST_F(PendingAsksTest, AnAskThatCannotBeOpenedFailsAndNoQuestionIdIsGiven) {
    Got<Answers> answers;
    EXPECT_EQ(ask(answers, {}), "");
    ASSERT_FALSE(*answers);
    EXPECT_EQ(answers->error().code, ErrorCode::invalid);
}

TEST_F(PendingAsksTest, AskersOfDifferentSessionsDoNotMeet) {
    Got<Answers> first;
    Got<Answers> second;
    ask(first);
    const std::string id = ask(second, {tea_or_coffee(), "session-2"});
    ASSERT_TRUE(resolve(id, "Coffee"));
    EXPECT_EQ(first.calls(), 0);
    EXPECT_EQ(second.calls(), 1);
}

// The map is of one process; the asks are not.
TEST_F(PendingAsksTest, AQuestionOfAnEarlierMapCanBeResolved) {
    Got<Answers> answers;
    auto earlier = std::make_unique<PendingAsks>(PendingAsks::Wiring{world_.home, world_.broker});
    AskPtr opened;
    earlier->ask(
        {tea_or_coffee()}, agent_, [&](const AskPtr& ask) { opened = ask; }, answers.done());
    world_.settle_down();
    earlier.reset();
    EXPECT_TRUE(resolve(opened->id.str(), "Tea"));
    EXPECT_EQ(answers.calls(), 0);
    EXPECT_EQ(stored(opened->id.str())->state(), AskState::answered);
}

}  // namespace
}  // namespace parley
