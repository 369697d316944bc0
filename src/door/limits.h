// SPDX-License-Identifier: Apache-2.0
// Limits of the doors alone; those of all layers are in base/limits.h.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/limits.h"

namespace parley::limits {

// How often a token's last use is written down, at most.
inline constexpr auto kTokenUseGrain = std::chrono::minutes(10);

// Addresses that sign in and were not used yet; over it the oldest goes.
inline constexpr std::size_t kTicketsMax = 1000;

// Of an answer that is written as it is read.
inline constexpr std::size_t kSliceBytes = 64 * kKiB;
// Of the past of a session, read at a time for such an answer.
inline constexpr std::size_t kPastPageBytes = 1 * kMiB;

// A WebSocket before its sign-in: one message, and what may wait for it to be read.
inline constexpr std::size_t kStrangerMessageBytes = 16 * kKiB;
inline constexpr std::size_t kStrangerQueueBytes = 16 * kKiB;

// tRPC: the questions of one message.pending, as weight_of() counts, and the answers of one batch.
inline constexpr std::size_t kTrpcPendingBytes = 2 * kMiB;
inline constexpr std::size_t kTrpcBatchBytes = 4 * kMiB;

}  // namespace parley::limits
