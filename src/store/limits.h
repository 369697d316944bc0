// SPDX-License-Identifier: Apache-2.0
// The limits of this folder, by name. What happens at each is tested where it is used.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/sizes.h"

namespace parley::limits {

using namespace std::chrono_literals;

// Store and commit queue.
inline constexpr std::size_t kCommitQueueMax = 65536;  // commits waiting; more is `overloaded`
// In bytes, as weight_of() counts: over it large commits are refused. Small ones always find a
// place, so that nobody's parts keep another's answer out.
inline constexpr std::size_t kCommitQueueBytes = 32 * kMiB;
inline constexpr std::size_t kSmallCommitBytes = 64 * kKiB;
inline constexpr std::size_t kCommitBatchMax = 1024;        // changes in one transaction
inline constexpr std::size_t kEventsKept = 1'000'000;       // older cursors get a reset
inline constexpr std::size_t kMemorySettledKept = 1024;     // by the memory store
inline constexpr std::size_t kMemoryEventsKept = 2048;      // by the memory store
inline constexpr std::size_t kMemoryEndedKept = 1024;       // sessions, by the memory store
inline constexpr std::size_t kMemoryKeptBytes = 64 * kMiB;  // of settled asks, and of events
inline constexpr std::size_t kEventsDroppedAtOnce = 2000;   // when idle, by the SQLite store
inline constexpr std::size_t kSqliteEventsFiledAtOnce = 1024;
inline constexpr std::size_t kSqliteLogBytesIdle = 1 * kMiB;  // copied to the file when idle
inline constexpr std::size_t kSqliteLogBytesMax = 64 * kMiB;  // copied at once, idle or not
inline constexpr std::size_t kSqliteCacheBytes = 2 * kMiB;
inline constexpr auto kStoreIdleBeforeTidy = 200ms;
// A store that is never idle for so long is tidied all the same.
inline constexpr auto kStoreUntidyMax = 5s;
inline constexpr auto kStoreReopenDelayMin = 100ms;
inline constexpr auto kStoreReopenDelayMax = 5s;
// Of a store that others write to as well: looked for news that were lost on their way.
inline constexpr auto kFeedPollEvery = 1s;
// Of such a store: changes that are enough for a transaction of their own, and how long at most
// fewer wait for more.
inline constexpr std::size_t kGatherEnough = 64;
inline constexpr auto kGatherMax = 5ms;
// Of such a store: asks that are kept as they were read until they are settled.
inline constexpr std::size_t kRecentSpecs = 4096;

// What is read at a time while changes may wait to be written.
inline constexpr std::size_t kSliceRows = 64;
inline constexpr std::size_t kSliceBytes = 256 * kKiB;
// Asks that one page looks at, fitting or not; the next page goes on.
inline constexpr std::size_t kListLooksMax = 4096;

// Of a copy that is made while commits go on: pages at a time.
inline constexpr int kSqliteCopyPages = 64;
// Rows that are pruned at a time, of each kind; events as when idle.
inline constexpr std::size_t kAsksPrunedAtOnce = 64;
inline constexpr std::size_t kRowsPrunedAtOnce = 256;

// Of a store as a whole (archive/).
inline constexpr std::size_t kExportLineBytes = 64 * kMiB;  // a longer line is no export of ours
inline constexpr std::size_t kFaultsTold = 100;             // of each kind; more are counted

// Ids that a list goes along at a time, before their asks are looked at.
inline constexpr std::size_t kAsksAtOnceMin = 64;
// What is written to SQLite's log in one piece. Its own writer takes less than 128 KiB at a time; a
// page fits in well.
inline constexpr std::size_t kGatheredBytes = 96 * kKiB;

}  // namespace parley::limits
