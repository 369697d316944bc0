// SPDX-License-Identifier: Apache-2.0
// The limits of this folder, by name. What happens at each is tested where it is used.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/sizes.h"

namespace parley::limits {

// Texts.
inline constexpr std::size_t kTextBytes = 16 * kKiB;       // one question, label, description…
inline constexpr std::size_t kAskBytes = 256 * kKiB;       // all text of one ask
inline constexpr std::size_t kAnswerTextBytes = 1 * kMiB;  // one free text or note
inline constexpr std::size_t kAnswersBytes = 4 * kMiB;     // all text of one submission
inline constexpr std::size_t kNameChars = 200;             // session names, keys, call ids, `by`
// The same, since one character may be any number of bytes, and stores find them by an index: what
// PostgreSQL takes into one is at most 2,704 bytes, with the id beside it.
inline constexpr std::size_t kNameBytes = 2000;
inline constexpr std::size_t kDirectoryBytes = 4 * kKiB;  // a session's folder
inline constexpr std::size_t kReasonBytes = 16 * kKiB;

inline constexpr std::size_t kFaultsMax = 32;          // named in one refusal
inline constexpr std::size_t kComparedNameBytes = 64;  // of a name that may be mistyped
inline constexpr std::size_t kExcerptClusters = 60;    // of a text that a fault quotes
// Questions that came as a JSON string, or as a JSON string of a JSON string.
inline constexpr int kStringLevels = 2;

inline constexpr std::chrono::minutes kUsualSnooze{10};  // what is offered first

// Numbers of a document.
inline constexpr int kChoiceCountMax = 1'000'000;  // what `min` and `max` may say
inline constexpr double kSecondsMax = 1e12;        // more are as good as for ever

// Lists.
inline constexpr std::size_t kEventsPageMax = 1000;  // events read at a time
inline constexpr std::size_t kListPageMax = 1000;
inline constexpr std::size_t kListPageDefault = 100;
inline constexpr std::size_t kPageBytes = 32 * kMiB;  // of one page of asks or events, and one more

inline constexpr std::size_t kStreamQueueMax = 10'000;  // of an agent's stream, not yet stored

// Permissions. What is permitted is kept whole: a tool's input that is larger is refused.
inline constexpr std::size_t kPermissionBytes = 1 * kMiB;  // input, diff and plan, each
inline constexpr std::size_t kPermissionDepth = 24;        // of the input; documents hold it
inline constexpr std::size_t kSummaryChars = 200;          // one line for rows and titles

// A draft's version that was seen, and that this store does not know: another may have been in its
// place. Later ones count on from it, and must have room to.
inline constexpr std::uint64_t kDraftVersionAhead = std::uint64_t{1} << 32U;

}  // namespace parley::limits
