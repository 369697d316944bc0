// SPDX-License-Identifier: Apache-2.0
#include "core/settle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/limits.h"
#include "core/printers_test.h"
#include "core/test_asks.h"

namespace parley {
namespace {

using testing::ElementsAre;

const Instant kNow = Instant(Millis(1'000'000));
const Actor kAda = {.principal = "prn_7", .door = "native", .name = "Ada"};

Ask pending_ask() {
    AskSpec spec;
    spec.questions = {{.text = "Which database?",
                       .header = "DB",
                       .options = {{.label = "PostgreSQL", .description = {}},
                                   {.label = "SQLite", .description = {}}}}};
    Ask ask;
    ask.spec = std::make_shared<const AskSpec>(std::move(spec));
    return ask;
}

Ask ask_with(void (*change)(AskSpec&)) {
    Ask ask = pending_ask();
    AskSpec spec = *ask.spec;
    change(spec);
    ask.spec = std::make_shared<const AskSpec>(std::move(spec));
    return ask;
}

TEST(Settle, AnAnswerNamesItsDeciderDoorAndTime) {
    const auto settlement = make_answer(pending_ask(), {{.selected = {"SQLite"}}}, {}, kAda, kNow);
    ASSERT_TRUE(settlement.has_value());
    EXPECT_EQ(
        *settlement,
        (Settlement{.outcome = Outcome::answered,
                    .answers = {{.selected = {"SQLite"}}},
                    .decider = {.kind = Decider::Kind::person, .principal = "prn_7", .name = "Ada"},
                    .door = "native",
                    .at = kNow}));
}

// An agent that nobody thought of is one that sees its own alone.
TEST(Settle, WhoIsNotSaidToSeeAllDoesNot) {
    EXPECT_FALSE(kAda.viewer().sees_all);
    EXPECT_TRUE(unrestricted_actor("prn_7", "native").viewer().sees_all);
}

// What `by` says is told beside who was authenticated, never instead.
TEST(Settle, WhatIsClaimedStandsBesideTheAuthenticatedName) {
    Actor actor = kAda;
    actor.claimed = "Bob";
    actor.uid = 1000;
    actor.pid = 4242;
    EXPECT_EQ(
        decider_of(Decider::Kind::person, actor),
        (Decider{.principal = "prn_7", .name = "Ada", .claimed = "Bob", .uid = 1000, .pid = 4242}));
    actor.claimed = "Ada";
    EXPECT_EQ(decider_of(Decider::Kind::person, actor).claimed, std::nullopt);
    actor.name.reset();
    EXPECT_EQ(decider_of(Decider::Kind::person, actor).name, "prn_7");
}

TEST(Settle, ABadAnswerNamesItsFaultsAndThoseOfTheName) {
    Actor nameless = kAda;
    nameless.claimed = "A\nda";
    const auto refused = make_answer(pending_ask(), {{.selected = {"x"}}}, {}, nameless, kNow);
    ASSERT_FALSE(refused.has_value());
    ASSERT_EQ(refused.error().faults.size(), 2U);
    EXPECT_EQ(refused.error().faults[0].path, "/by");
    EXPECT_EQ(refused.error().faults[1].path, "/answers/0/selected/0");
}

TEST(Settle, ADismissalKeepsItsReason) {
    const auto settlement = make_dismissal(pending_ask(), "not\r\nnow", kAda, kNow);
    ASSERT_TRUE(settlement.has_value());
    EXPECT_EQ(settlement->outcome, Outcome::dismissed);
    EXPECT_EQ(settlement->note, "not\nnow");
    EXPECT_EQ(make_dismissal(pending_ask(), " ", kAda, kNow)->note, std::nullopt);
}

TEST(Settle, ADismissalIsRefusedWhereTheAskerForbadeIt) {
    const Ask ask = ask_with([](AskSpec& spec) { spec.dismissible = false; });
    const auto refused = make_dismissal(ask, std::nullopt, kAda, kNow);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, ErrorCode::conflict);
    EXPECT_EQ(refused.error().message,
              "the asker does not allow this ask to be dismissed; answer it instead");
}

TEST(Settle, AReasonHasALimit) {
    const auto refused = make_withdrawal(std::string(limits::kReasonBytes + 1, 'r'), kAda, kNow);
    ASSERT_FALSE(refused.has_value());
    EXPECT_THAT(refused.error().faults,
                ElementsAre(Fault{"/reason",
                                  "the reason has 16385 bytes, but at most 16384 are "
                                  "allowed; shorten it"}));
}

TEST(Settle, AWithdrawalIsTheAgentsOrARules) {
    const auto by_agent = make_withdrawal("changed my mind", kAda, kNow);
    ASSERT_TRUE(by_agent.has_value());
    EXPECT_EQ(by_agent->outcome, Outcome::withdrawn);
    EXPECT_EQ(by_agent->decider.kind, Decider::Kind::agent);
    EXPECT_EQ(withdrawal_rule(*by_agent), std::nullopt);
    const auto by_rule = make_withdrawal(WithdrawalRule::session_ended, std::nullopt, kAda, kNow);
    ASSERT_TRUE(by_rule.has_value());
    EXPECT_EQ(
        by_rule->decider,
        (Decider{.kind = Decider::Kind::rule, .principal = "prn_7", .name = "session-ended"}));
    EXPECT_EQ(withdrawal_rule(*by_rule), WithdrawalRule::session_ended);
}

TEST(Settle, NobodyCanPassForARule) {
    Actor actor = kAda;
    actor.name = "session-ended";
    EXPECT_EQ(withdrawal_rule(*make_withdrawal(std::nullopt, actor, kNow)), std::nullopt);
}

TEST(Settle, TheTimerSaysTimedOutUnlessTheAskerSetADefault) {
    const Settlement plain = make_timeout(pending_ask(), kNow);
    EXPECT_EQ(plain.outcome, Outcome::timed_out);
    EXPECT_EQ(plain.decider.kind, Decider::Kind::timer);
    EXPECT_TRUE(plain.answers.empty());
    const Ask ask =
        ask_with([](AskSpec& spec) { spec.default_answers = Answers{{.selected = {"SQLite"}}}; });
    const Settlement answered = make_timeout(ask, kNow);
    EXPECT_EQ(answered.outcome, Outcome::answered);
    EXPECT_EQ(answered.decider.kind, Decider::Kind::timer);
    EXPECT_THAT(answered.answers, ElementsAre(Answer{.selected = {"SQLite"}}));
}

TEST(Settle, ARepeatIsTheSameAnswerByTheSameResponder) {
    const Ask ask = pending_ask();
    const auto offer = [&](std::string label, Actor actor, Instant at) {
        return *make_answer(ask, {{.selected = {std::move(label)}}}, {}, actor, at);
    };
    const Settlement standing = offer("SQLite", kAda, kNow);
    Actor elsewhere = kAda;
    elsewhere.door = "page";
    elsewhere.name = "Ada L.";
    elsewhere.pid = 12;
    EXPECT_TRUE(is_repeat(standing, offer("SQLite", elsewhere, kNow + Millis(5))));
    EXPECT_FALSE(is_repeat(standing, offer("PostgreSQL", kAda, kNow)));
    Actor other = kAda;
    other.claimed = "Bob";
    EXPECT_FALSE(is_repeat(standing, offer("SQLite", other, kNow)));
    other = kAda;
    other.principal = "prn_8";
    EXPECT_FALSE(is_repeat(standing, offer("SQLite", other, kNow)));
    EXPECT_FALSE(is_repeat(standing, *make_dismissal(ask, std::nullopt, kAda, kNow)));
}

TEST(Settle, ASettledAskSharesItsSpec) {
    const Ask ask = pending_ask();
    const AskPtr settled = with_settlement(ask, make_timeout(ask, kNow));
    EXPECT_EQ(settled->state(), AskState::timed_out);
    EXPECT_EQ(settled->spec, ask.spec);
    EXPECT_TRUE(ask.is_pending());
}

}  // namespace
}  // namespace parley
