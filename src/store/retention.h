// SPDX-License-Identifier: Apache-2.0
// How long a store keeps what is over, and what went.
#pragma once

#include <cstdint>
#include <optional>

#include "parley/values.h"

namespace parley {

// What was over before these instants goes: asks that were settled, sessions that had ended and of
// which nothing is left, messages that were taken or whose session had ended. Events go up to the
// latest of them, since none may tell of what is not there any more.
struct Retention {
    std::optional<Instant> asks = {};
    std::optional<Instant> sessions = {};
    std::optional<Instant> messages = {};

    bool is_endless() const { return !asks && !sessions && !messages; }
    std::optional<Instant> events() const {
        std::optional<Instant> latest = asks;
        for (const auto& other : {sessions, messages})
            if (other && (!latest || *latest < *other)) latest = other;
        return latest;
    }
};

struct Pruned {
    std::uint64_t asks = 0;
    std::uint64_t sessions = 0;
    std::uint64_t messages = 0;
    std::uint64_t events = 0;
    bool has_more = false;  // one slice was done, and there is another

    void add(const Pruned& slice) {
        asks += slice.asks;
        sessions += slice.sessions;
        messages += slice.messages;
        events += slice.events;
        has_more = slice.has_more;
    }
    bool operator==(const Pruned&) const = default;
};

}  // namespace parley
