// SPDX-License-Identifier: Apache-2.0
// How the inbox looks on a whole screen: a pure function of its state, the time and the room.
#pragma once

#include <string>

#include "prompt/block.h"
#include "prompt/inbox_state.h"
#include "term/grid.h"

namespace parley {

struct InboxLook {
    int columns = 80;
    int rows = 24;
    Charset charset = Charset::utf8;
    bool has_numbers = true;
    std::string (*shown_time)(Instant) = nullptr;  // as this person reads it
};

// Also brings the scrolling of the opened prompt back into range.
Picture draw_inbox(InboxState& state, const InboxLook& look, Instant now);

}  // namespace parley
