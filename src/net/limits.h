// SPDX-License-Identifier: Apache-2.0
// The limits of this folder. Those that several folders share are in base/limits.h.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/limits.h"

namespace parley::limits {

// What one peer can make us hold. A stranger's thousand connections stay below 64 MiB.
inline constexpr std::size_t kUnsentBytes = 16 * kKiB;     // above, no next request is taken
inline constexpr std::size_t kReadAheadBytes = 16 * kKiB;  // of requests before their turn
inline constexpr std::size_t kHeadReadBytes = 16 * kKiB;   // one read, but for a body's

// What all peers together can: requests that arrive, answers that nobody reads. Above, new requests
// are refused with 503, and those who have not moved for so long are cut, the slowest first.
inline constexpr std::size_t kHeldBytes = 64 * kMiB;
inline constexpr auto kHeldPatience = 1s;

// Output that waits for its peer must move by so much within kWriteStallTimeout.
inline constexpr std::size_t kWriteBytesMin = 32 * kKiB;

}  // namespace parley::limits
