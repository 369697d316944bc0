// SPDX-License-Identifier: Apache-2.0
// Which message of the agent each part of one session's stream stands in, and as which of its
// parts. A message holds what an agent says between two pauses: an ask, the end of a turn and a
// person's message that it takes each end one. Owned by the broker, confined to its thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "base/ids.h"
#include "broker/limits.h"
#include "parley/event.h"

namespace parley {

class PartPlaces {
public:
    // The same for all that is said of one part: a text until its end, a tool's call until its
    // output.
    PartPlace find(const PartDelta& delta, IdMaker& ids, Instant now) {
        return place({delta.kind == PartDelta::Kind::text, delta.part_id}, ids, now);
    }
    PartPlace find(const Part& part, IdMaker& ids, Instant now) {
        // The end of a turn belongs to the message that it ends, if there is one.
        if (part.kind == Part::Kind::finish) return {.message = message_, .index = next_};
        const Key key(part.kind == Part::Kind::text, part.part_id);
        const PartPlace found = place(key, ids, now);
        const bool is_over = part.kind != Part::Kind::tool_input;
        if (is_over) open_.erase(key);
        return found;
    }
    void end_message() { message_ = {}; }

private:
    using Key = std::pair<bool, std::string>;  // is a text; its id

    PartPlace place(const Key& key, IdMaker& ids, Instant now) {
        if (const auto known = open_.find(key); known != open_.end()) return known->second;
        if (message_.is_nil()) {
            message_ = ids.next<MessageKind>(now);
            next_ = 0;
        }
        // An agent that never says what came of its calls: their outputs stand apart.
        if (open_.size() >= limits::kPartsPlaced) open_.clear();
        return open_[key] = {.message = message_, .index = next_++};
    }

    std::map<Key, PartPlace> open_;
    MessageId message_;
    std::uint32_t next_ = 0;
};

}  // namespace parley
