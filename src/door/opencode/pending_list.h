// SPDX-License-Identifier: Apache-2.0
// The pending asks that a caller may see, as a list of any length.
#pragma once

#include <optional>
#include <string>

#include "door/opencode/opencode_door.h"
#include "net/co.h"
#include "net/exchange.h"

namespace parley::opencode {

struct PendingList {
    // The ask as JSON; nothing if it does not belong to this list.
    std::optional<std::string> (*write)(const Ask& ask);
    // Of one session; without one, of all that are seen from the directory that is asked for.
    std::optional<SessionId> session = {};
    // Around the array.
    std::string before = {};
    std::string after = {};
};

// Asks that are settled before their turn to be written are left out.
net::Co<void> list_pending(OpenCodeDoor* door, net::Exchange exchange, PendingList list);

}  // namespace parley::opencode
