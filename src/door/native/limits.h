// SPDX-License-Identifier: Apache-2.0
// The limits of this folder, by name. What happens at each is tested where it is used.
#pragma once

#include <cstddef>

#include "base/sizes.h"

namespace parley::limits {

// Asks that one request looks through for several states or for words; the next one goes on.
inline constexpr std::size_t kSearchedAtOnce = 4000;
inline constexpr std::size_t kSearchedBytes = 16 * kMiB;  // of them, as weight_of() counts
// Of the asks of one page, as weight_of() counts: what is read, looked through and written in one
// turn of the loop. The page ends with the ask that reaches them.
inline constexpr std::size_t kListedBytes = 4 * kMiB;
// Of the events of one page of a log. A part of an agent's stream may be four times as large, and
// six times that where it is written.
inline constexpr std::size_t kLoggedBytes = 1 * kMiB;
inline constexpr std::size_t kSearchBytes = 1000;  // of ?q=

}  // namespace parley::limits
