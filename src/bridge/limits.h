// SPDX-License-Identifier: Apache-2.0
// The limits of this folder, by name. What happens at each is tested where it is used.
#pragma once

#include <cstddef>

namespace parley::limits {

// What a call that waits for a person may hold beside twice its ask, which quotas bound.
inline constexpr std::size_t kKeptBesideAsk = 16UL * 1024;

}  // namespace parley::limits
