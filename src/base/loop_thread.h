// SPDX-License-Identifier: Apache-2.0
// An Executor with a thread of its own: a queue of tasks and a heap of timers. The embedded broker
// lives on one, and a database engine on another; a program with sockets uses net's loop instead.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#include "base/executor.h"

namespace parley {

class LoopThread final : public Executor {
public:
    LoopThread();
    // Runs what is queued, drops the timers, joins. Not from its own thread.
    ~LoopThread() override;
    LoopThread(const LoopThread&) = delete;
    LoopThread& operator=(const LoopThread&) = delete;

    void post(Task task) override;
    void post_at(Mono when, Task task) override;

    bool is_current() const { return std::this_thread::get_id() == thread_.get_id(); }

private:
    struct Timer {
        Mono when;
        std::uint64_t order;  // equal times fire in posting order
        Task task;
    };
    struct Later {
        bool operator()(const Timer& a, const Timer& b) const {
            return a.when != b.when ? a.when > b.when : a.order > b.order;
        }
    };

    void run();
    void fire_due_timers();

    // Shared with posting threads.
    std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<Task> tasks_;
    std::vector<Timer> new_timers_;
    std::uint64_t timer_order_ = 0;
    bool stopping_ = false;

    // Of the loop's own thread.
    std::vector<Timer> timers_;  // a heap

    std::thread thread_;
};

}  // namespace parley
