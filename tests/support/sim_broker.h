// SPDX-License-Identifier: Apache-2.0
// A whole broker over the memory engine in simulated time, for tests of what stands on it. Nothing
// runs until settle_down() or pass() is called.
#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "base/assert.h"
#include "broker/broker.h"
#include "store/memory_engine.h"
#include "support/sim_world.h"

namespace parley::sim {

class SimBroker {
public:
    SimBroker() {
        bool is_started = false;
        broker.start([&](Result<void> result) { is_started = result.has_value(); });
        settle_down();
        ASSERT(is_started);
    }

    void settle_down() { run_until_idle(home, worker); }

    // Time passes in small steps, so that timers fire at their own moment.
    void pass(Millis time) {
        const Mono end = clock.mono() + time;
        while (clock.mono() < end) {
            clock.advance(std::min<std::chrono::nanoseconds>(end - clock.mono(), Millis(1000)));
            settle_down();
        }
    }

    SimClock clock;
    SimExecutor home{clock};
    SimExecutor worker{clock};
    Store store{std::make_unique<MemoryEngine>(clock), {worker, home, clock}};
    LoopBroker broker{
        {home, clock, store, [random = std::mt19937_64(1)]() mutable { return random(); }}};
};

inline AskSpec tea_or_coffee() {
    return {.questions = {{.text = "Tea or coffee?",
                           .header = "Drink",
                           .options = {{"Tea", ""}, {"Coffee", ""}}}}};
}

// What a callback was given; an Error until it is called.
template <class T>
class Got {
public:
    Done<T> done() {
        return [this](Result<T> result) {
            ++calls_;
            result_ = std::move(result);
        };
    }
    int calls() const { return calls_; }
    const Result<T>& operator*() const { return result_; }
    const Result<T>* operator->() const { return &result_; }

private:
    int calls_ = 0;
    Result<T> result_ = reject(ErrorCode::internal, "not called");
};

}  // namespace parley::sim
