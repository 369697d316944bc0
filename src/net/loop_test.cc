// SPDX-License-Identifier: Apache-2.0
#include "net/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "net/test_support.h"

namespace parley::net::testing {
namespace {

using ::testing::ElementsAre;

TEST(Loop, RunsTasksInPostingOrderAlsoFromOtherThreads) {
    Loop loop;
    std::vector<int> seen;
    std::thread other([&] {
        for (int i = 0; i < 1000; ++i) loop.post([&seen, i] { seen.push_back(i); });
        loop.post([&] { loop.stop(); });
    });
    loop.run();
    other.join();
    ASSERT_EQ(seen.size(), 1000U);
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST(Loop, FiresTimersInOrderOfTimeThenOfPosting) {
    Loop loop;
    std::vector<int> seen;
    const Mono now = loop.now();
    loop.post_at(now + Millis(10), [&] {
        seen.push_back(3);
        loop.stop();
    });
    loop.post_at(now + Millis(2), [&] { seen.push_back(1); });
    loop.post_at(now + Millis(2), [&] { seen.push_back(2); });
    loop.post_at(now - Millis(5), [&] { seen.push_back(0); });
    loop.run();
    EXPECT_THAT(seen, ElementsAre(0, 1, 2, 3));
}

TEST(Loop, ATaskPostedInsideATaskRunsLater) {
    Loop loop;
    std::vector<int> seen;
    loop.post([&] {
        loop.post([&] {
            seen.push_back(2);
            loop.stop();
        });
        seen.push_back(1);
    });
    loop.run();
    EXPECT_THAT(seen, ElementsAre(1, 2));
}

Co<int> add_later(Loop* loop, int a, int b) {
    co_return co_await await_callback<int>([loop, a, b](UniqueFunction<void(int)> done) {
        loop->post([done = std::move(done), a, b]() mutable { done(a + b); });
    });
}

TEST(Loop, RunsCoroutinesUntilItIsStoppedAndThenOthers) {
    Loop loop;
    EXPECT_EQ(run(loop, add_later(&loop, 2, 3)), 5);
    EXPECT_EQ(run(loop, add_later(&loop, 3, 4)), 7);
}

TEST(Loop, HandsSignalsToTheirHandlers) {
    Loop loop;
    std::vector<int> seen;
    loop.on_signals({SIGUSR1, SIGUSR2}, [&](int signal) {
        seen.push_back(signal);
        if (seen.size() == 2) loop.stop();
    });
    loop.post([] {
        std::raise(SIGUSR1);
        std::raise(SIGUSR2);
    });
    loop.run();
    EXPECT_THAT(seen, ::testing::UnorderedElementsAre(SIGUSR1, SIGUSR2));
}

}  // namespace
}  // namespace parley::net::testing
