// SPDX-License-Identifier: Apache-2.0
// The broker over the memory engine in simulated time: each rule once, by hand. The simulator
// (tests/simulator) drives the same code through random schedules and crashes.
#include "broker/broker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sizes.h"
#include "broker/broker_fixture.h"
#include "broker/limits.h"
#include "core/limits.h"

namespace parley {
namespace {

using namespace std::chrono_literals;

TEST_F(BrokerTest, AnAnswerReachesWhoWaits) {
    const AskPtr opened = open({spec()});
    AskPtr settled;
    const Wait wait =
        broker().wait(opened->id, kUnrestricted, [&](Result<AskPtr> ask) { settled = *ask; });
    const auto reply = answer(opened->id, "Tea", ada_);
    ASSERT_TRUE(reply);
    EXPECT_TRUE(reply->is_yours);
    ASSERT_NE(settled, nullptr);
    EXPECT_EQ(settled->settlement->answers[0].selected, std::vector<std::string>{"Tea"});
    EXPECT_EQ(settled->settlement->decider.principal, "ada");
}

TEST_F(BrokerTest, WaitingForASettledAskIsToldAtOnce) {
    const AskPtr opened = open({spec()});
    ASSERT_TRUE(answer(opened->id, "Tea", ada_));
    AskPtr settled;
    const Wait wait =
        broker().wait(opened->id, kUnrestricted, [&](Result<AskPtr> ask) { settled = *ask; });
    process_->settle_down();
    ASSERT_NE(settled, nullptr);
}

TEST_F(BrokerTest, WaitingForAnUnknownAskIsAnError) {
    Result<AskPtr> got;
    const Wait wait = broker().wait(AskId(IdBits{1, 2}), kUnrestricted,
                                    [&](Result<AskPtr> ask) { got = std::move(ask); });
    process_->settle_down();
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, ErrorCode::not_found);
}

TEST_F(BrokerTest, ADroppedWaitIsNotToldAndTheAskLivesOn) {
    const AskPtr opened = open({spec()});
    bool is_told = false;
    {
        const Wait wait =
            broker().wait(opened->id, kUnrestricted, [&](Result<AskPtr>) { is_told = true; });
    }
    ASSERT_TRUE(answer(opened->id, "Tea", ada_));
    EXPECT_FALSE(is_told);
}

// Two answers submitted in one turn share a transaction; the loser learns what stands.
TEST_F(BrokerTest, OneWhoOwnsItsOwnWaitMayBeLeftWaiting) {
    const AskPtr opened = open({spec()});
    auto waiting = std::make_shared<Wait>();
    const std::weak_ptr<Wait> seen = waiting;
    *waiting = broker().wait(opened->id, kUnrestricted,
                             [waiting](const Result<AskPtr>&) { FAIL() << "nobody settled it"; });
    waiting.reset();
    process_.reset();
    EXPECT_TRUE(seen.expired());
}

TEST_F(BrokerTest, AWaitThatIsDroppedWhileTheStoreLooksIsNotTold) {
    const AskPtr asked = open({.spec = spec()});
    ASSERT_TRUE(answer(asked->id, "Tea", ada_));
    int told = 0;
    {
        const Wait wait =
            broker().wait(asked->id, kUnrestricted, [&](const Result<AskPtr>&) { ++told; });
    }
    Wait kept = broker().wait(asked->id, kUnrestricted, [&](const Result<AskPtr>&) { ++told; });
    process_->settle_down();
    EXPECT_EQ(told, 1);
}

TEST_F(BrokerTest, WaitersOfASettledAskAreCountedToo) {
    const AskPtr asked = open({.spec = spec()});
    ASSERT_TRUE(answer(asked->id, "Tea", ada_));
    std::size_t refused = 0;
    std::vector<Wait> waits;
    for (std::size_t i = 0; i <= limits::kWaitersPerAskMax; ++i) {
        waits.push_back(broker().wait(asked->id, kUnrestricted, [&](const Result<AskPtr>& result) {
            refused += result ? 0 : 1;
        }));
    }
    process_->settle_down();
    EXPECT_EQ(refused, 1u);
}

TEST_F(BrokerTest, OfTwoRacingAnswersOneWinsAndTheOtherIsToldWhich) {
    const AskPtr opened = open({spec()});
    std::vector<SettleReply> replies;
    const auto note = [&](Result<SettleReply> reply) { replies.push_back(*reply); };
    broker().answer(opened->id, {{.selected = {"Tea"}}}, {}, ada_, note);
    broker().answer(opened->id, {{.selected = {"Coffee"}}}, {}, bob_, note);
    process_->settle_down();
    ASSERT_EQ(replies.size(), 2u);
    EXPECT_TRUE(replies[0].is_yours);
    EXPECT_FALSE(replies[1].is_yours);
    EXPECT_EQ(replies[1].ask->settlement->decider.principal, "ada");
}

TEST_F(BrokerTest, TheSameAnswerAgainIsASuccessAndAnotherIsNot) {
    const AskPtr opened = open({spec()});
    ASSERT_TRUE(answer(opened->id, "Tea", ada_));
    EXPECT_TRUE(answer(opened->id, "Tea", ada_)->is_yours);
    EXPECT_FALSE(answer(opened->id, "Coffee", ada_)->is_yours);
    EXPECT_FALSE(answer(opened->id, "Tea", bob_)->is_yours);
}

TEST_F(BrokerTest, AnInvalidAnswerLeavesTheAskPending) {
    const AskPtr opened = open({{.questions = {{.text = "Tea?",
                                                .header = "Tea",
                                                .options = {{"Yes", ""}, {"No", ""}},
                                                .custom = false}}}});
    const auto reply = answer(opened->id, "Maybe", ada_);
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code, ErrorCode::invalid);
    ASSERT_FALSE(reply.error().faults.empty());
    EXPECT_EQ(reply.error().faults[0].path, "/answers/0/selected/0");
    EXPECT_NE(broker().ledger().find_pending(opened->id), nullptr);
}

