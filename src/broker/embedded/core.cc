// SPDX-License-Identifier: Apache-2.0
#include "broker/embedded/core.h"

#include <fmt/format.h>

#include <cstdio>

#include "broker/embedded/handler_runner.h"
#include "broker/embedded/watch_state.h"
#include "core/door_names.h"
#include "store/engine_url.h"

namespace parley::embedded {

Result<std::shared_ptr<Core>> Core::open(BrokerOptions options) {
    auto core = std::make_shared<Core>(std::move(options));
    TRY(engine, make_engine(core->options_.store, core->clock_));
    CHECK_OK(core->start(std::move(engine)));
    return core;
}

Core::Core(BrokerOptions options) : options_(std::move(options)) {}

Core::~Core() {
    close();
}

Result<void> Core::start(std::unique_ptr<Engine> engine) {
    callbacks_ = std::make_unique<LoopThread>();
    worker_ = std::make_unique<LoopThread>();
    loop_ = std::make_unique<LoopThread>();
    Slot<void> started;
    loop_->post([this, &started, engine = std::move(engine)]() mutable {
        live_ = std::make_unique<Live>(std::move(engine), Store::Wiring{*worker_, *loop_, clock_});
        live_->broker.start(Hook<void, Slot<void>*>(&started));
    });
    return started.take();
}

void Core::close() {
    {
        // A callback that closes the broker would wait for itself.
        const std::lock_guard lock(mutex_);
        ASSERT(!callbacks_ || !callbacks_->is_current());
        ASSERT(!handlers_ || !handlers_->is_current());
    }
    const std::lock_guard one_at_a_time(close_mutex_);
    {
        const std::lock_guard lock(mutex_);
        if (is_closing_ || !loop_) return;
        is_closing_ = true;
    }
    const auto handler = cut_off_listeners();
    if (handler) handler->request_stop();
    stop_loop_broker();
    // Only now: a handler that waited for the broker has been interrupted.
    if (handler) handler->shut();
    join_threads();
}

std::shared_ptr<HandlerRunner> Core::cut_off_listeners() {
    Slot<std::shared_ptr<HandlerRunner>> cut_off;
    loop_->post([&] {
        for (const auto& watch : live_->watches) watch->cut_off();
        live_->watches.clear();
        cut_off.fulfil(replace_handler(nullptr));
    });
    return *cut_off.take();
}

void Core::stop_loop_broker() {
    Slot<void> stopped;
    loop_->post([&] {
        live_->broker.stop([&] {
            // Not inside the store's own callback. All who wait are interrupted here.
            loop_->post([&] {
                live_.reset();
                stopped.fulfil({});
            });
        });
    });
    (void)stopped.take();
}

// From the outside in: a thread that is joined may still post to those that are joined after it.
void Core::join_threads() {
    std::unique_ptr<LoopThread> handlers;
    {
        const std::lock_guard lock(mutex_);
        handlers = std::move(handlers_);
    }
    handlers.reset();
    worker_.reset();
    loop_.reset();
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
    if (is_closing_) return;
    if (!handlers_) handlers_ = std::make_unique<LoopThread>();
    handlers_->post(std::move(task));
}

void Core::resume(std::coroutine_handle<> coroutine) {
    guard("a coroutine", [&] {
        if (options_.resume) {
            options_.resume(coroutine);
        } else {
            coroutine.resume();
        }
    });
}

void Core::report(std::string problem) {
    post_callback([this, problem = std::move(problem)] {
        if (options_.on_problem) {
            options_.on_problem(problem);
        } else {
            fmt::print(stderr, "parley: {}\n", problem);
        }
    });
}

Actor Core::actor(std::optional<std::string> by) const {
    return {.principal = options_.principal,
            .door = std::string(door_names::kProgram),
            .claimed = std::move(by)};
}

std::shared_ptr<HandlerRunner> Core::replace_handler(std::shared_ptr<HandlerRunner> handler) {
    auto earlier = std::exchange(live_->handler, std::move(handler));
    if (earlier) earlier->cut_off();
    if (live_->handler) live_->handler->start(live_->broker);
    return earlier;
}

}  // namespace parley::embedded
