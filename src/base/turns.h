// SPDX-License-Identifier: Apache-2.0
// Lets a few do at a time what costs memory while it is done; all others wait in the order in which
// they came. Belongs to one thread.
#pragma once

#include <cstddef>
#include <deque>
#include <utility>

#include "base/executor.h"

namespace parley {

class Turns {
public:
    explicit Turns(std::size_t at_once) : free_(at_once) {}

    // Now, or when others have given back theirs. Each turn must be given back once.
    void take(Task start) {
        if (free_ == 0) return waiting_.push_back(std::move(start));
        --free_;
        start();
    }
    void give_back() {
        if (waiting_.empty()) {
            ++free_;
            return;
        }
        Task next = std::move(waiting_.front());
        waiting_.pop_front();
        next();
    }
    // Who waits does not get a turn any more.
    void forget_waiting() { waiting_.clear(); }

private:
    std::size_t free_;
    std::deque<Task> waiting_;
};

}  // namespace parley
