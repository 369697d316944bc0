// SPDX-License-Identifier: Apache-2.0
#include "client/program/core.h"

#include <fmt/format.h>

#include <cstdio>

#include "client/limits.h"
#include "client/program/handler_runner.h"
#include "client/program/watch_state.h"

namespace parley::program {

Result<std::shared_ptr<Core>> Core::open(std::unique_ptr<Home> home, ProgramCode code) {
    auto core = std::make_shared<Core>(std::move(home), std::move(code));
    CHECK_OK(core->start());
    return core;
}

Core::Core(std::unique_ptr<Home> home, ProgramCode code)
    : code_(std::move(code)), home_(std::move(home)) {}

Core::~Core() {
    close();
}

Result<void> Core::start() {
    CHECK_OK(home_->open());
    const std::lock_guard lock(mutex_);
    callbacks_ = std::make_unique<LoopThread>();
    is_open_ = true;
    return {};
}

void Core::close() {
    {
        // A callback that closes would wait for itself.
        const std::lock_guard lock(mutex_);
        ASSERT(!callbacks_ || !callbacks_->is_current());
        ASSERT(!handlers_ || !handlers_->is_current());
    }
    const std::lock_guard one_at_a_time(close_mutex_);
    {
        const std::lock_guard lock(mutex_);
        if (!std::exchange(is_open_, false)) return;
    }
    const auto handler = cut_off_listeners();
    if (handler) handler->request_stop();
    home_->close();
    // Only now: a handler that waited for the broker has been interrupted.
    if (handler) handler->shut();
    join_threads();
}

std::shared_ptr<HandlerRunner> Core::cut_off_listeners() {
    Slot<std::shared_ptr<HandlerRunner>> cut_off;
    home_->loop().post([&] {
        for (const auto& watch : watches_) watch->cut_off();
        watches_.clear();
        cut_off.fulfil(replace_handler(nullptr));
    });
    return *cut_off.take();
}

void Core::join_threads() {
    std::unique_ptr<LoopThread> handlers;
    {
        const std::lock_guard lock(mutex_);
        handlers = std::move(handlers_);
    }
    // The handler may still have had something for the callback thread.
    handlers.reset();
    std::unique_ptr<LoopThread> callbacks;
    {
        const std::lock_guard lock(mutex_);
        callbacks = std::move(callbacks_);
    }
}

void Core::post_callback(Task task) {
    {
        const std::lock_guard lock(mutex_);
        if (callbacks_) {
            callbacks_->post(std::move(task));
            return;
        }
    }
    task();
}

void Core::post_handler(Task task) {
    const std::lock_guard lock(mutex_);
    if (!is_open_) return;
    if (!handlers_) handlers_ = std::make_unique<LoopThread>();
    handlers_->post(std::move(task));
}

void Core::resume(std::coroutine_handle<> coroutine) {
    guard("a coroutine", [&] {
        if (code_.resume) {
            code_.resume(coroutine);
        } else {
            coroutine.resume();
        }
    });
}

void Core::report(std::string problem) {
    post_callback([this, problem = std::move(problem)] {
        if (code_.on_problem) {
            code_.on_problem(problem);
        } else {
            fmt::print(stderr, "parley: {}\n", problem);
        }
    });
}

std::shared_ptr<HandlerRunner> Core::replace_handler(std::shared_ptr<HandlerRunner> handler) {
    auto earlier = std::exchange(handler_, std::move(handler));
    if (earlier) earlier->cut_off();
    if (handler_) handler_->start(home_->link());
    return earlier;
}

void Core::post_retry(Task task) {
    home_->loop().post_at(clock_.mono() + limits::kRetryDelayMax, std::move(task));
}

}  // namespace parley::program
