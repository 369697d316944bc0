// SPDX-License-Identifier: Apache-2.0
// The limits of this folder, by name. What happens at each is tested where it is used.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/sizes.h"

namespace parley::limits {

using namespace std::chrono_literals;

// A table that an administrator locks for half a minute only delays; a statement that waits longer
// is given up by the server, and a server that says nothing at all by us.
inline constexpr auto kPostgresStatementTimeout = 40s;
inline constexpr auto kPostgresAnswerTimeout = 45s;
// The same for who asks about all there is, and is given up by nobody else.
inline constexpr auto kPostgresLongAnswerTimeout = 1h;
// A node that is stopped in the middle of a transaction holds its locks for no longer.
inline constexpr auto kPostgresIdleInTransaction = 10s;
// Nor for longer than this while the server has rows for it that it does not read.
inline constexpr auto kPostgresUnreadTimeout = 15s;
// Times that a transaction is tried that others' got in the way of.
inline constexpr int kPostgresTries = 5;
// Times that the server is asked, 50 ms apart, what became of a transaction.
inline constexpr int kPostgresDoubts = 400;
// Of what a node loads: rows that are held at once, each of which may be as large as a request, and
// how many times that is sent for at once, so that a million of small ones are there soon.
inline constexpr std::size_t kPostgresRowsLoadedAtOnce = 64;
inline constexpr int kPostgresFetchesAtOnce = 16;
// Events that are read at once, each of which may be as large as a request.
inline constexpr std::size_t kFeedAtOnce = 64;
// Of an archive: rows that are held at once, each of which may be as large as a request.
inline constexpr std::size_t kPostgresRowsDumpedAtOnce = 32;
// A node that is further behind reads all anew instead: in events, and in bytes that it would hold
// at once, as weight_of() counts.
inline constexpr std::size_t kFeedBehindMax = 50'000;
inline constexpr std::size_t kFeedBehindBytes = 64 * kMiB;
// A node's time of day is the server's, to this; an answer that takes longer tells too little of
// it.
inline constexpr auto kPostgresClockTremble = 250ms;
inline constexpr auto kPostgresClockWayMax = 500ms;
// Times that a server is asked which answers more slowly, when it is opened.
inline constexpr int kPostgresClockTries = 5;

}  // namespace parley::limits
