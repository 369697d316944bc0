// SPDX-License-Identifier: Apache-2.0
// A LoopBroker with threads, clock and store of its own, for a program that has no loop to give it.
// Made and destroyed on any thread; all else happens on the loop.
#pragma once

#include <memory>
#include <string_view>

#include "base/clock.h"
#include "base/executor.h"
#include "base/loop_thread.h"
#include "base/shared_clock.h"
#include "broker/broker.h"
#include "store/engine.h"
#include "store/store.h"

namespace parley {

class ThreadedBroker {
public:
    [[nodiscard]] static Result<std::unique_ptr<ThreadedBroker>> make(std::string_view store_url);
    // After stop(), or without a start().
    ~ThreadedBroker();
    ThreadedBroker(const ThreadedBroker&) = delete;
    ThreadedBroker& operator=(const ThreadedBroker&) = delete;

    Executor& loop() { return *loop_; }
    const Clock& clock() const { return clock_; }

    // On the loop.
    void start(Done<void> done);
    LoopBroker& broker() { return live_->broker; }
    // Writes what is queued, then tells, while the broker is still there; it goes right after.
    void stop(Task stopped);

private:
    ThreadedBroker();

    struct Live {
        Live(std::unique_ptr<Engine> engine, Store::Wiring wiring);

        Store store;
        LoopBroker broker;
    };

    const SystemClock own_clock_;
    SharedClock clock_{own_clock_};
    std::unique_ptr<Engine> engine_;  // until it is started

    // Joined from the last to the first: the worker may still post to the loop.
    std::unique_ptr<LoopThread> loop_;
    std::unique_ptr<LoopThread> worker_;

    std::unique_ptr<Live> live_;
};

}  // namespace parley
