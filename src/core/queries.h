// SPDX-License-Identifier: Apache-2.0
// What can be asked for of all that is kept, a page at a time, and the pages: the same words from a
// front down to the store. Values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/event.h"
#include "parley/values.h"

namespace parley {

// How much is asked for where nothing is said (core/limits.h).
std::size_t usual_page();
std::size_t largest_event_page();
std::size_t largest_page_bytes();

// Which end of a list comes first. `after` goes on from where a page ended, in the same order.
enum class ListOrder : std::uint8_t { oldest_first, newest_first };

struct AskQuery {
    std::optional<AskState> state = {};
    std::optional<SessionId> session = {};
    std::optional<AskId> after = {};
    std::size_t limit = usual_page();
    ListOrder order = ListOrder::oldest_first;
    std::size_t bytes = largest_page_bytes();  // a page ends with the ask that reaches them
};

struct AskPage {
    std::vector<AskPtr> asks;  // by id, in the order that was asked for
    bool has_more = false;
    // The broker's, for who does not see all: the last that was looked at, shown or not, and what
    // was looked at for nothing.
    AskId last = {};
    std::size_t hidden = 0;
    std::size_t hidden_bytes = 0;  // as weight_of() counts
};

struct SessionQuery {
    std::optional<SessionId> after = {};
    std::size_t limit = usual_page();
};

struct SessionPage {
    std::vector<SessionPtr> sessions;  // ascending by id, ended ones too
    bool has_more = false;
};

struct EventQuery {
    Cursor after;
    std::optional<SessionId> session = {};
    std::size_t limit = largest_event_page();
    // Newest first, `after` is the cursor to go back from, and the zero one means the newest event;
    // there is no gap then, only an end.
    ListOrder order = ListOrder::oldest_first;
    std::size_t bytes = largest_page_bytes();  // a page ends with the event that reaches them
};

struct EventPage {
    std::vector<EventPtr> events;
    bool has_more = false;
    // `after` is older than what is kept or beyond the newest event: the reader must start over
    // from a snapshot.
    bool has_gap = false;
    Cursor oldest = {};  // with a gap: the earliest `after` that has none
};

}  // namespace parley
