// SPDX-License-Identifier: Apache-2.0
// What one agent may have. People have no quota.
#pragma once

#include <cstddef>

#include "broker/limits.h"

namespace parley {

struct Quota {
    std::size_t asks = limits::kQuotaAsks;  // that are pending
    std::size_t bytes = limits::kQuotaBytes;
    std::size_t sessions = limits::kQuotaSessions;  // live ones that belong to it
};

}  // namespace parley
