// SPDX-License-Identifier: Apache-2.0
#include "agent/session_host.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/broker_fixture.h"
#include "client/local_link.h"

namespace parley {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kPrincipal = "agents:1";

// One that does what the test says.
class Puppet final : public Driver {
public:
    Puppet(Onlooker& onlooker, Finished finished)
        : onlooker(onlooker), finished(std::move(finished)) {}

    void start() override { onlooker.show_idle(false); }
    void say(std::string) override {}
    Interruption interrupt() override { return Interruption::no_turn; }
    void quit() override { finished({Ending::Kind::stopped}); }

    Onlooker& onlooker;
    Finished finished;
};

class SessionHostTest : public BrokerTest, public SessionHost::Agents {
protected:
    SessionHostTest() { begin(2); }

    void begin(std::size_t most) {
        host_.reset();
        puppets_.clear();
        watching_ = std::make_unique<LocalLink>(wiring(), agent_);
        acting_ = std::make_unique<LocalLink>(
            wiring(), Actor{.principal = std::string(kPrincipal), .door = "test"});
        host_ = std::make_unique<SessionHost>(
            SessionHost::Wiring{
                .home = process_->home,
                .watching = *watching_,
                .acting = *acting_,
                .claim =
                    [this](SessionId, UniqueFunction<void(bool)> done) {
                        if (!is_claim_open_) done(is_claim_given_);
                    },
                .failed = [this](const Error& error) { failures_.push_back(error.message); },
                .most = most},
            *this);
        broker().on_unheard([this](SessionId session, SessionHost::Called called) {
            if (!host_) return called(false);
            host_->call(session, std::move(called));
        });
        host_->start();
        process_->settle_down();
    }
    // As after a crash.
    void die() {
        host_.reset();
        puppets_.clear();
        watching_.reset();
        acting_.reset();
        restart();
    }
    LocalLink::Wiring wiring() { return {process_->home, clock_, process_->broker}; }

    // Whether it was queued.
    bool say(std::string_view session) {
        std::optional<Said> said;
        broker().say(session, "hello", ada_, [&](const Result<Said>& result) { said = *result; });
        process_->settle_down();
        return said->is_queued;
    }
    SessionId id_of(std::string_view name) {
        return broker().ledger().find_session(name)->session->id;
    }
    void take(std::string_view name) {
        const auto* entry = broker().ledger().find_session(name);
        broker().take_messages(name, entry->messages.back().message.id, agent_.viewer(),
                               [](const Result<void>&) {});
        process_->settle_down();
    }
    // Its turn is over.
    void rest(std::string_view name) {
        take(name);
        puppets_.at(std::string(name))->onlooker.show_idle(true);
        process_->settle_down();
    }
    std::vector<std::string> served() const {
        std::vector<std::string> names;
        for (const auto& [name, puppet] : puppets_) names.push_back(name);
        return names;
    }
    std::string notices() {
        std::string all;
        const auto events = disk_.list_events({.after = {}, .order = ListOrder::newest_first});
        for (const EventPtr& event : events->events)
            if (const auto* notice = std::get_if<NoticeGiven>(&event->body))
                all += notice->text + "\n";
        return all;
    }

    bool is_for(const Session& session) const override {
        return (session.owner.empty() && !session.agent) || is_own(session);
    }
    bool is_own(const Session& session) const override { return session.owner == kPrincipal; }
    bool is_unfinished(const Session& session) const override {
        return session.name == unfinished_;
    }
    Result<std::unique_ptr<Driver>> make(const Session& session, Driver::Onlooker& onlooker,
                                         Driver::Finished finished) override {
        if (fault_) return reject(ErrorCode::unavailable, "{}", *fault_);
        const std::string name = *session.name;
        auto puppet = std::make_unique<Puppet>(
            onlooker, [this, name, finished = std::move(finished)](Driver::Ending ending) mutable {
                puppets_.erase(name);
                finished(std::move(ending));
            });
        puppets_[name] = puppet.get();
        return puppet;
    }
    void ended(SessionId session) override { ended_.push_back(session); }

