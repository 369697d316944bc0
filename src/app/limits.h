// SPDX-License-Identifier: Apache-2.0
// Limits of the program alone; those of all layers are in base/limits.h.
#pragma once

#include <chrono>
#include <cstddef>

namespace parley::limits {

// How often a server looks whether its store's file is still there.
inline constexpr std::chrono::seconds kStoreCheckPeriod{2};
// How often it looks how much memory it uses.
inline constexpr std::chrono::seconds kMemoryLookPeriod{1};
inline constexpr std::size_t kDamageRemembered = 100;  // damaged rows that the log has named

}  // namespace parley::limits
