// SPDX-License-Identifier: Apache-2.0
#include "net/loop.h"

#include <boost/asio/signal_set.hpp>

#include <algorithm>
#include <csignal>
#include <exception>

namespace parley::net {

struct Loop::SignalSet {
    SignalSet(asio::io_context& context, UniqueFunction<void(int)> on_signal)
        : set(context), handler(std::move(on_signal)) {}

    void wait() {
        set.async_wait([this](boost::system::error_code error, int signal) {
            if (error) return;
            handler(signal);
            wait();
        });
    }

    asio::signal_set set;
    UniqueFunction<void(int)> handler;
};

Loop::Loop() : work_(context_.get_executor()), timer_(context_) {
    // A peer that went away is an error of one write, not the end of the program; OpenSSL's writes
    // cannot say so themselves.
    std::signal(SIGPIPE, SIG_IGN);
    // So is a file that may not grow further: the store says that it is full.
    std::signal(SIGXFSZ, SIG_IGN);
}

Loop::~Loop() {
    timers_.clear();
    signals_.clear();
}

void Loop::post(Task task) {
    asio::post(context_, std::move(task));
}

bool Loop::fires_later(const Timer& a, const Timer& b) {
    return a.when != b.when ? a.when > b.when : a.order > b.order;
}

void Loop::post_at(Mono when, Task task) {
    timers_.push_back({when, timer_order_++, std::move(task)});
    std::push_heap(timers_.begin(), timers_.end(), fires_later);
    arm_timer();
}

void Loop::arm_timer() {
    if (timers_.empty()) return;
    const Mono first = timers_.front().when;
    if (armed_for_ && *armed_for_ <= first) return;
    armed_for_ = first;
    timer_.expires_at(std::chrono::time_point_cast<std::chrono::steady_clock::duration>(first));
    timer_.async_wait([this](boost::system::error_code error) {
        if (!error) fire_due_timers();
    });
}

void Loop::fire_due_timers() {
    armed_for_.reset();
    const Mono due = now();
    while (!timers_.empty() && timers_.front().when <= due) {
        std::pop_heap(timers_.begin(), timers_.end(), fires_later);
        Task task = std::move(timers_.back().task);
        timers_.pop_back();
        task();
    }
    arm_timer();
}

void Loop::run() {
    thread_ = std::this_thread::get_id();
    context_.restart();
    context_.run();
}

void Loop::stop() {
    context_.stop();
}

void Loop::spawn(Co<void> coroutine) {
    asio::co_spawn(context_, std::move(coroutine), [](std::exception_ptr failure) {
        if (failure) std::rethrow_exception(failure);
    });
}

void Loop::on_signals(std::initializer_list<int> signals, UniqueFunction<void(int)> handler) {
    auto set = std::make_unique<SignalSet>(context_, std::move(handler));
    for (const int signal : signals) set->set.add(signal);
    set->wait();
    signals_.push_back(std::move(set));
}

}  // namespace parley::net
