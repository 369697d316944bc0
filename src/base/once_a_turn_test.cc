// SPDX-License-Identifier: Apache-2.0
#include "base/once_a_turn.h"

#include <gtest/gtest.h>

#include <deque>
#include <optional>

namespace parley {

namespace {

class HandExecutor final : public Executor {
public:
    void post(Task task) override { tasks_.push_back(std::move(task)); }
    void post_at(Mono, Task) override {}
    void run() {
        while (!tasks_.empty()) {
            Task task = std::move(tasks_.front());
            tasks_.pop_front();
            task();
        }
    }

private:
    std::deque<Task> tasks_;
};

}  // namespace

TEST(OnceATurn, HoweverOftenItIsAskedItIsDoneOnceAndLast) {
    HandExecutor executor;
    std::string done;
    OnceATurn draw(executor, [&] { done += "draw "; });
    executor.post([&] {
        for (int i = 0; i < 1000; ++i) draw.ask();
        done += "work ";
    });
    executor.run();
    EXPECT_EQ(done, "work draw ");
    draw.ask();
    executor.run();
    EXPECT_EQ(done, "work draw draw ");
}

TEST(OnceATurn, WhatIsGoneDoesNothing) {
    HandExecutor executor;
    int done = 0;
    std::optional<OnceATurn> draw;
    draw.emplace(executor, [&] { ++done; });
    draw->ask();
    draw.reset();
    executor.run();
    EXPECT_EQ(done, 0);
}

}  // namespace parley
