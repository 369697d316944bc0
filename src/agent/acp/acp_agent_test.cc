// SPDX-License-Identifier: Apache-2.0
// Agents that do not keep to the protocol: shells on a real loop, over a broker that lives there
// too.
#include "agent/acp/acp_agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "agent/quiet_onlooker.h"
#include "client/local_link.h"
#include "store/memory_engine.h"

namespace parley {
namespace {

using testing::Contains;
using testing::HasSubstr;
using namespace std::chrono_literals;

class AcpAgentTest : public testing::Test {
protected:
    AcpAgentTest() {
        broker_.start([this](const Result<void>& started) {
            EXPECT_TRUE(started);
            loop_.stop();
        });
        loop_.run();
    }

    void start(std::string script) {
        agent_ = std::make_unique<AcpAgent>(
            AcpAgent::Wiring{loop_, link_, onlooker_,
                             [this](Driver::Ending ending) {
                                 ending_ = std::move(ending);
                                 loop_.stop();
                             }},
            AcpAgent::Options{
                .command = {.argv = {"/bin/sh", "-c", std::move(script)}},
                .session = {.session = "talk", .agent = "shell", .called = "The shell"},
                .place = {},
                .version = "1",
                .run = "r",
                .prompt = "go",
                .stop_patience = 1ms});
        agent_->start();
    }

    net::Loop loop_;
    Store store_{std::make_unique<MemoryEngine>(loop_.clock()), {loop_, loop_, loop_.clock()}};
    LoopBroker broker_{{loop_, loop_.clock(), store_,
                        [random = std::mt19937_64(1)]() mutable { return random(); }}};
    LocalLink link_{{loop_, loop_.clock(), broker_},
                    {.principal = "ada", .door = "test", .sees_all = true}};
    QuietOnlooker onlooker_;
    std::optional<Driver::Ending> ending_;
    std::unique_ptr<AcpAgent> agent_;
};

// Nothing that is said to it would ever be heard.
TEST_F(AcpAgentTest, OneThatDoesNotEndAStoppedTurnIsEnded) {
    onlooker_.went_busy = [this] {
        loop_.post([this] { EXPECT_EQ(agent_->interrupt(), Driver::Interruption::stopped); });
    };
    start(R"(read line; echo '{"id":1,"result":{"protocolVersion":1}}'
             read line; echo '{"id":2,"result":{"sessionId":"s"}}'
             while read line; do :; done)");
    loop_.run();
    ASSERT_TRUE(ending_);
    EXPECT_EQ(ending_->kind, Driver::Ending::Kind::failed);
    EXPECT_THAT(ending_->why, HasSubstr("has not ended its turn"));
    EXPECT_THAT(onlooker_.notices, Contains(ending_->why));
}

}  // namespace
}  // namespace parley
