// SPDX-License-Identifier: Apache-2.0
// Simulated time and scheduling for tests: a clock that moves only when told, and executors whose
// tasks run one at a time when a test or a seed says so. Nothing here touches a thread or a real
// clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"

namespace parley::sim {

class SimClock final : public Clock {
public:
    Instant wall() const override { return wall_; }
    Mono mono() const override { return mono_; }

    void advance(std::chrono::nanoseconds by) {
        mono_ += by;
        drift_ += by;
        const auto whole = std::chrono::duration_cast<Millis>(drift_);
        wall_ += whole;
        drift_ -= whole;
    }
    // The wall clock steps; the monotonic one does not.
    void step_wall(Millis by) { wall_ += by; }

private:
    Instant wall_{Millis(1'800'000'000'000)};
    Mono mono_{std::chrono::hours(1)};
    std::chrono::nanoseconds drift_{};
};

class SimExecutor final : public Executor {
public:
    explicit SimExecutor(const SimClock& clock) : clock_(clock) {}

    void post(Task task) override { tasks_.push_back(std::move(task)); }
    void post_at(Mono when, Task task) override {
        timers_.push_back({when, order_++, std::move(task)});
        std::push_heap(timers_.begin(), timers_.end(), Later{});
    }

    // Moves timers that are due to the end of the queue.
    void collect_due() {
        while (!timers_.empty() && timers_.front().when <= clock_.mono()) {
            std::pop_heap(timers_.begin(), timers_.end(), Later{});
            tasks_.push_back(std::move(timers_.back().task));
            timers_.pop_back();
        }
    }

    // Runs the oldest task; false if there is none.
    bool run_one() {
        collect_due();
        if (tasks_.empty()) return false;
        Task task = std::move(tasks_.front());
        tasks_.pop_front();
        task();
        return true;
    }

    bool is_idle() const { return tasks_.empty(); }
    std::optional<Mono> next_timer() const {
        if (timers_.empty()) return std::nullopt;
        return timers_.front().when;
    }

private:
    struct Timer {
        Mono when;
        std::uint64_t order;
        Task task;
    };
    struct Later {
        bool operator()(const Timer& a, const Timer& b) const {
            return a.when != b.when ? a.when > b.when : a.order > b.order;
        }
    };

    const SimClock& clock_;
    std::deque<Task> tasks_;
    std::vector<Timer> timers_;
    std::uint64_t order_ = 0;
};

// Runs both until neither has anything to do now. Timers in the future stay.
inline void run_until_idle(SimExecutor& home, SimExecutor& worker) {
    bool is_busy = true;
    while (is_busy) {
        is_busy = home.run_one();
        is_busy = worker.run_one() || is_busy;
    }
}

}  // namespace parley::sim
