// SPDX-License-Identifier: Apache-2.0
// Nodes that come, stop, go on and die, and the sessions whose agents listened there.
#include <algorithm>
#include <optional>

#include "broker/broker_fixture.h"
#include "broker/limits.h"
#include "broker/mark_keys.h"
#include "broker/nodes.h"
#include "broker/nodes_fixture.h"

namespace parley {
namespace {

using namespace std::chrono_literals;
using nodes_testing::Node;

class NodesLife : public nodes_testing::NodesFixture {
protected:
    std::unique_ptr<Nodes> join(Node& node, std::string id, Millis timeout = kTimeout) {
        auto joined = std::make_unique<Nodes>(
            Nodes::Wiring{.home = node.home,
                          .clock = clock_,
                          .broker = node.broker,
                          .id = id,
                          .name = "host-" + id,
                          .timeout = timeout,
                          .tell = [this](std::string text) { told_.push_back(std::move(text)); }});
        joined->start();
        settle_down();
        return joined;
    }
    // A session whose agent listens at the node.
    SessionId with_agent(Node& node, std::optional<Subscription>& agent) {
        SessionId id;
        node.broker.open_session({.name = "build"}, ada_.viewer(),
                                 [&](const Result<SessionPtr>& session) { id = (*session)->id; });
        settle_down();
        agent = std::move(*node.broker.subscribe(
            {.session = id, .viewer = {.sees_all = true}, .is_agent = true}, [] {}));
        node.broker.push(id.str(), {Activity::working}, ada_.viewer(), [](const Result<void>&) {});
        settle_down();
        return id;
    }
    // Lets time go by for those who run.
    void pass(Millis time, bool is_one_running, bool is_two_running) {
        for (Millis gone{0}; gone < time; gone += kStep) {
            clock_.advance(kStep);
            for (int round = 0; round < 4; ++round) {
                if (is_one_running) sim::run_until_idle(one_.home, one_.worker);
                if (is_two_running) sim::run_until_idle(two_.home, two_.worker);
            }
        }
    }
    std::vector<std::string> notices_in(SessionId session) {
        std::vector<std::string> texts;
        const auto page = disk_.engine.list_events({.after = oldest_, .session = session});
        for (const EventPtr& event : page->events)
            if (const auto* notice = std::get_if<NoticeGiven>(&event->body))
                texts.push_back(notice->text);
        return texts;
    }
    Activity activity_of(SessionId session) {
        return two_.broker.ledger().find_session(session)->session->activity;
    }

