// SPDX-License-Identifier: Apache-2.0
#include "agent/demo/demo_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/demo/demo_agent.h"
#include "broker/broker_fixture.h"
#include "client/local_link.h"

namespace parley {
namespace {

using testing::HasSubstr;

class DemoHostTest : public BrokerTest {
protected:
    DemoHostTest() : link_(LocalLink::Wiring{process_->home, clock_, process_->broker}, agent_) {
        host(DemoHost::Scope::unattended);
    }

    void host(DemoHost::Scope scope) {
        host_ = std::make_unique<DemoHost>(
            DemoHost::Wiring{
                .home = process_->home,
                .link = link_,
                .spoken = [this](std::string_view line) { spoken_ += std::string(line) + "\n"; },
                .failed = [](const Error&) {}},
            scope);
        host_->start();
        process_->settle_down();
    }
    Said say(std::string_view session) {
        std::optional<Said> said;
        broker().say(session, "hello", ada_, [&](Result<Said> result) { said = *result; });
        process_->settle_down();
        return *said;
    }
    std::size_t pending() { return broker().ledger().pending().size(); }

    std::string spoken_;
    LocalLink link_;
    std::unique_ptr<DemoHost> host_;
};

TEST_F(DemoHostTest, ServesWhoeverSpeaksInASessionWithoutAnAgent) {
    say("chat");
    EXPECT_THAT(spoken_, HasSubstr("scripted"));
    EXPECT_EQ(pending(), 1u);
}

TEST_F(DemoHostTest, DoesNotBeginAgainInTheMiddle) {
    say("chat");
    say("chat");
    EXPECT_EQ(pending(), 1u);
}

TEST_F(DemoHostTest, BeginsAgainOnceItHasEnded) {
    say("chat");
    const AskPtr first = broker().ledger().pending().begin()->second;
    broker().dismiss(first->id, std::nullopt, ada_, [](Result<SettleReply>) {});
    process_->settle_down();
    EXPECT_EQ(pending(), 0u);
    say("chat");
    EXPECT_EQ(pending(), 1u);
}

TEST_F(DemoHostTest, LeavesSessionsOfOtherAgentsAlone) {
    broker().open_session({.name = "theirs", .agent = "codex"}, kUnrestricted,
                          [](Result<SessionPtr>) {});
    process_->settle_down();
    EXPECT_TRUE(say("theirs").is_queued);
    EXPECT_EQ(pending(), 0u);
}

TEST_F(DemoHostTest, SurvivesTheEndOfASessionThatItServes) {
    say("chat");
    broker().end_session("chat", std::nullopt, ada_, [](Result<SessionPtr>) {});
    process_->settle_down();
    EXPECT_EQ(pending(), 0u);
    say("other");
    EXPECT_EQ(pending(), 1u);
}

TEST_F(DemoHostTest, BeginsInASessionOfItsOwnAndServesNoOther) {
    host(DemoHost::Scope::own);
    host_->begin_own();
    process_->settle_down();
    ASSERT_EQ(pending(), 1u);
    say("chat");
    EXPECT_EQ(pending(), 1u);
    const AskPtr menu = broker().ledger().pending().begin()->second;
    broker().dismiss(menu->id, std::nullopt, ada_, [](Result<SettleReply>) {});
    process_->settle_down();
    EXPECT_EQ(pending(), 0u);
    say(DemoAgent::kOwnSession);
    EXPECT_EQ(pending(), 1u);
}

}  // namespace
}  // namespace parley
