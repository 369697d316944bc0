// SPDX-License-Identifier: Apache-2.0
// The limits of this folder. Those that several folders share are in base/limits.h.
#pragma once

#include <cstddef>

namespace parley::limits {

// Of the table by which the lines of two texts are compared: over it, all old lines go and all new
// ones come.
inline constexpr std::size_t kLineTableCells = 1'000'000;

// Values in one JSON document: each costs tens of bytes and of nanoseconds, however few bytes it
// has on the wire. Where larger documents are read than the doors take, more of them by its bound.
inline constexpr std::size_t kJsonValuesMax = 256 * 1024;
inline constexpr std::size_t kJsonBytesPerValue = 64;

}  // namespace parley::limits
