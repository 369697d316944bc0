// SPDX-License-Identifier: Apache-2.0
// The limits of this folder, by name. What happens at each is tested where it is used.
#pragma once

#include <chrono>
#include <cstddef>

namespace parley::limits {

using namespace std::chrono_literals;

inline constexpr auto kRemotePatience = 10s;  // a call that is tried again
inline constexpr auto kRetryDelayMin = 50ms;
inline constexpr auto kRetryDelayMax = 2s;
inline constexpr auto kPollHold = 50s;       // of one poll for a settlement
inline constexpr auto kFollowSilence = 45s;  // heartbeats come more often than this

inline constexpr std::size_t kPlaceMarkBytes = 108;  // the longest path of a socket, and a newline

// A condition variable adds the time to the clock; a sum that overflows would not wait at all.
inline constexpr std::chrono::hours kTicketWaitMax{24 * 366};

}  // namespace parley::limits
