// SPDX-License-Identifier: Apache-2.0
// The limits of this folder, by name. What happens at each is tested where it is used.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/sizes.h"

namespace parley::limits {

using namespace std::chrono_literals;

inline constexpr std::size_t kResponseBytes = 64 * kMiB;  // a whole body read by a client

// Connections of the server.
inline constexpr std::size_t kConnectionsMax = 24'000;  // more are answered 503 and closed
inline constexpr int kAcceptsPerTurn = 64;  // so that a flood keeps the loop from nothing else
inline constexpr std::size_t kReadBytes = 64 * kKiB;        // one read, into a buffer of the loop
inline constexpr std::size_t kStreamQueueBytes = 4 * kMiB;  // unsent output of one stream; then cut
inline constexpr std::size_t kSocketMessageBytes = 4 * kMiB;  // one WebSocket message
inline constexpr auto kSweepInterval = 1s;                    // granularity of what follows
inline constexpr auto kHandshakeTimeout = 10s;
inline constexpr auto kHeadTimeout = 10s;  // from a request's first byte to the end of its head
inline constexpr auto kBodyTimeout = 60s;
inline constexpr auto kIdleTimeout = 75s;        // between requests
inline constexpr auto kWriteStallTimeout = 30s;  // output that makes no progress
inline constexpr auto kLingerTimeout = 2s;       // reading on after a refusal, so that it arrives
inline constexpr auto kDrainDeadline = 3s;       // of requests in hand when the server stops
// Pings of WebSockets, comments of streams, blank lines of held hooks and of tRPC calls that wait.
inline constexpr auto kHeartbeatInterval = 15s;
inline constexpr auto kPongTimeout = 30s;
inline constexpr std::chrono::seconds kRetryAfter{1};  // told with every 503

// Of servers that start at once on one path: for the other to be done, and between two looks.
inline constexpr std::chrono::milliseconds kFolderLockPatience{500};
inline constexpr std::chrono::milliseconds kFolderLockPoll{10};

// Clients and child processes.
inline constexpr auto kConnectTimeout = 10s;
inline constexpr std::size_t kPeerReadBytes = 16 * kKiB;    // one read of theirs
inline constexpr std::size_t kIdleConnectionsKept = 4;      // of a client, for its next request
inline constexpr auto kSocketTick = 1s;                     // a client's WebSocket looks at itself
inline constexpr std::size_t kLoginEntryBytes = 16 * kKiB;  // of a user, in the system's list
inline constexpr auto kChildGrace = 5s;                     // between TERM and KILL

// What one peer can make us hold. A stranger's thousand connections stay below 64 MiB.
inline constexpr std::size_t kUnsentBytes = 16 * kKiB;     // above, no next request is taken
inline constexpr std::size_t kReadAheadBytes = 16 * kKiB;  // of requests before their turn
inline constexpr std::size_t kHeadReadBytes = 16 * kKiB;   // one read, but for a body's

// What all peers together can: requests that arrive, answers that nobody reads. Above, new requests
// are refused with 503, and those who have not moved for so long are cut, the slowest first.
inline constexpr std::size_t kHeldBytes = 64 * kMiB;
inline constexpr auto kHeldPatience = 1s;

// Output that waits for its peer must move by so much within kWriteStallTimeout.
inline constexpr std::size_t kWriteBytesMin = 32 * kKiB;

// A refused body this small is read to its end, so that the connection can go on.
inline constexpr std::size_t kDrainBytes = 64 * kKiB;

// Pieces of output in one write, and up to how large a copy costs less than another piece.
inline constexpr std::size_t kPartsPerWrite = 64;
inline constexpr std::size_t kCopiedBytes = 8 * kKiB;

// What an output queue that is empty keeps for its next.
inline constexpr std::size_t kIdleQueueBytes = 2 * kKiB;

}  // namespace parley::limits
