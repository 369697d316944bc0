// SPDX-License-Identifier: Apache-2.0
#include "base/loop_thread.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>
#include <vector>

namespace parley {
namespace {

using namespace std::chrono_literals;

TEST(LoopThread, RunsTasksInPostingOrderOnItsOwnThread) {
    std::vector<int> order;
    std::thread::id ran_on;
    {
        LoopThread loop;
        for (int i = 0; i < 1000; ++i) loop.post([&order, i] { order.push_back(i); });
        loop.post([&] { ran_on = std::this_thread::get_id(); });
    }
    ASSERT_EQ(order.size(), 1000u);
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
    EXPECT_NE(ran_on, std::this_thread::get_id());
}

TEST(LoopThread, ATaskMayPostAndTheLoopFinishesItBeforeStopping) {
    bool ran = false;
    {
        LoopThread loop;
        loop.post([&] { loop.post([&] { ran = true; }); });
    }
    EXPECT_TRUE(ran);
}

TEST(LoopThread, TimersFireInOrderOfTimeAndNotEarly) {
    LoopThread loop;
    std::promise<void> finished;
    std::vector<int> order;
    const Mono start = std::chrono::steady_clock::now();
    bool early = false;
    const auto note = [&](int which, Mono due) {
        early = early || std::chrono::steady_clock::now() < due;
        order.push_back(which);
        if (order.size() == 3) finished.set_value();
    };
    loop.post([&] {
        loop.post_at(start + 6ms, [&] { note(3, start + 6ms); });
        loop.post_at(start + 2ms, [&] { note(1, start + 2ms); });
        loop.post_at(start + 2ms, [&] { note(2, start + 2ms); });
    });
    finished.get_future().wait();
    EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
    EXPECT_FALSE(early);
}

TEST(LoopThread, ManyThreadsMayPost) {
    int count = 0;
    {
        LoopThread loop;
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&] {
                for (int i = 0; i < 1000; ++i) loop.post([&count] { ++count; });
            });
        }
        for (auto& thread : threads) thread.join();
    }
    EXPECT_EQ(count, 4000);
}

}  // namespace
}  // namespace parley
