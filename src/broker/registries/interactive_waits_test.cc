// SPDX-License-Identifier: Apache-2.0
#include "broker/registries/interactive_waits.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "broker/limits.h"
#include "support/sim_broker.h"

namespace parley {
namespace {

using namespace std::chrono_literals;
using sim::Got;
using sim::tea_or_coffee;

class InteractiveWaitsTest : public testing::Test {
protected:
    InteractiveWaits::Number register_wait(const InteractiveKey& key, Got<AskPtr>& got) {
        const auto number =
            waits_.register_wait(key, tea_or_coffee().questions, agent_, got.done());
        world_.settle_down();
        return number;
    }
    Result<InteractiveWaits::Resolution> resolve(const InteractiveKey& key, std::string label) {
        Got<InteractiveWaits::Resolution> got;
        waits_.resolve(key, {{.selected = {std::move(label)}}}, ada_, got.done());
        world_.settle_down();
        return *got;
    }
    std::size_t pending_count() const { return world_.broker.ledger().pending().size(); }

    const Actor agent_{.principal = "bot", .door = "test"};
    const Actor ada_{.principal = "ada", .door = "test"};
    const InteractiveKey key_{"session-1", "toolu_1"};
    const Answers tea_{{.selected = {"Tea"}}};
    sim::SimBroker world_;
    InteractiveWaits waits_{{world_.home, world_.clock, world_.broker}};
};

TEST_F(InteractiveWaitsTest, AClickReachesTheHookThatWaits) {
    Got<AskPtr> settled;
    register_wait(key_, settled);
    EXPECT_EQ(settled.calls(), 0);
    const auto resolution = resolve(key_, "Tea");
    ASSERT_TRUE(resolution);
    EXPECT_TRUE(resolution->is_resolved);
    ASSERT_TRUE(*settled);
    EXPECT_EQ((**settled)->settlement->answers, tea_);
    EXPECT_EQ((**settled)->spec->tool->call_id, "toolu_1");
}

TEST_F(InteractiveWaitsTest, ADuplicateRegistrationSharesOneAsk) {
    Got<AskPtr> first;
    Got<AskPtr> second;
    register_wait(key_, first);
    register_wait(key_, second);
    EXPECT_EQ(pending_count(), 1u);
    ASSERT_TRUE(resolve(key_, "Tea"));
    EXPECT_EQ(first.calls(), 1);
    EXPECT_EQ(second.calls(), 1);
    // Also one that comes after the click: a hook that was started again is told at once.
    Got<AskPtr> third;
    register_wait(key_, third);
    EXPECT_EQ(third.calls(), 1);
    EXPECT_EQ(pending_count(), 0u);
}

TEST_F(InteractiveWaitsTest, TheSameCallWithOtherQuestionsIsRefused) {
    Got<AskPtr> first;
    Got<AskPtr> other;
    register_wait(key_, first);
    std::vector<Question> questions = tea_or_coffee().questions;
    questions[0].text = "Milk?";
    waits_.register_wait(key_, questions, agent_, other.done());
    world_.settle_down();
    ASSERT_FALSE(*other);
    EXPECT_EQ(other->error().code, ErrorCode::key_conflict);
}

TEST_F(InteractiveWaitsTest, KeysWhosePartsJoinAlikeStayApart) {
    Got<AskPtr> first;
    Got<AskPtr> second;
    register_wait({"a__b", "c"}, first);
    register_wait({"a", "b__c"}, second);
    EXPECT_EQ(pending_count(), 2u);
    ASSERT_TRUE(resolve({"a", "b__c"}, "Tea")->is_resolved);
    EXPECT_EQ(first.calls(), 0);
    EXPECT_EQ(second.calls(), 1);
}

TEST_F(InteractiveWaitsTest, ALateDoubleOrUnknownClickIsNotResolved) {
    Got<AskPtr> settled;
    register_wait(key_, settled);
    ASSERT_TRUE(resolve(key_, "Tea")->is_resolved);
    const auto late = resolve(key_, "Coffee");
    EXPECT_FALSE(late->is_resolved);
    EXPECT_EQ(late->ask->settlement->answers, tea_) << "who comes late is told what stands";
    for (const InteractiveKey& unknown :
         {InteractiveKey{"session-1", "toolu_2"}, InteractiveKey{"session-2", "toolu_1"}}) {
        EXPECT_FALSE(resolve(unknown, "Tea")->is_resolved);
        EXPECT_EQ(resolve(unknown, "Tea")->ask, nullptr);
    }
    EXPECT_EQ(settled.calls(), 1);
}

TEST_F(InteractiveWaitsTest, TheLoserOfARaceIsToldWhatStands) {
    Got<AskPtr> settled;
    register_wait(key_, settled);
    Got<InteractiveWaits::Resolution> first;
    Got<InteractiveWaits::Resolution> second;
    waits_.resolve(key_, tea_, ada_, first.done());
    waits_.resolve(key_, {{.selected = {"Coffee"}}}, ada_, second.done());
    world_.settle_down();
    EXPECT_TRUE((*first)->is_resolved);
    EXPECT_FALSE((*second)->is_resolved);
    EXPECT_EQ((*second)->ask->settlement->answers, tea_);
}

TEST_F(InteractiveWaitsTest, AnInterruptionIsNotAnEmptyAnswer) {
    Got<AskPtr> settled;
    register_wait(key_, settled);
    Got<SessionPtr> stopped;
    world_.broker.abort("session-1", agent_, stopped.done());
    world_.settle_down();
    ASSERT_TRUE(*settled);
    EXPECT_EQ((**settled)->state(), AskState::withdrawn);
    EXPECT_TRUE((**settled)->settlement->answers.empty());
}

TEST_F(InteractiveWaitsTest, AnAbandonedWaitIsNotToldAndItsAskStaysPending) {
    Got<AskPtr> settled;
    waits_.abandon(register_wait(key_, settled));
    // Given up before it was even opened.
    Got<AskPtr> early;
    waits_.abandon(
        waits_.register_wait({"s", "t"}, tea_or_coffee().questions, agent_, early.done()));
    world_.settle_down();
    EXPECT_EQ(pending_count(), 2u);
    EXPECT_TRUE(resolve(key_, "Tea")->is_resolved);
    EXPECT_EQ(settled.calls() + early.calls(), 0);
}

TEST_F(InteractiveWaitsTest, AStoredAnswerIsPoppedOnce) {
    waits_.store_user_answer(key_, tea_);
    EXPECT_EQ(waits_.pop_user_answer({"session-1", "toolu_2"}), std::nullopt);
    EXPECT_EQ(waits_.pop_user_answer(key_), tea_);
    EXPECT_EQ(waits_.pop_user_answer(key_), std::nullopt);
}

TEST_F(InteractiveWaitsTest, AStoredAnswerIsDroppedAfterTenMinutesAndAPendingAskNever) {
    Got<AskPtr> settled;
    register_wait(key_, settled);
    waits_.store_user_answer(key_, tea_);
    world_.pass(5min);
    waits_.store_user_answer({"session-1", "toolu_2"}, tea_);
    world_.pass(limits::kStoredAnswerLife - 5min - 1s);
    EXPECT_EQ(waits_.stored_count(), 2u);
    world_.pass(1s);
    EXPECT_EQ(waits_.stored_count(), 1u);
    EXPECT_EQ(waits_.pop_user_answer(key_), std::nullopt);
    world_.pass(5min);
    EXPECT_EQ(waits_.stored_count(), 0u);
    world_.pass(24h);
    EXPECT_EQ(settled.calls(), 0);
    EXPECT_TRUE(resolve(key_, "Tea")->is_resolved);
}

TEST_F(InteractiveWaitsTest, StoringAgainReplacesTheAnswerAndKeepsItAnew) {
    waits_.store_user_answer(key_, tea_);
    world_.pass(9min);
    const Answers coffee{{.selected = {"Coffee"}}};
    waits_.store_user_answer(key_, coffee);
    world_.pass(9min);
    EXPECT_EQ(waits_.pop_user_answer(key_), coffee);
}

TEST_F(InteractiveWaitsTest, AtTheBoundTheOldestStoredAnswerGoes) {
    const auto key = [](std::size_t i) { return InteractiveKey{"s", fmt::format("t{}", i)}; };
    for (std::size_t i = 0; i <= limits::kStoredAnswersMax; ++i)
        waits_.store_user_answer(key(i), tea_);
    EXPECT_EQ(waits_.stored_count(), limits::kStoredAnswersMax);
    EXPECT_EQ(waits_.pop_user_answer(key(0)), std::nullopt);
    EXPECT_EQ(waits_.pop_user_answer(key(1)), tea_);
}

}  // namespace
}  // namespace parley
