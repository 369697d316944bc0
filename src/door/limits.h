// SPDX-License-Identifier: Apache-2.0
// The limits of this folder, by name. What happens at each is tested where it is used.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/sizes.h"
#include "text/limits.h"

namespace parley::limits {

using namespace std::chrono_literals;

inline constexpr auto kWaitMax = 600s;  // ?wait=

// Who may.
inline constexpr int kLoginFailuresMax = 10;  // of one address within the window; then 429
inline constexpr auto kLoginWindow = 60s;
inline constexpr int kTokenLooksPerSecond = 50;  // for one that another node may have made
inline constexpr auto kTokenLookTime = 2s;       // then it is decided by what is known
inline constexpr std::size_t kLoginAddressesMax = 10'000;
inline constexpr auto kSignInLinkLife = 24h;  // of the address that serve prints
inline constexpr auto kCookieLife = std::chrono::hours(24 * 30);
inline constexpr std::size_t kCookiesMax = 100;       // sign-ins of one token, or by links
inline constexpr std::size_t kUnguessableChars = 32;  // of a secret; a right one is no guess

// Event streams of the native door.
inline constexpr std::size_t kEventQueueHigh = 256 * kKiB;  // no more is taken from the broker
inline constexpr std::size_t kEventQueueLow = 64 * kKiB;    // until this much is left
inline constexpr std::size_t kEventBytes = 32 * kMiB;  // one event; kPartBytes, all of it escaped
inline constexpr std::size_t kEventsTakenAtOnce = 128;
inline constexpr std::size_t kEncodedEventsKept = 256;  // shared by all streams
inline constexpr std::size_t kEncodedEventsBytes = 16 * kMiB;

// Chat socket.
inline constexpr auto kChatAskTimeout = 55s;  // of sessions that it opens, unless told otherwise
inline constexpr std::size_t kChatSeatsKept = 10'000;  // sessions whose last place is remembered

// OpenCode's door.
inline constexpr auto kOpenCodeHeartbeat = 10s;
inline constexpr std::size_t kToolInputsKept = 1024;  // of calls whose output has not come
inline constexpr std::size_t kToolInputsBytes = 16 * kMiB;

// The UI message stream of AI SDK pages.
inline constexpr std::size_t kUiTurnsKept = 10'000;  // sessions whose turn can be joined

// The tRPC door.
inline constexpr std::size_t kTrpcSocketCallsMax = 1024;  // under way on one socket
inline constexpr auto kTrpcAskTimeout = 5min;             // of an ask that names none
inline constexpr auto kTrpcInactivity = 45s;              // a silent stream is opened anew
inline constexpr auto kTrpcRetry = 1s;                    // a broken one after this
inline constexpr auto kTrpcParamsTimeout = 10s;           // for a socket's connection parameters
inline constexpr auto kTrpcRefusedLife = 30s;  // of a socket without a token: no hasty reconnects

// Claude Code: its hooks and its driven CLI.
inline constexpr std::size_t kHookBodyBytes = kChildLineBytes;  // a hook is told whole results

// MCP. Most clients end a call after 60 seconds; a call that waits ends before that.
inline constexpr std::size_t kMcpSessionsMax = 1000;  // over HTTP; the longest unused goes first
inline constexpr std::size_t kMcpStreamsKept = 64;    // of one session, to resume
inline constexpr std::size_t kMcpEventsKept = 32;     // of one stream, to resume
inline constexpr std::size_t kMcpCapabilityBytes = 1 * kKiB;  // of each, kept in the session's id
inline constexpr auto kMcpLetterLife = 60s;         // of what another node may be able to use
inline constexpr std::size_t kMcpLettersMax = 256;  // of all nodes; over it they are refused
inline constexpr std::size_t kMcpLetterBytes = 256 * kKiB;
inline constexpr auto kMcpEndedKept = 24h;           // that a conversation was ended
inline constexpr std::size_t kMcpEndedMax = 10'000;  // over it the first is forgotten
inline constexpr auto kMcpRetry = 500ms;             // a client that lost its stream returns after

// How often a token's last use is written down, at most.
inline constexpr auto kTokenUseGrain = std::chrono::minutes(10);

// Of an answer that is written as it is read.
inline constexpr std::size_t kReplySliceBytes = 64 * kKiB;
// Of the past of a session, read at a time for such an answer.
inline constexpr std::size_t kPastPageBytes = 1 * kMiB;

// A WebSocket before its sign-in: one message, and what may wait for it to be read.
inline constexpr std::size_t kStrangerMessageBytes = 16 * kKiB;
inline constexpr std::size_t kStrangerQueueBytes = 16 * kKiB;

// tRPC: the questions of one message.pending, as weight_of() counts, and the answers of one batch.
inline constexpr std::size_t kTrpcPendingBytes = 2 * kMiB;
inline constexpr std::size_t kTrpcBatchBytes = 4 * kMiB;

}  // namespace parley::limits