    static constexpr Millis kTimeout = 40s;
    static constexpr Millis kStep = 1s;
    const Cursor oldest_ = disk_.engine.open()->oldest;
    std::vector<std::string> told_;
};

TEST_F(NodesLife, WhereAnAgentListensIsKnownOnAllNodes) {
    const auto one = join(one_, "1");
    const auto two = join(two_, "2");
    std::optional<Subscription> agent;
    const SessionId session = with_agent(one_, agent);
    EXPECT_EQ(two_.broker.find_mark(marks::agent(session))->value, "1 host-1");
    two_.broker.say(session.str(), "hello", ada_,
                    [](const Result<Said>& said) { EXPECT_FALSE(said->is_queued); });
    settle_down();
    agent.reset();
    settle_down();
    EXPECT_FALSE(two_.broker.find_mark(marks::agent(session)));
    pass(kTimeout * 3, true, true);
    EXPECT_TRUE(notices_in(session).empty());
    EXPECT_TRUE(told_.empty());
}

TEST_F(NodesLife, TheSessionsOfANodeThatDiedSaySoOnce) {
    const auto one = join(one_, "1");
    const auto two = join(two_, "2");
    std::optional<Subscription> agent;
    const SessionId session = with_agent(one_, agent);
    ASSERT_EQ(activity_of(session), Activity::working);
    pass(kTimeout / 2, false, true);
    EXPECT_TRUE(notices_in(session).empty()) << "it may only be slow";
    pass(kTimeout * 2, false, true);
    ASSERT_EQ(notices_in(session).size(), 1U);
    EXPECT_NE(notices_in(session)[0].find("host-1"), std::string::npos);
    EXPECT_EQ(activity_of(session), Activity::idle);
    EXPECT_FALSE(two_.broker.find_mark("node/1"));
    EXPECT_FALSE(two_.broker.find_mark(marks::agent(session)));
    pass(kTimeout * 2, false, true);
    EXPECT_EQ(notices_in(session).size(), 1U);
}

// One that was stopped finds its clock far ahead of what it heard of others: that is no silence of
// theirs.
TEST_F(NodesLife, OneThatWasStoppedGivesNobodyUpAndJoinsAgain) {
    const auto one = join(one_, "1");
    const auto two = join(two_, "2");
    std::optional<Subscription> agent;
    const SessionId session = with_agent(one_, agent);
    std::optional<Subscription> other;
    const SessionId kept = [&] {
        SessionId id;
        two_.broker.open_session({.name = "kept"}, ada_.viewer(),
                                 [&](const Result<SessionPtr>& opened) { id = (*opened)->id; });
        settle_down();
        other = std::move(*two_.broker.subscribe(
            {.session = id, .viewer = {.sees_all = true}, .is_agent = true}, [] {}));
        settle_down();
        return id;
    }();
    pass(kTimeout * 5, false, true);
    EXPECT_EQ(notices_in(session).size(), 1U);
    pass(kTimeout, true, true);
    EXPECT_TRUE(two_.broker.find_mark("node/1"));
    EXPECT_TRUE(two_.broker.find_mark("node/2"));
    EXPECT_TRUE(notices_in(kept).empty());
    EXPECT_EQ(two_.broker.find_mark(marks::agent(session))->value, "1 host-1")
        << "its agent listens there still";
    EXPECT_EQ(notices_in(session).size(), 1U);
}

// The others may look far more often than this one says that it is there.
TEST_F(NodesLife, OneThatJoinsAgainSaysSoBeforeItsAgents) {
    const auto one = join(one_, "1", kTimeout);
    const auto two = join(two_, "2", kTimeout / 10);
    std::optional<Subscription> agent;
    const SessionId session = with_agent(one_, agent);
    pass(kTimeout * 3, false, true);
    ASSERT_EQ(notices_in(session).size(), 1U);
    pass(kTimeout * 2, true, true);
    EXPECT_EQ(notices_in(session).size(), 1U) << "its agent was not left again";
    ASSERT_TRUE(two_.broker.find_mark(marks::agent(session)));
    EXPECT_EQ(two_.broker.find_mark(marks::agent(session))->value, "1 host-1");
}

TEST_F(NodesLife, NodesMayBeGivenDifferentTimes) {
    const auto one = join(one_, "1");
    const auto two = join(two_, "2", kTimeout * 10);
    pass(kTimeout * 12, true, true);
    EXPECT_EQ(told_, std::vector<std::string>());
    pass(kTimeout * 6, true, false);
    EXPECT_TRUE(one_.broker.find_mark("node/2")) << "it has longer than this one";
    pass(kTimeout * 6, true, false);
    EXPECT_FALSE(one_.broker.find_mark("node/2"));
}

// A commit may take longer than the time between two signs of life.
TEST_F(NodesLife, ANodeWhoseStoreIsSlowIsNotGivenUp) {
    const auto one = join(one_, "1");
    for (Millis gone{0}; gone < kTimeout * 2; gone += kStep) {
        clock_.advance(kStep);
        while (one_.home.run_one()) {
        }
    }
    settle_down();
    pass(kTimeout, true, true);
    EXPECT_EQ(told_, std::vector<std::string>());
    EXPECT_TRUE(two_.broker.find_mark("node/1"));
}

TEST_F(NodesLife, AnAgentThatCameBackAtAnotherNodeIsNotMissed) {
    const auto one = join(one_, "1");
    const auto two = join(two_, "2");
    std::optional<Subscription> agent;
    const SessionId session = with_agent(one_, agent);
    const auto again = two_.broker.subscribe(
        {.session = session, .viewer = {.sees_all = true}, .is_agent = true}, [] {});
    settle_down();
    pass(kTimeout * 3, false, true);
    EXPECT_FALSE(two_.broker.find_mark("node/1"));
    EXPECT_TRUE(notices_in(session).empty());
    EXPECT_EQ(activity_of(session), Activity::working);
}

TEST_F(NodesLife, ANodeThatLeavesHasItsAgentsComeBackForAWhile) {
    const auto one = join(one_, "1");
    const auto two = join(two_, "2");
    std::optional<Subscription> agent;
    const SessionId session = with_agent(one_, agent);
    bool has_left = false;
    one->stop([&] { has_left = true; });
    settle_down();
    EXPECT_TRUE(has_left);
    EXPECT_FALSE(two_.broker.find_mark("node/1"));
    EXPECT_TRUE(notices_in(session).empty());
    pass(kTimeout, false, true);
    EXPECT_EQ(notices_in(session).size(), 1U);
}

TEST_F(NodesLife, OneHostAtATimeIsTheAgentOfASession) {
    const auto one = join(one_, "1");
    const auto two = join(two_, "2");
    SessionId session;
    one_.broker.open_session({.name = "talk"}, ada_.viewer(),
                             [&](const Result<SessionPtr>& opened) { session = (*opened)->id; });
    settle_down();
    std::vector<bool> answers;
    one->claim_agent(session, [&](bool is_ours) { answers.push_back(is_ours); });
    two->claim_agent(session, [&](bool is_ours) { answers.push_back(is_ours); });
    settle_down();
    EXPECT_EQ(std::ranges::count(answers, true), 1);
    EXPECT_EQ(answers.size(), 2U);
}

TEST_F(NodesLife, AnEndedSessionLeavesNoMark) {
    const auto one = join(one_, "1");
    std::optional<Subscription> agent;
    const SessionId session = with_agent(one_, agent);
    one_.broker.put_mark({.key = marks::seat(session), .at = clock_.wall(), .value = "x"},
                         [](const Result<Verdict>&) {});
    two_.broker.end_session(session.str(), std::nullopt, ada_, [](const Result<SessionPtr>&) {});
    settle_down();
    EXPECT_FALSE(two_.broker.find_mark(marks::agent(session)));
    EXPECT_FALSE(two_.broker.find_mark(marks::seat(session)));
}

// The node that ended a session may have died before it dropped them.
TEST_F(NodesLife, MarksOfSessionsThatAreOverGoWhenANodeStarts) {
    std::optional<Subscription> agent;
    const SessionId live = with_agent(one_, agent);
    const auto put = [&](std::string key) {
        one_.broker.put_mark({.key = std::move(key), .at = clock_.wall(), .value = "1 host-1"},
                             [](const Result<Verdict>&) {});
        settle_down();
    };
    const SessionId over = SessionId::parse("ses_00000000000000000000000000").value();
    for (const SessionId session : {live, over}) {
        put(marks::seat(session));
        put(marks::agent(session));
    }
    put("node/1");
    const Node three{disk_, clock_, 3};
    settle_down();
    EXPECT_FALSE(one_.broker.find_mark(marks::seat(over)));
    EXPECT_FALSE(one_.broker.find_mark(marks::agent(over)));
    EXPECT_EQ(one_.broker.ledger().marks().size(), 3U);
    // A copy of the store that one broker has for itself.
    disk_.is_shared = false;
    const Node four{disk_, clock_, 4};
    settle_down();
    EXPECT_TRUE(one_.broker.find_mark(marks::seat(live)));
    EXPECT_EQ(one_.broker.ledger().marks().size(), 1U);
}

TEST_F(NodesLife, MarksThatRanOutGoWithTheNextOneThatWill) {
    const auto put = [&](std::string key) {
        one_.broker.put_mark({.key = std::move(key),
                              .at = clock_.wall(),
                              .value = "x",
                              .expires_at = clock_.wall() + 1min},
                             [](const Result<Verdict>&) {});
        settle_down();
    };
    put("spent/a");
    put("spent/b");
    EXPECT_EQ(two_.broker.ledger().marks().size(), 2U);
    clock_.advance(2min);
    put("spent/c");
    ASSERT_EQ(two_.broker.ledger().marks().size(), 1U);
    EXPECT_TRUE(two_.broker.find_mark("spent/c"));
}

class LoneNode : public BrokerTest {};

TEST_F(LoneNode, AnAgentThatListensKeepsItsSessionUntilItLeaves) {
    Nodes node({.home = process_->home,
                .clock = clock_,
                .broker = broker(),
                .id = "1",
                .name = "one",
                .timeout = 40s});
    std::vector<SessionId> left;
    node.on_agent_left([&](SessionId session) { left.push_back(session); });
    node.start();
    SessionId id;
    broker().open_session({.name = "build"}, ada_.viewer(),
                          [&](const Result<SessionPtr>& opened) { id = (*opened)->id; });
    process_->settle_down();
    auto agent =
        broker().subscribe({.session = id, .viewer = kUnrestricted, .is_agent = true}, [] {});
    std::vector<bool> answers;
    const auto note = [&](bool is_ours) { answers.push_back(is_ours); };
    node.claim_agent(id, note);
    EXPECT_TRUE(left.empty());
    *agent = {};
    EXPECT_EQ(left, std::vector{id});
    node.claim_agent(id, note);
    EXPECT_EQ(answers, (std::vector{false, true}));
}

}  // namespace
}  // namespace parley
