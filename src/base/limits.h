// SPDX-License-Identifier: Apache-2.0
// The limits of this folder and of all: sizes. Every other folder has a limits.h of its own, so
// that a new limit compiles again what knows of that folder's, and nothing else.
#pragma once

#include <chrono>
#include <cstddef>

namespace parley::limits {

using namespace std::chrono_literals;

inline constexpr std::size_t kKiB = 1024;
inline constexpr std::size_t kMiB = 1024 * kKiB;

// Memory that each thread keeps for its next small objects.
inline constexpr std::size_t kBlockBytesMax = 512;
inline constexpr std::size_t kBlocksKept = 512;  // of each size

// Log.
inline constexpr int kLogLinesPerSecond = 200;  // of one event name; more are counted

}  // namespace parley::limits
