// SPDX-License-Identifier: Apache-2.0
// Limits of the doors alone; those of all layers are in base/limits.h.
#pragma once

#include <chrono>
#include <cstddef>

namespace parley::limits {

// How often a token's last use is written down, at most.
inline constexpr auto kTokenUseGrain = std::chrono::minutes(10);

// A WebSocket before its sign-in: one message, and what may wait for it to be read.
inline constexpr std::size_t kStrangerMessageBytes = 16 * 1024;
inline constexpr std::size_t kStrangerQueueBytes = 16 * 1024;

}  // namespace parley::limits
