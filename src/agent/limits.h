// SPDX-License-Identifier: Apache-2.0
// Limits of the agents alone; those of all layers are in base/limits.h.
#pragma once

#include <cstddef>

namespace parley::limits {

// Text of an agent's stream in one request: all of it escaped must fit into kBodyBytes.
inline constexpr std::size_t kPushedBytes = 512UL * 1024;

}  // namespace parley::limits
