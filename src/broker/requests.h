// SPDX-License-Identifier: Apache-2.0
// What is asked of the broker and what it replies: the public requests (parley/requests.h), the
// queries and pages of core, and Done, the callback that takes a reply.
#pragma once

#include <optional>
#include <vector>

#include "base/done.h"
#include "core/queries.h"
#include "parley/requests.h"

namespace parley {

// A page of what happened in a session, without what its reader may not see.
struct ShownEvents {
    std::vector<EventPtr> events = {};
    std::optional<Cursor> next = {};  // the `after` of the next page, if there is one
    bool has_gap = false;             // as in EventPage
    Cursor oldest = {};
};

}  // namespace parley
