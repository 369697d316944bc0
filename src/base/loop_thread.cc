// SPDX-License-Identifier: Apache-2.0
#include "base/loop_thread.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace parley {

LoopThread::LoopThread() : thread_([this] { run(); }) {}

LoopThread::~LoopThread() {
    ASSERT(!is_current());
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void LoopThread::post(Task task) {
    bool was_idle = false;
    {
        const std::lock_guard lock(mutex_);
        was_idle = tasks_.empty();
        tasks_.push_back(std::move(task));
    }
    // A loop with tasks in hand looks again before it sleeps.
    if (was_idle) wake_.notify_one();
}

void LoopThread::post_at(Mono when, Task task) {
    {
        const std::lock_guard lock(mutex_);
        new_timers_.push_back({when, timer_order_++, std::move(task)});
    }
    wake_.notify_one();
}

void LoopThread::run() {
    std::vector<Task> running;
    while (true) {
        {
            std::unique_lock lock(mutex_);
            const auto has_work = [this] {
                return stopping_ || !tasks_.empty() || !new_timers_.empty();
            };
            if (timers_.empty()) {
                wake_.wait(lock, has_work);
            } else {
                wake_.wait_until(lock, timers_.front().when, has_work);
            }
            if (stopping_ && tasks_.empty()) return;
            running.swap(tasks_);
            for (Timer& timer : new_timers_) {
                timers_.push_back(std::move(timer));
                std::push_heap(timers_.begin(), timers_.end(), Later{});
            }
            new_timers_.clear();
        }
        for (Task& task : running) {
            task();
            // What the task owns must go before the next one runs, as if each stood alone.
            task = nullptr;
        }
        running.clear();
        fire_due_timers();
    }
}

void LoopThread::fire_due_timers() {
    const Mono now = std::chrono::steady_clock::now();
    while (!timers_.empty() && timers_.front().when <= now) {
        std::pop_heap(timers_.begin(), timers_.end(), Later{});
        Task task = std::move(timers_.back().task);
        timers_.pop_back();
        task();
    }
}

}  // namespace parley
