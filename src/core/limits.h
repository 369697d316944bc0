// SPDX-License-Identifier: Apache-2.0
// The limits of this folder. Those that several folders share are in base/limits.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/limits.h"

namespace parley::limits {

// Permissions. What is permitted is kept whole: a tool's input that is larger is refused.
inline constexpr std::size_t kPermissionBytes = 1 * kMiB;  // input, diff and plan, each
inline constexpr std::size_t kPermissionDepth = 24;        // of the input; documents hold it
inline constexpr std::size_t kSummaryChars = 200;          // one line for rows and titles

// A draft's version that was seen, and that this store does not know: another may have been in its
// place. Later ones count on from it, and must have room to.
inline constexpr std::uint64_t kDraftVersionAhead = std::uint64_t{1} << 32U;

}  // namespace parley::limits
