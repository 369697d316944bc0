// SPDX-License-Identifier: Apache-2.0
// The units that limits are written in.
#pragma once

#include <cstddef>

namespace parley::limits {

inline constexpr std::size_t kKiB = 1024;
inline constexpr std::size_t kMiB = 1024 * kKiB;

}  // namespace parley::limits
