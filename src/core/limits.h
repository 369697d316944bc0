// SPDX-License-Identifier: Apache-2.0
// The limits of this folder. Those that several folders share are in base/limits.h.
#pragma once

#include <cstddef>

#include "base/limits.h"

namespace parley::limits {

// Permissions. What is permitted is kept whole: a tool's input that is larger is refused.
inline constexpr std::size_t kPermissionBytes = 1 * kMiB;  // input, diff and plan, each
inline constexpr std::size_t kPermissionDepth = 24;        // of the input; documents hold it
inline constexpr std::size_t kSummaryChars = 200;          // one line for rows and titles

}  // namespace parley::limits
