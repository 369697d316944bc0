// SPDX-License-Identifier: Apache-2.0
#include "door/alarms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "support/sim_world.h"

namespace parley {
namespace {

using std::chrono_literals::operator""s;
using testing::ElementsAre;

class AlarmsTest : public testing::Test {
protected:
    Alarms::Key set(std::chrono::seconds delay, int name) {
        return alarms_->set(delay, [this, name] { rung_.push_back(name); });
    }
    void pass(std::chrono::seconds time) {
        clock_.advance(time);
        while (home_.run_one()) {
        }
    }

    sim::SimClock clock_;
    sim::SimExecutor home_{clock_};
    std::shared_ptr<Alarms> alarms_ = std::make_shared<Alarms>(home_, clock_);
    std::vector<int> rung_;
};

TEST_F(AlarmsTest, EachRingsAtItsTimeWhateverTheOrderInWhichTheyWereSet) {
    set(30s, 30);
    set(10s, 10);
    set(20s, 20);
    pass(9s);
    EXPECT_THAT(rung_, ElementsAre());
    pass(1s);
    EXPECT_THAT(rung_, ElementsAre(10));
    pass(20s);
    EXPECT_THAT(rung_, ElementsAre(10, 20, 30));
    EXPECT_EQ(alarms_->size(), 0U);
}

TEST_F(AlarmsTest, OneThatWasDroppedDoesNotRingAndThoseBehindItDo) {
    const Alarms::Key first = set(10s, 1);
    set(20s, 2);
    alarms_->drop(first);
    pass(20s);
    EXPECT_THAT(rung_, ElementsAre(2));
    alarms_->drop(first);
}

TEST_F(AlarmsTest, AThousandThatComeAndGoLeaveOneTimerBehind) {
    for (int i = 0; i < 1000; ++i) alarms_->drop(set(600s, i));
    int timers = 0;
    for (clock_.advance(601s); home_.run_one();) ++timers;
    EXPECT_EQ(timers, 1);
    EXPECT_THAT(rung_, ElementsAre());
}

TEST_F(AlarmsTest, OnesThatAreSetWhileOneRingsAreKept) {
    alarms_->set(1s, [this] { set(1s, 2); });
    pass(1s);
    pass(1s);
    EXPECT_THAT(rung_, ElementsAre(2));
}

TEST_F(AlarmsTest, NothingRingsOnceTheOwnerIsGone) {
    set(1s, 1);
    alarms_.reset();
    pass(2s);
    EXPECT_THAT(rung_, ElementsAre());
}

}  // namespace
}  // namespace parley