TEST_F(BrokerTest, TheSameKeyIsTheSameAskAndOtherQuestionsAreAConflict) {
    AskSpec keyed = spec();
    keyed.key = "deploy";
    const auto first = ask({keyed});
    const auto second = ask({keyed});
    ASSERT_TRUE(second);
    EXPECT_FALSE(second->is_new);
    EXPECT_EQ(second->ask->id, first->ask->id);
    AskSpec other = spec("Something else?");
    other.key = "deploy";
    const auto third = ask({other});
    ASSERT_FALSE(third);
    EXPECT_EQ(third.error().code, ErrorCode::key_conflict);
}

TEST_F(BrokerTest, TheSameKeyFindsASettledAskAfterARestart) {
    AskSpec keyed = spec();
    keyed.key = "deploy";
    const AskPtr opened = open({keyed});
    ASSERT_TRUE(answer(opened->id, "Tea", ada_));
    restart();
    const auto again = ask({keyed});
    ASSERT_TRUE(again);
    EXPECT_EQ(again->ask->state(), AskState::answered);
}

TEST_F(BrokerTest, ByDefaultAnAskWaitsForEver) {
    const AskPtr opened = open({spec()});
    pass(std::chrono::hours(24 * 3));
    EXPECT_EQ(stored(opened->id)->state(), AskState::pending);
}

TEST_F(BrokerTest, ADeadlineFiresAtItsTimeAndNotEarlyThoughTheWallClockSteps) {
    AskSpec timed = spec();
    timed.timeout = 60s;
    const AskPtr opened = open({timed});
    clock_.step_wall(1h);
    pass(59s);
    EXPECT_EQ(stored(opened->id)->state(), AskState::pending);
    clock_.step_wall(-2h);
    pass(1001ms);
    EXPECT_EQ(stored(opened->id)->state(), AskState::timed_out);
    EXPECT_EQ(stored(opened->id)->settlement->decider.kind, Decider::Kind::timer);
}

