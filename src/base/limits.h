// SPDX-License-Identifier: Apache-2.0
// The limits of this folder, by name. Every folder has a limits.h of its own, so that a new limit
// compiles again what uses that folder's, and nothing else; headers that all include have none.
#pragma once

#include <cstddef>

namespace parley::limits {

// Memory that each thread keeps for its next small objects.
inline constexpr std::size_t kBlockBytesMax = 1024;
inline constexpr std::size_t kBlocksKept = 512;  // of each size

// Log.
inline constexpr int kLogLinesPerSecond = 200;  // of one event name; more are counted

}  // namespace parley::limits
