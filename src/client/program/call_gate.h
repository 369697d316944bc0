// SPDX-License-Identifier: Apache-2.0
// Behind parley::AnyBroker: code of the program runs through a gate, and whoever shuts the gate
// knows that none of it runs any more. Any thread; the calls themselves come one at a time.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace parley::program {

class CallGate {
public:
    // False, and no call, once the gate is shut.
    template <class F>
    bool run(F&& call) {
        {
            const std::lock_guard lock(mutex_);
            if (is_shut_) return false;
            runner_ = std::this_thread::get_id();
        }
        std::forward<F>(call)();
        const std::lock_guard lock(mutex_);
        runner_ = {};
        idle_.notify_all();
        return true;
    }

    // Returns when no call runs; at once when it is such a call that shuts the gate.
    void shut() {
        std::unique_lock lock(mutex_);
        is_shut_ = true;
        if (runner_ == std::this_thread::get_id()) return;
        idle_.wait(lock, [this] { return runner_ == std::thread::id(); });
    }

private:
    std::mutex mutex_;
    std::condition_variable idle_;
    std::thread::id runner_;
    bool is_shut_ = false;
};

}  // namespace parley::program
