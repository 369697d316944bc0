// SPDX-License-Identifier: Apache-2.0
// Limits of the doors alone; those of all layers are in base/limits.h.
#pragma once

#include <chrono>

namespace parley::limits {

// How often a token's last use is written down, at most.
inline constexpr auto kTokenUseGrain = std::chrono::minutes(10);

}  // namespace parley::limits
