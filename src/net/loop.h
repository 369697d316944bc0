// SPDX-License-Identifier: Apache-2.0
// The event loop: one io_context run by one thread. It is the Executor of the broker, the home of
// every connection and the source of signals. All but post() and stop() belong to its thread.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <csignal>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/assert.h"
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
    // Until nothing is left that could happen: for tests and for a clean end.
    void run_until_idle();

    // Starts a coroutine that nobody awaits. What it throws ends the program: a coroutine that runs
    // alone reports its own failures.
    void spawn(Co<void> coroutine);

    // For programs that are synchronous outside: runs the loop until the coroutine ends and gives
    // its value. Not from inside the loop; stop() must not be called meanwhile.
    template <class T>
    T run(Co<T> coroutine);
    void run(Co<void> coroutine);

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
    void run_until_done(const bool& done);

    SystemClock clock_;
    asio::io_context context_{1};
    std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work_;
    asio::steady_timer timer_;
    std::vector<Timer> timers_;  // a heap
    std::uint64_t timer_order_ = 0;
    std::optional<Mono> armed_for_;
    std::vector<std::unique_ptr<SignalSet>> signals_;
    std::thread::id thread_;
};

// Suspends the calling coroutine.
Co<void> sleep_for(Millis duration);

namespace detail {

template <class T>
Co<void> keep_value(Co<T> coroutine, std::optional<T>* value) {
    value->emplace(co_await std::move(coroutine));
}

}  // namespace detail

template <class T>
T Loop::run(Co<T> coroutine) {
    std::optional<T> value;
    run(detail::keep_value(std::move(coroutine), &value));
    ASSERT(value.has_value());
    return std::move(*value);
}

}  // namespace parley::net
