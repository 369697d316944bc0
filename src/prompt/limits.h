// SPDX-License-Identifier: Apache-2.0
// The limits of what is shown and typed in a terminal, beside those of base/limits.h.
#pragma once

#include <chrono>
#include <cstddef>

namespace parley::limits {

using namespace std::chrono_literals;

// The key that opened or settled something counts again only after so long without it: longer than
// any keyboard waits before it repeats a key that is held down.
inline constexpr auto kHeldKeyPause = 700ms;
// A line takes longer to type than a key: one that ends so soon after its question came up by
// itself was meant for what stood there before.
inline constexpr auto kStrayLineGuard = 1000ms;
// Between typing and giving it to the broker; it doubles with each failure, up to the second.
inline constexpr auto kDraftPause = 400ms;
inline constexpr auto kDraftPauseMax = 30s;
inline constexpr std::size_t kUnsentTextsMax = 20;  // told when the inbox ends

}  // namespace parley::limits
