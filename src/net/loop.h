// SPDX-License-Identifier: Apache-2.0
// The event loop: one io_context run by one thread. It is the Executor of the broker, the home of
// every connection and the source of signals. All but post() and stop() belong to its thread.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <csignal>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/executor.h"
#include "net/co.h"

namespace parley::net {

class Loop final : public Executor {
public:
    Loop();
    // Not while run() is inside. Drops what is queued.
    ~Loop() override;
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    void post(Task task) override;
    void post_at(Mono when, Task task) override;

    // Runs on the calling thread until stop(); may be called again.
    void run();
    void stop();  // any thread

    // Starts a coroutine that nobody awaits. What it throws ends the program: a coroutine that runs
    // alone reports its own failures.
    void spawn(Co<void> coroutine);

    // `handler` runs on the loop for each arrival of one of the signals, until the loop ends.
    void on_signals(std::initializer_list<int> signals, UniqueFunction<void(int)> handler);

    asio::io_context& context() { return context_; }
    asio::io_context::executor_type executor() { return context_.get_executor(); }
    Mono now() const { return clock_.mono(); }
    const Clock& clock() const { return clock_; }
    bool is_current() const { return std::this_thread::get_id() == thread_; }

private:
    struct Timer {
        Mono when;
        std::uint64_t order;  // equal times fire in posting order
        Task task;
    };
    struct SignalSet;

    static bool fires_later(const Timer& a, const Timer& b);
    void arm_timer();
    void fire_due_timers();

    SystemClock clock_;
    asio::io_context context_{1};
    asio::executor_work_guard<asio::io_context::executor_type> work_;
    asio::steady_timer timer_;
    std::vector<Timer> timers_;  // a heap
    std::uint64_t timer_order_ = 0;
    std::optional<Mono> armed_for_;
    std::vector<std::unique_ptr<SignalSet>> signals_;
    std::thread::id thread_;
};

}  // namespace parley::net
