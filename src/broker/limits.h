// SPDX-License-Identifier: Apache-2.0
// The limits of this folder. Those that several folders share are in base/limits.h.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/limits.h"

namespace parley::limits {

inline constexpr std::size_t kDraftBytesMax = 32UL * 1024 * 1024;  // of one person, all together
inline constexpr std::size_t kEndedNamesKept = 10'000;             // names of sessions that ended

// Notices of one speaker in one session: more within the window are refused.
inline constexpr std::size_t kNoticesMax = 20;
inline constexpr std::chrono::seconds kNoticeWindow{60};
inline constexpr std::size_t kNoticeSpeakersKept = 10'000;

// What one agent may have pending, unless the operator says otherwise.
inline constexpr std::size_t kQuotaAsks = 10'000;
inline constexpr std::size_t kQuotaBytes = 64 * kMiB;
inline constexpr std::size_t kQuotaSessions = 1'000;

}  // namespace parley::limits
