// SPDX-License-Identifier: Apache-2.0
// The limits of this folder, by name. What happens at each is tested where it is used.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/sizes.h"

namespace parley::limits {

using namespace std::chrono_literals;

// The terminal.
inline constexpr auto kStrayKeyGuard = 300ms;     // a new prompt settles nothing so early
inline constexpr std::size_t kSearchChars = 200;  // typed to filter a list
inline constexpr std::size_t kUndoSteps = 200;    // of one text field
inline constexpr std::size_t kUndoBytes = 8 * kMiB;
inline constexpr std::size_t kInboxAsksMax = 10'000;   // shown; more are counted
inline constexpr std::size_t kInboxHistoryMax = 1000;  // decisions kept to look back at
inline constexpr std::size_t kInboxOpenMax = 64;       // asks whose typed text is kept

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

// Room that pictures are laid out for, however little there is.
inline constexpr int kDetailRowsMin = 8;
inline constexpr int kColumnsMin = 20;
inline constexpr int kColumnCellsMin = 4;  // of a table

inline constexpr std::size_t kBlankLinesShown = 2;  // in a row; of more it says how many

inline constexpr auto kLongSnooze = 1h;  // by the key of the longer one

inline constexpr auto kNoticeShown = 30s;  // what an agent says beside its questions

}  // namespace parley::limits