TEST_F(BrokerTest, AnEarlierDeadlineThatComesLaterFiresFirst) {
    AskSpec late = spec();
    late.timeout = 100s;
    AskSpec soon = spec();
    soon.timeout = 10s;
    const AskPtr first = open({late});
    const AskPtr second = open({soon});
    pass(11s);
    EXPECT_EQ(stored(first->id)->state(), AskState::pending);
    EXPECT_EQ(stored(second->id)->state(), AskState::timed_out);
    pass(90s);
    EXPECT_EQ(stored(first->id)->state(), AskState::timed_out);
}

TEST_F(BrokerTest, ADeadlineThatPassedWhileNobodyRanIsSettledBeforeAnythingIsServed) {
    AskSpec timed = spec();
    timed.timeout = 60s;
    timed.default_answers = Answers{{.selected = {"Tea"}}};
    const AskPtr opened = open({timed});
    process_.reset();
    clock_.advance(2min);
    restart();
    const AskPtr now = stored(opened->id);
    EXPECT_EQ(now->state(), AskState::answered);
    EXPECT_EQ(now->settlement->decider.kind, Decider::Kind::timer);
    EXPECT_EQ(now->settlement->answers[0].selected[0], "Tea");
}

TEST_F(BrokerTest, ASessionsTimeoutIsThatOfAsksThatBringNone) {
    SessionPtr session;
    const auto keep = [&](const Result<SessionPtr>& result) { session = *result; };
    broker().open_session({.name = "chat", .ask_timeout = std::chrono::seconds(55)}, kUnrestricted,
                          keep);
    // The name means that session from now on, stored or not.
    OpenedAsk early;
    broker().ask({.spec = spec(), .session = "chat"}, kOpenProfile, agent_,
                 [&](const Result<OpenedAsk>& opened) { early = *opened; });
    process_->settle_down();
    EXPECT_EQ(early.ask->session, session->id);

    const AskPtr plain = open({.spec = spec(), .session = "chat"});
    EXPECT_EQ(plain->deadline, plain->created_at + std::chrono::seconds(55));
    AskRequest own{.spec = spec(), .session = "chat"};
    own.spec.timeout = std::chrono::seconds(5);
    EXPECT_EQ(open(own)->spec->timeout, Millis(5000));

    broker().set_ask_timeout(session->id, std::nullopt, kUnrestricted, keep);
    process_->settle_down();
    EXPECT_EQ(session->ask_timeout, std::nullopt);
    EXPECT_EQ(open({.spec = spec(), .session = "chat"})->deadline, std::nullopt);
    broker().set_ask_timeout(SessionId(), Millis(1), kUnrestricted,
                             [&](const Result<SessionPtr>& result) {
                                 EXPECT_EQ(result.error().code, ErrorCode::not_found);
                                 session = nullptr;
                             });
    process_->settle_down();
    EXPECT_EQ(session, nullptr);
}

TEST_F(BrokerTest, ADeadlineSurvivesARestart) {
    AskSpec timed = spec();
    timed.timeout = 60s;
    const AskPtr opened = open({timed});
    pass(30s);
    restart();
    pass(29s);
    EXPECT_EQ(stored(opened->id)->state(), AskState::pending);
    pass(2s);
    EXPECT_EQ(stored(opened->id)->state(), AskState::timed_out);
}

TEST_F(BrokerTest, ASessionsTimeoutIsOneThatADefaultAnswerNeeds) {
    broker().open_session({.name = "chat", .ask_timeout = std::chrono::seconds(55)}, kUnrestricted,
                          [](const Result<SessionPtr>&) {});
    process_->settle_down();
    AskSpec with_default = spec();
    with_default.default_answers = Answers{{.selected = {"Tea"}}};
    const AskPtr opened = open({.spec = with_default, .session = "chat"});
    EXPECT_FALSE(ask({.spec = with_default, .session = "without one"}));
    pass(56s);
    EXPECT_EQ(stored(opened->id)->settlement->answers[0].selected[0], "Tea");
}

