// SPDX-License-Identifier: Apache-2.0
#include "broker/registries/tool_results.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "broker/limits.h"
#include "support/sim_world.h"

namespace parley {
namespace {

using namespace std::chrono_literals;

class ToolResultsTest : public testing::Test {
protected:
    // Waits, and counts what was told.
    ToolResults::Number wait(const std::string& call, ToolResults::WaitOptions options = {}) {
        return results_->wait_for(call, options, [this](Result<PublishedResultPtr> result) {
            told_.push_back(std::move(result));
        });
    }
    void run() {
        while (home_.run_one()) {
        }
    }
    void pass(Millis time) {
        clock_.advance(time);
        run();
    }
    static std::string call(std::size_t number) { return fmt::format("call_{}", number); }

    const PublishedResult bash_{.tool = "Bash", .output = R"({"exit":0})"};
    sim::SimClock clock_;
    sim::SimExecutor home_{clock_};
    std::unique_ptr<ToolResults> results_ =
        std::make_unique<ToolResults>(ToolResults::Wiring{home_, clock_});
    std::vector<Result<PublishedResultPtr>> told_;
};

TEST_F(ToolResultsTest, AResultReachesAllWhoWaitForItAndOnlyThem) {
    wait("call_1");
    wait("call_1");
    wait("call_2");
    EXPECT_TRUE(results_->publish("call_1", bash_));
    EXPECT_TRUE(told_.empty());
    run();
    ASSERT_EQ(told_.size(), 2u);
    EXPECT_EQ(**told_[0], bash_);
    EXPECT_EQ(**told_[1], bash_);
    EXPECT_TRUE(results_->publish("call_2", bash_));
    run();
    EXPECT_EQ(told_.size(), 3u);
}

TEST_F(ToolResultsTest, AResultThatCameFirstIsGivenAtOnceAndAgain) {
    results_->publish("call_1", bash_);
    wait("call_1");
    EXPECT_TRUE(told_.empty());
    run();
    wait("call_1");
    run();
    ASSERT_EQ(told_.size(), 2u);
    EXPECT_EQ(**told_[1], bash_);
}

TEST_F(ToolResultsTest, TheFirstResultOfACallStands) {
    results_->publish("call_1", bash_);
    EXPECT_FALSE(results_->publish("call_1", {.tool = "Bash", .output = "2"}));
    wait("call_1");
    run();
    EXPECT_EQ(**told_[0], bash_);
}

TEST_F(ToolResultsTest, AWaitEndsAfterFiveMinutesAndNotBefore) {
    wait("call_1");
    pass(limits::kToolResultWait - 1ms);
    EXPECT_TRUE(told_.empty());
    pass(1ms);
    ASSERT_EQ(told_.size(), 1u);
    EXPECT_EQ(told_[0].error().code, ErrorCode::timed_out);
    results_->publish("call_1", bash_);
    run();
    EXPECT_EQ(told_.size(), 1u);
}

TEST_F(ToolResultsTest, AWaitWithoutALimitDoesNotEnd) {
    wait("call_1", {.timeout = std::nullopt});
    pass(24h);
    EXPECT_TRUE(told_.empty());
    results_->publish("call_1", bash_);
    run();
    EXPECT_EQ(told_.size(), 1u);
}

TEST_F(ToolResultsTest, OneThatGivesUpIsInterruptedAndTheOthersWaitOn) {
    const auto first = wait("call_1");
    wait("call_1");
    results_->give_up(first);
    results_->give_up(first);
    run();
    ASSERT_EQ(told_.size(), 1u);
    EXPECT_EQ(told_[0].error().code, ErrorCode::interrupted);
    results_->publish("call_1", bash_);
    run();
    ASSERT_EQ(told_.size(), 2u);
    EXPECT_EQ(**told_[1], bash_);
}

TEST_F(ToolResultsTest, OverTheBoundTheLeastRecentlyUsedGoes) {
    for (std::size_t i = 0; i < limits::kToolResultsKept; ++i) results_->publish(call(i), bash_);
    wait(call(0));  // used just now
    run();
    told_.clear();
    results_->publish(call(limits::kToolResultsKept), bash_);
    for (std::size_t i = 0; i <= limits::kToolResultsKept; ++i) wait(call(i));
    run();
    EXPECT_EQ(told_.size(), limits::kToolResultsKept);
    EXPECT_TRUE(results_->publish(call(1), bash_)) << "it was kept on";
    run();
    EXPECT_EQ(told_.size(), limits::kToolResultsKept + 1);
}

TEST_F(ToolResultsTest, TooManyWaitersAreRefused) {
    for (std::size_t i = 0; i < limits::kToolResultWaitersMax; ++i) wait(call(i));
    wait("one more");
    run();
    ASSERT_EQ(told_.size(), 1u);
    EXPECT_EQ(told_[0].error().code, ErrorCode::overloaded);
}

TEST_F(ToolResultsTest, WhoeverWaitsWhenItGoesIsInterruptedAndTimersAreHarmless) {
    wait("call_1");
    wait("call_2");
    results_.reset();
    run();
    ASSERT_EQ(told_.size(), 2u);
    EXPECT_EQ(told_[0].error().code, ErrorCode::interrupted);
    pass(limits::kToolResultWait);
    EXPECT_EQ(told_.size(), 2u);
}

}  // namespace
}  // namespace parley
