// SPDX-License-Identifier: Apache-2.0
// An ask that a person has put off: hidden from their inboxes until then, and pending all the
// while. Pure.
#pragma once

#include <optional>

#include "parley/values.h"

namespace parley {

inline bool is_snoozed(std::optional<Instant> until, Instant now) {
    return until && *until > now;
}

}  // namespace parley
