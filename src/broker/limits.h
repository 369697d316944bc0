// SPDX-License-Identifier: Apache-2.0
// The limits of this folder, by name. What happens at each is tested where it is used.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/sizes.h"

namespace parley::limits {

using namespace std::chrono_literals;

inline constexpr std::size_t kRecentEvents = 1024;  // kept in memory for quick resumes
inline constexpr std::size_t kRecentBytes = 4 * kMiB;
inline constexpr std::size_t kResumePageBytes = 1 * kMiB;  // read at a time for one that was away
inline constexpr std::size_t kLedgerBytes = 2048 * kMiB;   // pending asks, drafts, sessions…
inline constexpr std::size_t kSubscribersMax = 20'000;
inline constexpr std::size_t kWaitersPerAskMax = 1024;
inline constexpr std::size_t kPartBytes = 4 * kMiB;           // one part of an agent's stream
inline constexpr std::size_t kOpenPartsMax = 64;              // unfinished parts of one session
inline constexpr std::size_t kOpenPartsBytes = 8 * kMiB;      // of one session
inline constexpr std::size_t kAllOpenPartsBytes = 64 * kMiB;  // of all sessions
inline constexpr std::size_t kCallsRemembered = 256;          // tool calls whose input is complete
inline constexpr std::size_t kPartsPlaced = 4096;        // of one turn, with places of their own
inline constexpr std::size_t kQueuedMessagesMax = 1000;  // of one session, not yet taken
inline constexpr std::size_t kSaidBytes = 1 * kMiB;      // one message to an agent
inline constexpr std::size_t kNoticeBytes = 16 * kKiB;
inline constexpr auto kReadAgain = 1s;      // what a shared store could not be asked for
inline constexpr auto kDeadlineRetry = 5s;  // when the timer's settlement could not be written
// An ask of another node that is older when it is heard of has had so much of its time.
inline constexpr auto kHeardLate = 5s;

inline constexpr std::size_t kFollowFramesAtOnce = 256;  // given to a listener in one call

// Results of the tools of a program that embeds the broker.
inline constexpr auto kToolResultWait = 5min;
inline constexpr std::size_t kToolResultsKept = 256;
inline constexpr std::size_t kToolResultWaitersMax = 4096;

inline constexpr std::size_t kDraftBytesMax = 32UL * 1024 * 1024;  // of one person, all together
inline constexpr std::size_t kEndedNamesKept = 10'000;             // names of sessions that ended

inline constexpr std::size_t kPendingLooksMax = 10'000;  // for one page of a list
// Pushes that wait for what is before them in their session, of all sessions together.
inline constexpr std::size_t kStreamsWaitingBytes = 32 * kMiB;
// Messages of one session that its agent has not taken.
inline constexpr std::size_t kQueuedMessagesBytes = 4 * kMiB;

// Notices of one speaker in one session: more within the window are refused.
inline constexpr std::size_t kNoticesMax = 20;
inline constexpr std::chrono::seconds kNoticeWindow{60};
inline constexpr std::size_t kNoticeSpeakersKept = 10'000;

// Marks that ran out and are dropped in one commit.
inline constexpr std::size_t kMarksDroppedAtOnce = 1000;

// A node that was silent while another said this often that it is there is gone.
inline constexpr int kNodeBeats = 4;
inline constexpr std::chrono::seconds kNodeTimeout{60};  // unless the operator says otherwise

// What one agent may have pending, unless the operator says otherwise.
inline constexpr std::size_t kQuotaAsks = 10'000;
inline constexpr std::size_t kQuotaBytes = 64 * kMiB;
inline constexpr std::size_t kQuotaSessions = 1'000;

// Housekeeping of the store.
inline constexpr std::chrono::milliseconds kKeeperMoment{100};  // of one request
inline constexpr std::size_t kCopyReadBytes = 1 * kMiB;         // of a copy, at a time
inline constexpr std::chrono::seconds kCopyForgotten{60};       // one that nobody asks for
// What is old enough is looked for, soon after the start too, since some brokers live short; where
// there is a lot, the rest soon.
inline constexpr std::chrono::minutes kPruneFirst{1};
inline constexpr std::chrono::minutes kPruneEvery{10};
inline constexpr std::chrono::seconds kPruneRest{1};

}  // namespace parley::limits
