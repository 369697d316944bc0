// SPDX-License-Identifier: Apache-2.0
// The newest things that happened, for everyone who is listening: committed events and the deltas
// between them, in one order, bounded. A reader holds a position; one that falls out of the bound
// goes back to the store and joins again. Confined to the broker's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "broker/limits.h"
#include "core/content.h"
#include "core/event.h"
#include "core/weight.h"

namespace parley {

using LiveItem = std::variant<EventPtr, PartDeltaPtr>;

class LiveLog {
public:
    using Position = std::uint64_t;  // of the next item to read

    // Everything up to `head` is no longer, or was never, in the log.
    void reset(Cursor head) {
        first_ += items_.size();
        items_.clear();
        bytes_ = 0;
        before_ = head;
    }

    void add(LiveItem item) {
        const std::size_t bytes =
            std::visit([](const auto& what) { return weight_of(*what); }, item);
        bytes_ += bytes;
        items_.push_back({std::move(item), bytes});
        while (items_.size() > limits::kRecentEvents || bytes_ > limits::kRecentBytes)
            drop_oldest();
    }

    // What was told of that ask is told again without what it said.
    void delete_content(AskId ask, Instant at) {
        for (Weighed& each : items_) {
            auto* event = std::get_if<EventPtr>(&each.item);
            const EventPtr blank = event ? without_content_of(*event, ask, at) : nullptr;
            if (!blank || blank == *event) continue;
            *event = blank;
            bytes_ -= each.bytes;
            each.bytes = weight_of(*blank);
            bytes_ += each.bytes;
        }
    }

    Position end() const { return first_ + items_.size(); }
    bool holds(Position position) const { return position >= first_ && position <= end(); }
    const LiveItem& at(Position position) const {
        return items_[static_cast<std::size_t>(position - first_)].item;
    }

    // Where a reader that has seen everything up to `cursor` reads on; nullopt if the log no longer
    // reaches back that far. Positions lie after any delta that preceded the next event.
    std::optional<Position> after(Cursor cursor) const {
        if (cursor < before_) return std::nullopt;
        Position position = end();
        while (position > first_) {
            const auto* event = std::get_if<EventPtr>(&at(position - 1));
            if (event != nullptr && (*event)->cursor <= cursor) break;
            --position;
        }
        return position;
    }

private:
    // The weight is kept, so that dropping the oldest does not have to read what it holds.
    struct Weighed {
        LiveItem item;
        std::size_t bytes;
    };

    void drop_oldest() {
        const Weighed& oldest = items_.front();
        if (const auto* event = std::get_if<EventPtr>(&oldest.item)) before_ = (*event)->cursor;
        bytes_ -= oldest.bytes;
        items_.pop_front();
        ++first_;
    }

    std::deque<Weighed> items_;
    std::size_t bytes_ = 0;
    Position first_ = 0;
    Cursor before_;  // the newest event that is not in the log any more
};

}  // namespace parley
