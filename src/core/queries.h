// SPDX-License-Identifier: Apache-2.0
// What can be asked for of all that is kept, a page at a time, and the pages: the same words from a
// front down to the store. Values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/event.h"
#include "parley/values.h"

namespace parley {

// How much is asked for where nothing is said (core/limits.h).
std::size_t usual_page();
std::size_t largest_event_page();
std::size_t largest_page_bytes();

// Which end of a list comes first. `after` goes on from where a page ended, in the same order.
enum class ListOrder : std::uint8_t {
    oldest_first,
    newest_first,
    last_settled_first,  // of asks alone, and only those that are settled
};

struct AskQuery {
    std::optional<AskState> state = {};
    std::optional<SessionId> session = {};
    std::optional<std::string> asker = {};  // the principal
    std::optional<AskId> after = {};
    std::size_t limit = usual_page();
    ListOrder order = ListOrder::oldest_first;
    std::size_t bytes = largest_page_bytes();  // a page ends with the ask that reaches them
    // A page ends, maybe empty, where the store has looked at so many, fitting or not.
    std::size_t looks = std::numeric_limits<std::size_t>::max();
};

struct AskPage {
    std::vector<AskPtr> asks;  // in the order that was asked for
    bool has_more = false;
    AskId last = {};  // that was looked at: the `after` of the next page
    // The broker's, for who does not see all: what was looked at for nothing.
    std::size_t hidden = 0;
    std::size_t hidden_bytes = 0;  // as weight_of() counts
};

enum class SessionState : std::uint8_t { live, ended };

struct SessionQuery {
    std::optional<SessionState> state = {};
    std::optional<SessionId> after = {};
    std::size_t limit = usual_page();
    ListOrder order = ListOrder::oldest_first;
};

struct SessionPage {
    std::vector<SessionPtr> sessions;  // by id, in the order that was asked for
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
