// SPDX-License-Identifier: Apache-2.0
#include "client/follow.h"

#include <variant>

namespace parley {

void ResumePoint::note(const Frame& frame) {
    if (const auto* event = std::get_if<EventPtr>(&frame)) {
        after_ = (*event)->cursor;
    } else if (const auto* end = std::get_if<SnapshotEnd>(&frame)) {
        after_ = end->cursor;
        is_inside_snapshot_ = false;
    } else if (std::holds_alternative<SnapshotAsk>(frame) || std::holds_alternative<Reset>(frame)) {
        after_.reset();
        is_inside_snapshot_ = true;
    }
}

}  // namespace parley
