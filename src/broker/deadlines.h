// SPDX-License-Identifier: Apache-2.0
// Which asks end when, on the monotonic clock. A plain queue: the broker pushes, asks for the
// earliest, and pops what is due. An ask that was settled meanwhile is still popped; the broker
// looks whether it is pending.
#pragma once

#include <optional>
#include <queue>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "parley/values.h"

namespace parley {

class Deadlines {
public:
    void push(Mono when, AskId ask) { queue_.push({when, ask}); }

    // All that was pushed and not popped; the queue is empty afterwards.
    std::unordered_map<AskId, Mono> take_all() {
        std::unordered_map<AskId, Mono> all;
        for (; !queue_.empty(); queue_.pop()) all.try_emplace(queue_.top().ask, queue_.top().when);
        return all;
    }

    std::optional<Mono> earliest() const {
        if (queue_.empty()) return std::nullopt;
        return queue_.top().when;
    }

    // One ask whose time has come; nullopt when there is none.
    std::optional<AskId> pop_due(Mono now) {
        if (queue_.empty() || queue_.top().when > now) return std::nullopt;
        const AskId ask = queue_.top().ask;
        queue_.pop();
        return ask;
    }

private:
    struct Entry {
        Mono when;
        AskId ask;
        bool operator>(const Entry& other) const {
            return when != other.when ? when > other.when : ask > other.ask;
        }
    };

    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

}  // namespace parley