    bool is_claim_given_ = true;
    bool is_claim_open_ = false;  // nobody answers it
    std::optional<std::string> fault_;
    std::string unfinished_;
    std::vector<std::string> failures_;
    std::vector<SessionId> ended_;
    std::unique_ptr<LocalLink> watching_;
    std::unique_ptr<LocalLink> acting_;
    std::map<std::string, Puppet*> puppets_;
    std::unique_ptr<SessionHost> host_;
};

TEST_F(SessionHostTest, TheSessionBecomesItsAgents) {
    say("a");
    EXPECT_THAT(served(), ElementsAre("a"));
    EXPECT_EQ(broker().ledger().find_session("a")->session->owner, kPrincipal);
}

TEST_F(SessionHostTest, WhatAnAgentBeginsWithIsNotQueued) {
    EXPECT_FALSE(say("a"));
    take("a");
    EXPECT_FALSE(say("a"));
    open({.spec = spec(), .session = "a"});
    EXPECT_TRUE(say("a")) << "it waits for an answer";
}

TEST_F(SessionHostTest, WhatNoneBeginsWithIsQueued) {
    broker().open_session({.name = "theirs", .agent = "codex"}, kUnrestricted,
                          [](const Result<SessionPtr>&) {});
    EXPECT_TRUE(say("theirs"));
    fault_ = "no disk";
    EXPECT_TRUE(say("a"));
    fault_.reset();
    EXPECT_FALSE(say("a"));
}

TEST_F(SessionHostTest, WhatOneThatMadeRoomIsCalledBackByIsNotQueued) {
    begin(1);
    EXPECT_FALSE(say("a"));
    EXPECT_TRUE(say("b")) << "a is in a turn";
    rest("a");
    rest("b");
    EXPECT_FALSE(say("a"));
    EXPECT_THAT(served(), ElementsAre("a"));
}

TEST_F(SessionHostTest, WhatAnotherHasIsNotQueued) {
    is_claim_given_ = false;
    EXPECT_FALSE(say("a"));
}

TEST_F(SessionHostTest, WhoeverWaitsForAnAgentIsToldAsTheHostGoes) {
    is_claim_open_ = true;
    std::optional<Said> said;
    broker().say("a", "hello", ada_, [&](const Result<Said>& result) { said = *result; });
    process_->settle_down();
    EXPECT_FALSE(said);
    host_.reset();
    ASSERT_TRUE(said);
    EXPECT_TRUE(said->is_queued);
}

TEST_F(SessionHostTest, AtTheLimitTheOneThatHasListenedLongestMakesRoom) {
    say("a");
    say("b");
    rest("b");
    rest("a");
    say("c");
    EXPECT_THAT(served(), ElementsAre("a", "c"));
    say("b");
    EXPECT_THAT(served(), ElementsAre("b", "c"));
    EXPECT_EQ(notices(), "");
}

TEST_F(SessionHostTest, WhereAllAreInATurnTheNextIsToldAndBeginsWhenOneHasEnded) {
    say("a");
    say("b");
    say("c");
    EXPECT_THAT(served(), ElementsAre("a", "b"));
    EXPECT_THAT(notices(), HasSubstr("2 sessions are served here at once"));
    rest("a");
    EXPECT_THAT(served(), ElementsAre("b", "c"));
}

TEST_F(SessionHostTest, MoreThanMayWaitAreToldToComeAgain) {
    begin(1);
    say("a");
    for (std::size_t i = 0; i < limits::kHostedWaitingMax; ++i) say(fmt::format("w{}", i));
    EXPECT_THAT(notices(), testing::Not(HasSubstr("say it again")));
    say("z");
    EXPECT_THAT(notices(), HasSubstr("1024 wait; say it again in a while"));
}

TEST_F(SessionHostTest, WhatIsSaidAsOneLeavesIsNotLost) {
    begin(1);
    say("a");
    rest("a");
    // It is told to leave before it hears this.
    broker().say("a", "wait", ada_, [](const Result<Said>&) {});
    say("b");
    rest("b");
    EXPECT_THAT(served(), ElementsAre("a"));
}

TEST_F(SessionHostTest, OneThatAnotherHasIsServedOnlyWhenThatOneLeaves) {
    is_claim_given_ = false;
    say("a");
    EXPECT_THAT(served(), IsEmpty());
    EXPECT_EQ(broker().ledger().find_session("a")->session->owner, "");
    is_claim_given_ = true;
    host_->agent_left(id_of("a"));
    process_->settle_down();
    EXPECT_THAT(served(), ElementsAre("a"));
}

TEST_F(SessionHostTest, OneWhoseOtherAgentTookTheMessageIsLeftToIt) {
    is_claim_given_ = false;
    say("a");
    take("a");
    is_claim_given_ = true;
    host_->agent_left(id_of("a"));
    process_->settle_down();
    EXPECT_THAT(served(), IsEmpty());
}

TEST_F(SessionHostTest, AfterACrashGoesOnWhereSomethingWasUnderWay) {
    for (const char* name : {"idle", "said", "working", "unfinished"}) {
        begin(8);
        say(name);
        take(name);
    }
    EXPECT_EQ(broker().ledger().find_session("idle")->session->owner, kPrincipal);
    say("said");
    broker().push("working", {Activity::working}, agent_.viewer(), [](const Result<void>&) {});
    open({.spec = spec(), .session = "theirs"});
    unfinished_ = "unfinished";
    die();
    begin(8);
    EXPECT_THAT(served(), ElementsAre("said", "unfinished", "working"));
}

TEST_F(SessionHostTest, AnAnswerWakesOneThatMadeRoom) {
    begin(1);
    say("a");
    const AskPtr left_open = open({.spec = spec(), .session = "a"});
    rest("a");
    say("b");
    rest("b");
    EXPECT_THAT(served(), ElementsAre("b"));
    ASSERT_TRUE(answer(left_open->id, "Tea", ada_));
    EXPECT_THAT(served(), ElementsAre("a"));
}

TEST_F(SessionHostTest, OneThatWaitsForAnswersMakesRoomWhereNoneListensAndIsWokenByOne) {
    say("a");
    say("b");
    const AskPtr wanted = open({.spec = spec(), .session = "a"});
    puppets_.at("a")->onlooker.show_waiting();
    rest("b");
    say("c");
    EXPECT_THAT(served(), ElementsAre("a", "c"));
    // It has not taken what was said, and would not.
    say("d");
    EXPECT_THAT(served(), ElementsAre("c", "d"));
    rest("c");
    ASSERT_TRUE(answer(wanted->id, "Tea", ada_));
    EXPECT_THAT(served(), ElementsAre("a", "d"));
}

TEST_F(SessionHostTest, AnAnswerThatComesAsOneLeavesIsNotLost) {
    begin(1);
    say("a");
    const AskPtr wanted = open({.spec = spec(), .session = "a"});
    rest("a");
    broker().answer(wanted->id, {{.selected = {"Tea"}}}, {}, ada_,
                    [](const Result<SettleReply>&) {});
    say("b");
    rest("b");
    EXPECT_THAT(served(), ElementsAre("a"));
}

TEST_F(SessionHostTest, OneThatCannotBeMadeIsSaidAndTriedAgainWhenSpokenTo) {
    fault_ = "no disk";
    say("a");
    EXPECT_THAT(failures_, ElementsAre("no disk"));
    EXPECT_THAT(notices(), HasSubstr("No agent could begin here: no disk"));
    fault_.reset();
    say("a");
    EXPECT_THAT(served(), ElementsAre("a"));
}

TEST_F(SessionHostTest, TellsOfTheEnd) {
    say("a");
    const SessionId id = id_of("a");
    broker().end_session("a", std::nullopt, ada_, [](const Result<SessionPtr>&) {});
    process_->settle_down();
    EXPECT_THAT(ended_, ElementsAre(id));
}

}  // namespace
}  // namespace parley
