// SPDX-License-Identifier: Apache-2.0
// The limits of this folder, by name. What happens at each is tested where it is used.
#pragma once

#include <chrono>
#include <cstddef>

namespace parley::limits {

using namespace std::chrono_literals;

// The terminal.
inline constexpr auto kEscapePatience = 50ms;          // an escape byte alone is the Escape key
inline constexpr auto kPastePatience = 2s;             // a paste whose end never comes
inline constexpr std::size_t kKeySequenceBytes = 256;  // longer ones are dropped

}  // namespace parley::limits