// The other's ask is on its way to the store when the end is asked for: nothing of it is known yet.
TEST_F(BrokerTest, AnAgentEndsNoSessionInWhichTheAskOfAnotherIsJustOpening) {
    const Actor one{.principal = "one", .door = "test", .sees_all = false};
    broker().open_session({.name = "chat"}, one.viewer(), [](const Result<SessionPtr>&) {});
    process_->settle_down();
    Result<OpenedAsk> opened = reject(ErrorCode::internal, "not called");
    Result<SessionPtr> ended = reject(ErrorCode::internal, "not called");
    broker().ask({.spec = spec(), .session = "chat"}, kOpenProfile, ada_,
                 [&](Result<OpenedAsk> result) { opened = std::move(result); });
    broker().end_session("chat", std::nullopt, one,
                         [&](Result<SessionPtr> result) { ended = std::move(result); });
    process_->settle_down();
    ASSERT_TRUE(opened);
    EXPECT_EQ(stored(opened->ask->id)->state(), AskState::pending);
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().code, ErrorCode::denied);
}

TEST_F(BrokerTest, EndingASessionWithdrawsItsAsksAndItsNameCanBeUsedAgain) {
    const AskPtr first = open({spec(), "chat-1"});
    const AskPtr other = open({spec(), "chat-2"});
    SessionPtr ended;
    broker().end_session("chat-1", std::nullopt, agent_,
                         [&](Result<SessionPtr> session) { ended = *session; });
    process_->settle_down();
    ASSERT_NE(ended, nullptr);
    EXPECT_TRUE(ended->ended_at);
    EXPECT_EQ(stored(first->id)->state(), AskState::withdrawn);
    EXPECT_EQ(stored(other->id)->state(), AskState::pending);
    const AskPtr again = open({spec(), "chat-1"});
    EXPECT_NE(again->session, first->session);
}

TEST_F(BrokerTest, AbortWithdrawsTheAsksAndTheSessionLivesOn) {
    const AskPtr first = open({spec(), "chat"});
    const AskPtr second = open({spec(), "chat"});
    broker().abort("chat", ada_, [](Result<SessionPtr> session) { ASSERT_TRUE(session); });
    process_->settle_down();
    EXPECT_EQ(stored(first->id)->state(), AskState::withdrawn);
    EXPECT_EQ(stored(second->id)->state(), AskState::withdrawn);
    EXPECT_EQ(open({spec(), "chat"})->session, first->session);
}

TEST_F(BrokerTest, ASessionThatStopsOnDismissalIsIdleAfterTheLastOfItsAsks) {
    broker().open_session({.name = "tells"}, kUnrestricted, [](const Result<SessionPtr>&) {});
    broker().open_session({.name = "stops", .on_dismiss = OnDismiss::stop}, kUnrestricted,
                          [](const Result<SessionPtr>&) {});
    process_->settle_down();
    const auto activity = [&](std::string_view name) {
        return broker().ledger().find_session(name)->session->activity;
    };
    for (const std::string name : {"tells", "stops"}) {
        broker().push(name, {Activity::working}, kUnrestricted, [](const Result<void>&) {});
        const AskPtr first = open({spec(), name});
        AskRequest timed{spec(), name};
        timed.spec.timeout = 5s;
        open(timed);
        broker().dismiss(first->id, std::nullopt, ada_, [](const Result<SettleReply>&) {});
        process_->settle_down();
        EXPECT_EQ(activity(name), Activity::working) << "another ask waits";
        pass(6s);
    }
    EXPECT_EQ(activity("tells"), Activity::working);
    EXPECT_EQ(activity("stops"), Activity::idle);
}

TEST_F(BrokerTest, ASessionCanBeRenamed) {
    const AskPtr ask = open({spec(), "chat"});
    broker().set_title(ask->session, "Paint it", kUnrestricted,
                       [](const Result<SessionPtr>& renamed) {
                           ASSERT_TRUE(renamed);
                           EXPECT_EQ((*renamed)->title, "Paint it");
                       });
    process_->settle_down();
    restart();
    EXPECT_EQ(broker().ledger().find_session(ask->session)->session->title, "Paint it");
    EXPECT_EQ(broker().ledger().find_session("chat")->session->id, ask->session);
}

