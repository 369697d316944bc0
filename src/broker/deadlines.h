// SPDX-License-Identifier: Apache-2.0
// Which asks end when, on the monotonic clock. A plain heap: the broker pushes, asks for the
// earliest, and pops what is due. An ask that is settled before its time stays in it until half of
// the heap is such; then all of them leave at once. So it holds at most twice what is pending.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "parley/values.h"

namespace parley {

class Deadlines {
public:
    void push(Mono when, AskId ask) {
        heap_.push_back({when, ask});
        std::ranges::push_heap(heap_, std::greater());
    }

    // One that was pushed is not pending any more. `is_pending` tells who still is.
    template <class IsPending>
    void settled(IsPending is_pending) {
        if (++settled_ * 2 <= heap_.size()) return;
        std::erase_if(heap_, [&](const Entry& entry) { return !is_pending(entry.ask); });
        std::ranges::make_heap(heap_, std::greater());
        settled_ = 0;
    }

    // All that was pushed and not popped; the heap is empty afterwards.
    std::unordered_map<AskId, Mono> take_all() {
        std::unordered_map<AskId, Mono> all;
        std::ranges::sort(heap_);
        for (const Entry& entry : heap_) all.try_emplace(entry.ask, entry.when);
        heap_.clear();
        settled_ = 0;
        return all;
    }

    std::optional<Mono> earliest() const {
        if (heap_.empty()) return std::nullopt;
        return heap_.front().when;
    }

    // One ask whose time has come; nullopt when there is none.
    std::optional<AskId> pop_due(Mono now) {
        if (heap_.empty() || heap_.front().when > now) return std::nullopt;
        std::ranges::pop_heap(heap_, std::greater());
        const AskId ask = heap_.back().ask;
        heap_.pop_back();
        return ask;
    }

    std::size_t size() const { return heap_.size(); }

private:
    struct Entry {
        Mono when;
        AskId ask;
        auto operator<=>(const Entry&) const = default;
    };

    std::vector<Entry> heap_;  // the earliest in front
    std::size_t settled_ = 0;  // in it, or popped since
};

}  // namespace parley
