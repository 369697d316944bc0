// SPDX-License-Identifier: Apache-2.0
#include "client/withdrawals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/broker_fixture.h"
#include "client/limits.h"
#include "client/local_link.h"
#include "support/idle_link.h"

namespace parley {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Reaches the broker unless it is away.
class WithdrawalsTest : public BrokerTest {
protected:
    class FickleLink final : public IdleLink {
    public:
        FickleLink(Executor& home, Link& broker) : home_(home), broker_(broker) {}
        void withdraw(AskId id, std::optional<std::string> reason,
                      Done<SettleReply> done) override {
            tried.push_back(id);
            if (is_there) return broker_.withdraw(id, std::move(reason), std::move(done));
            home_.post([done = std::move(done)]() mutable {
                done(reject(ErrorCode::unavailable, "away"));
            });
        }

        bool is_there = true;
        std::vector<AskId> tried;

    private:
        Executor& home_;
        Link& broker_;
    };

    WithdrawalsTest()
        : local_(LocalLink::Wiring{process_->home, clock_, process_->broker}, agent_),
          link_(process_->home, local_),
          withdrawals_(process_->home, clock_, link_) {}

    AskId opened(std::string text) {
        return open({.spec = spec(std::move(text)), .session = "shop"})->id;
    }
    void take_back(AskId id) {
        withdrawals_.add(id, "gone", [this, id](const Result<SettleReply>& reply) {
            EXPECT_TRUE(reply);
            done_.push_back(id);
        });
    }

    LocalLink local_;
    FickleLink link_;
    Withdrawals withdrawals_;
    std::vector<AskId> done_;
};

TEST_F(WithdrawalsTest, WhatABrokerThatIsAwayCannotTakeIsTriedAgainInOrder) {
    const AskId first = opened("One?");
    const AskId second = opened("Two?");
    link_.is_there = false;
    take_back(first);
    take_back(second);
    pass(limits::kRemotePatience * 3);
    EXPECT_THAT(done_, IsEmpty());
    EXPECT_TRUE(stored(first)->is_pending());
    EXPECT_THAT(link_.tried, testing::Each(first));
    link_.is_there = true;
    pass(limits::kRetryDelayMax);
    EXPECT_THAT(done_, ElementsAre(first, second));
    EXPECT_EQ(stored(second)->settlement->note, "gone");
}

TEST_F(WithdrawalsTest, WhatSomebodyAnsweredMeanwhileStands) {
    const AskId id = opened("One?");
    link_.is_there = false;
    take_back(id);
    pass(limits::kRetryDelayMax);
    (void)answer(id, "Tea", ada_);
    link_.is_there = true;
    pass(limits::kRetryDelayMax);
    EXPECT_THAT(done_, ElementsAre(id));
    EXPECT_EQ(stored(id)->state(), AskState::answered);
}

}  // namespace
}  // namespace parley