TEST_F(BrokerTest, TwoChangesOfASessionAtOnceBothStay) {
    const AskPtr ask = open({spec(), "chat"});
    broker().set_title(ask->session, "Paint it", kUnrestricted, [](const Result<SessionPtr>&) {});
    broker().set_ask_timeout(ask->session, Millis(5000), kUnrestricted,
                             [](const Result<SessionPtr>&) {});
    broker().push("chat", {Activity::working}, kUnrestricted, [](const Result<void>&) {});
    process_->settle_down();
    const Session& after = *broker().ledger().find_session(ask->session)->session;
    EXPECT_EQ(after.title, "Paint it");
    EXPECT_EQ(after.ask_timeout, Millis(5000));
    EXPECT_EQ(after.activity, Activity::working);
}

TEST_F(BrokerTest, TwoAsksOfOneTurnShareANewSession) {
    std::vector<SessionId> sessions;
    for (int i = 0; i < 2; ++i) {
        broker().ask({spec(), "fresh"}, kOpenProfile, agent_,
                     [&](Result<OpenedAsk> opened) { sessions.push_back(opened->ask->session); });
    }
    process_->settle_down();
    ASSERT_EQ(sessions.size(), 2u);
    EXPECT_EQ(sessions[0], sessions[1]);
}

TEST_F(BrokerTest, AnUnknownSessionIdIsAnErrorAndNotANewSession) {
    const auto opened = ask({spec(), SessionId(IdBits{1, 1}).str()});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::not_found);
}

TEST_F(BrokerTest, PendingAsksKeepTheirOrder) {
    std::vector<AskId> asked;
    for (int i = 0; i < 20; ++i) asked.push_back(open({spec(), "chat"})->id);
    std::vector<AskId> listed;
    for (const auto& [id, ask] : broker().ledger().pending()) listed.push_back(id);
    EXPECT_EQ(listed, asked);
}

TEST_F(BrokerTest, IdsAscendAcrossARestartThoughTheClockStepsBack) {
    const AskId before = open({spec()})->id;
    clock_.step_wall(-24h);
    restart();
    EXPECT_GT(open({spec()})->id.str(), before.str());
}

TEST_F(BrokerTest, ADraftOutlivesARestartAndEndsWithTheAsk) {
    const AskPtr opened = open({spec()});
    broker().put_draft(opened->id, ada_.viewer(), {.answers = {{.other = "half a sent"}}},
                       [](Result<DraftReply> result) { ASSERT_TRUE(result); });
    process_->settle_down();
    restart();
    ASSERT_NE(broker().draft(opened->id, "ada"), nullptr);
    EXPECT_EQ(broker().draft(opened->id, "ada")->answers.at(0).other, "half a sent");
    EXPECT_EQ(broker().ledger().find_drafts("ada").size(), 1U);
    EXPECT_TRUE(broker().ledger().find_drafts("bob").empty());
    EXPECT_EQ(broker().draft(opened->id, "bob"), nullptr);
    ASSERT_TRUE(answer(opened->id, "Tea", bob_));
    EXPECT_EQ(broker().draft(opened->id, "ada"), nullptr);
}

// Every later version must be greater and still a whole number everywhere: a draft whose version is
// the last one there is could never be written again.
TEST_F(BrokerTest, ADraftsVersionCannotBeSetToTheLastOne) {
    const AskPtr opened = open({spec()});
    const auto put = [&](std::string text, std::uint64_t seen) {
        Result<DraftReply> got = reject(ErrorCode::internal, "not called");
        broker().put_draft(opened->id, ada_.viewer(),
                           {.answers = {{.other = std::move(text)}}, .seen = seen},
                           [&](Result<DraftReply> reply) { got = std::move(reply); });
        process_->settle_down();
        return got;
    };
    const auto far = put("far ahead", (std::uint64_t{1} << 53U) - 1);
    ASSERT_FALSE(far);
    EXPECT_EQ(far.error().code, ErrorCode::invalid);
    EXPECT_EQ(far.error().faults.at(0).path, "/version");
    ASSERT_TRUE(put("one", limits::kDraftVersionAhead));
    const auto next = put("two", limits::kDraftVersionAhead);
    ASSERT_TRUE(next);
    const auto after = put("three", next->draft->version);
    ASSERT_TRUE(after) << after.error().message;
    EXPECT_TRUE(after->is_kept);
}

