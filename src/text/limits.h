// SPDX-License-Identifier: Apache-2.0
// The limits of this folder, by name. What happens at each is tested where it is used.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/sizes.h"

namespace parley::limits {

using namespace std::chrono_literals;

inline constexpr std::size_t kClusterScalarsMax = 12;  // the longest emoji has 10
inline constexpr auto kTimeoutMax = std::chrono::hours(24 * 366 * 10);

// JSON documents, unless their reader says otherwise: as large as the bodies that they come in.
inline constexpr std::size_t kJsonBytes = 4 * kMiB;
inline constexpr std::size_t kJsonDepth = 32;
inline constexpr std::size_t kJsonDepthMax = 1024;  // the most that a caller may ask for
inline constexpr int kJsonWrittenDepth = 64;        // of what we write ourselves

// Members of one object. Boost.JSON salts its hash with an address only: in larger tables, whose
// pages the system aligns, keys can be chosen that all collide.
inline constexpr std::size_t kJsonMembersMax = 2048;

inline constexpr std::size_t kChildLineBytes = 16 * kMiB;        // of a child process
inline constexpr std::size_t kServerDocumentBytes = 256 * kMiB;  // that our own client reads

// Of the table by which the lines of two texts are compared: over it, all old lines go and all new
// ones come.
inline constexpr std::size_t kLineTableCells = 1'000'000;

// Values in one JSON document: each costs tens of bytes and of nanoseconds, however few bytes it
// has on the wire. Where larger documents are read than the doors take, more of them by its bound.
inline constexpr std::size_t kJsonValuesMax = 256 * kKiB;
inline constexpr std::size_t kJsonBytesPerValue = 64;

}  // namespace parley::limits
