// SPDX-License-Identifier: Apache-2.0
// How an engine's own thread tells the store's worker of news. The worker may go as soon as the
// store has: once silenced, the bell touches it no more. Any thread.
#pragma once

#include <functional>
#include <mutex>
#include <utility>

#include "base/executor.h"

namespace parley {

class NewsBell {
public:
    NewsBell(Executor& worker, std::function<void()> heard)
        : worker_(&worker), heard_(std::move(heard)) {}

    void ring() {
        const std::lock_guard lock(mutex_);
        if (worker_ != nullptr) worker_->post(heard_);
    }
    void silence() {
        const std::lock_guard lock(mutex_);
        worker_ = nullptr;
    }

private:
    std::mutex mutex_;
    Executor* worker_;
    const std::function<void()> heard_;
};

}  // namespace parley
