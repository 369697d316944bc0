// SPDX-License-Identifier: Apache-2.0
// What an agent streams into one session, as this node keeps it: parts that have begun, and pushes
// of which not every item is where it belongs. Belongs to the broker.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "base/done.h"
#include "broker/part_buffers.h"
#include "broker/part_places.h"
#include "parley/event.h"

namespace parley {

struct AgentStream {
    struct Push {
        std::vector<StreamItem> items;
        std::size_t next = 0;   // the first that is not where it belongs yet
        std::size_t bytes = 0;  // as weight_of() counts
        Done<void> done;
    };
    PartBuffers parts;
    PartPlaces places;
    std::deque<Push> waiting;
    std::size_t waiting_items = 0;
    bool is_writing = false;  // the next item of the first push is on its way to the store
};

}  // namespace parley
