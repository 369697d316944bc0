// SPDX-License-Identifier: Apache-2.0
// The limits of this folder. Those that several folders share are in base/limits.h.
#pragma once

#include <cstddef>

namespace parley::limits {

// Of the table by which the lines of two texts are compared: over it, all old lines go and all new
// ones come.
inline constexpr std::size_t kLineTableCells = 1'000'000;

}  // namespace parley::limits