TEST_F(BrokerTest, DismissingIsRefusedWhenTheAskerForbadeIt) {
    AskSpec firm = spec();
    firm.dismissible = false;
    const AskPtr opened = open({firm});
    Result<SettleReply> got;
    broker().dismiss(opened->id, std::nullopt, ada_,
                     [&](Result<SettleReply> reply) { got = std::move(reply); });
    process_->settle_down();
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, ErrorCode::conflict);
    EXPECT_EQ(stored(opened->id)->state(), AskState::pending);
}

TEST_F(BrokerTest, AnAgentHasAQuotaOfPendingAsksAndPeopleHaveNone) {
    restart(limits::kLedgerBytes, {.asks = 2, .bytes = 100'000});
    const Actor agent{.principal = "prn_a", .door = "http", .sees_all = false};
    const Actor other{.principal = "prn_b", .door = "http", .sees_all = false};
    const auto ask_as = [this](const Actor& actor, std::string text) {
        Result<OpenedAsk> got = reject(ErrorCode::internal, "not called");
        broker().ask({spec(std::move(text)), "of " + actor.principal}, kOpenProfile, actor,
                     [&](Result<OpenedAsk> opened) { got = std::move(opened); });
        process_->settle_down();
        return got;
    };
    const auto first = ask_as(agent, "One?");
    ASSERT_TRUE(first);
    ASSERT_TRUE(ask_as(agent, "Two?"));
    const auto third = ask_as(agent, "Three?");
    ASSERT_FALSE(third);
    EXPECT_EQ(third.error().code, ErrorCode::over_quota);
    EXPECT_THAT(third.error().message, testing::HasSubstr("--quota-asks"));
    EXPECT_TRUE(ask_as(other, "Another's?"));
    EXPECT_TRUE(ask_as(ada_, "A person's?"));
    broker().withdraw(first->ask->id, std::nullopt, agent, [](const auto&) {});
    process_->settle_down();
    EXPECT_TRUE(ask_as(agent, std::string(9000, 'x')));
    EXPECT_EQ(broker().ledger().usage_of("prn_a").asks, 2U);
    const std::size_t bytes = broker().ledger().usage_of("prn_a").bytes;
    restart(limits::kLedgerBytes, {.asks = 100, .bytes = bytes + 1000});
    EXPECT_EQ(broker().ledger().usage_of("prn_a").asks, 2U) << "counted again after a restart";
    EXPECT_EQ(broker().ledger().usage_of("prn_a").bytes, bytes);
    ASSERT_TRUE(ask_as(agent, std::string(3000, 'x')));
    EXPECT_THAT(ask_as(agent, "Short?").error().message, testing::HasSubstr("--quota-bytes"));
}

TEST_F(BrokerTest, ShortOfMemoryNothingNewIsTakenAndWhatWaitsCanBeAnswered) {
    const AskPtr waiting = open({spec(), "s"});
    broker().set_short_of_memory(true);
    EXPECT_EQ(ask({spec(), "s"}).error().code, ErrorCode::overloaded);
    EXPECT_TRUE(answer(waiting->id, "Tea", ada_));
    broker().set_short_of_memory(false);
    EXPECT_TRUE(ask({spec(), "s"}));
}

TEST_F(BrokerTest, WhatIsKeptInMemoryIsBoundedAndRoomComesBack) {
    const auto say = [this] {
        Result<Said> got = reject(ErrorCode::internal, "not called");
        broker().say("s", std::string(5000, 'x'), ada_, [&](Result<Said> said) { got = said; });
        process_->settle_down();
        return got;
    };
    const AskPtr first = open({spec(), "s"});
    restart(broker().ledger().bytes() + 20'000);
    std::vector<AskPtr> asks = {first};
    Result<OpenedAsk> opened = ask({spec(std::string(3000, 'x')), "s"});
    for (; opened; opened = ask({spec(std::string(3000, 'x')), "s"})) asks.push_back(opened->ask);
    EXPECT_EQ(opened.error().code, ErrorCode::overloaded);
    EXPECT_LT(asks.size(), 10U);
    EXPECT_FALSE(say());
    broker().open_session({.name = "t"}, kUnrestricted,
                          [](const Result<SessionPtr>& session) { EXPECT_FALSE(session); });
    broker().put_draft(first->id, ada_.viewer(), {.answers = {{.other = "x"}}},
                       [](const Result<DraftReply>& put) { EXPECT_FALSE(put); });
    process_->settle_down();
    // What waits can still be settled, and makes room.
    for (const AskPtr& one : asks) EXPECT_TRUE(answer(one->id, "Tea", ada_));
    EXPECT_TRUE(say());
}

TEST_F(BrokerTest, OnePersonsDraftsHaveALimitTogether) {
    const auto put = [&](AskId id, const Actor& who, std::size_t bytes) {
        std::optional<ErrorCode> refused;
        broker().put_draft(id, who.viewer(), {.answers = {{.other = std::string(bytes, 'x')}}},
                           [&](const Result<DraftReply>& put) {
                               if (!put) refused = put.error().code;
                           });
        process_->settle_down();
        return refused;
    };
    std::vector<AskPtr> asks;
    while (true) {
        asks.push_back(open({spec(), "s"}));
        if (const auto refused = put(asks.back()->id, ada_, limits::kMiB)) {
            EXPECT_EQ(refused, ErrorCode::too_large);
            break;
        }
    }
    EXPECT_LE(broker().ledger().draft_bytes("ada"), limits::kDraftBytesMax);
    EXPECT_EQ(put(asks.front()->id, ada_, limits::kMiB), std::nullopt) << "the same once more";
    EXPECT_EQ(put(asks.back()->id, bob_, limits::kMiB), std::nullopt) << "bob has his own";
    ASSERT_TRUE(answer(asks.front()->id, "Tea", ada_));
    EXPECT_EQ(put(asks.back()->id, ada_, limits::kMiB), std::nullopt) << "one has gone";
}

TEST_F(BrokerTest, WhatHasGoneWeighsNothing) {
    const std::size_t empty = broker().ledger().bytes();
    const AskPtr one = open({spec(), "s"});
    const AskPtr two = open({spec(), "s"});
    for (const auto* text : {"half", "half of it", "all of it"})
        broker().put_draft(one->id, ada_.viewer(), {.answers = {{.other = text}}},
                           [](const Result<DraftReply>&) {});
    broker().say("s", "hello", ada_, [](Result<Said>) {});
    broker().set_ask_timeout(one->session, Millis(5000), kUnrestricted,
                             [](const Result<SessionPtr>&) {});
    process_->settle_down();
    const std::size_t full = broker().ledger().bytes();
    EXPECT_GT(full, empty);
    restart();
    EXPECT_EQ(broker().ledger().bytes(), full);
    ASSERT_TRUE(answer(two->id, "Tea", ada_));
    broker().end_session("s", std::nullopt, ada_, [](const Result<SessionPtr>&) {});
    process_->settle_down();
    EXPECT_EQ(broker().ledger().bytes(), empty);
}

TEST_F(BrokerTest, AKeyOfAnotherAgentShowsNothingToOneWhoSeesItsOwnOnly) {
    AskSpec keyed = spec();
    keyed.key = "k";
    open({keyed, "s"});
    const auto ask_as = [&](const Actor& actor, std::string session) {
        Result<OpenedAsk> got = reject(ErrorCode::internal, "not called");
        broker().ask({keyed, std::move(session)}, kOpenProfile, actor,
                     [&](Result<OpenedAsk> result) { got = std::move(result); });
        process_->settle_down();
        return got;
    };
    EXPECT_TRUE(ask_as(ada_, "s"));
    const Actor rival{.principal = "rival", .door = "test", .sees_all = false};
    EXPECT_EQ(ask_as(rival, "s").error().code, ErrorCode::key_conflict);
    EXPECT_TRUE(ask_as(rival, "own"));
    EXPECT_FALSE(ask_as(rival, "own")->is_new);
}

}  // namespace
}  // namespace parley
