// SPDX-License-Identifier: Apache-2.0
// The limits of this folder, by name. What happens at each is tested where it is used.
#pragma once

#include <chrono>
#include <cstddef>

namespace parley::limits {

using namespace std::chrono_literals;

// Claude Code: its hooks and its driven CLI.
inline constexpr std::size_t kClaudeAsksMax = 64;  // open at once, of one driven CLI

// Agents of the Agent Client Protocol.
inline constexpr std::size_t kAcpAsksMax = 64;               // open at once, of one agent
inline constexpr std::chrono::seconds kAcpStopPatience{30};  // for the end of a stopped turn

// The demo: its urgent question.
inline constexpr auto kDemoUrgentTimeout = 90s;

// Agents that run inside a server.
inline constexpr std::size_t kHostedMax = 64;            // sessions at once; of more, some wait:
inline constexpr std::size_t kHostedWaitingMax = 1'024;  // so many

// Every program that is driven.
inline constexpr std::size_t kLastWordsLines = 20;    // of its standard error, kept for the end
inline constexpr std::size_t kLastWordsChars = 4000;  // of what is told about its end
inline constexpr auto kEndPatience = 5s;              // after its input is closed
inline constexpr std::size_t kPushedAtOnce = 256;     // stream items in one request

// Text of an agent's stream in one request: all of it escaped must fit into kBodyBytes.
inline constexpr std::size_t kPushedBytes = 512UL * 1024;

// Whole parts of a stream by which its place in the session's log is found again.
inline constexpr std::size_t kPartsRemembered = 16;

// How much of a session's log an agent that comes back reads for what was answered meanwhile.
inline constexpr std::size_t kLookBackEvents = 10'000;

// An agent's own name of a session, kept for its next run.
inline constexpr std::size_t kOwnNameBytes = 4096;

// Answers that one notice tells of: all of it must fit into kNoticeBytes.
inline constexpr std::size_t kLateAnswersTold = 32;
inline constexpr std::size_t kLateTitleChars = 40;  // of each question

// Asks that stand open where their agent lives too.
inline constexpr int kSharedTriesMax = 100;       // asks of one wish, one after the other
inline constexpr auto kSharedRetry = 1s;          // while the broker is away
inline constexpr auto kSharedStopPatience = 10s;  // for one that is away at the end

// OpenCode.
inline constexpr std::size_t kOpencodeAsksMax = 256;        // open at once, of all its sessions
inline constexpr std::size_t kOpencodeDirectoriesMax = 32;  // looked into when a server is joined
inline constexpr std::size_t kOpencodeSessionsRead = 500;   // of its list
inline constexpr std::size_t kOpencodeSessionsKept = 1024;  // whose titles are remembered
inline constexpr int kOpencodeMessagesRead = 20;            // the latest, to find what was said
inline constexpr std::size_t kOpencodeLineageMax = 16;      // sub-agents below one another
inline constexpr auto kOpencodeCallPatience = 30s;          // for one request to its server
inline constexpr auto kOpencodeProbePatience = 3s;  // for its health; as it starts it may never say
inline constexpr auto kOpencodeSilence = 40s;       // heartbeats come every ten or thirty seconds
inline constexpr int kOpencodeTriesMax = 6;         // of one request that was lost, with delays:
inline constexpr auto kOpencodeRetryMin = 200ms;    // the first; then twice
inline constexpr auto kOpencodeRetryMax = 10s;
inline constexpr auto kOpencodeStartPatience = 60s;  // until one that we start says where it is

// Models behind an API.
inline constexpr std::size_t kLlmAsksMax = 64;                 // open at once, of one session
inline constexpr int kLlmTriesMax = 8;                         // of one request
inline constexpr std::size_t kLlmRoundsMax = 500;              // requests of one turn
inline constexpr std::size_t kLlmCutResponsesMax = 2;          // in a row, each in its only call
inline constexpr std::chrono::milliseconds kLlmDelayMin{500};  // before the second try; then twice
inline constexpr std::chrono::milliseconds kLlmDelayMax{60'000};
inline constexpr std::chrono::minutes kLlmWaitMax{10};   // that a server may ask for
inline constexpr std::chrono::minutes kLlmPatience{10};  // of a server that is silent
inline constexpr std::size_t kLlmJournalBytes = std::size_t{1} << 30U;  // of one conversation

// Codex.
inline constexpr std::size_t kCodexAsksMax = 256;               // open at once, of all its threads
inline constexpr std::chrono::seconds kCodexPoll{1};            // between looks for it
inline constexpr std::chrono::seconds kCodexResendPatience{5};  // for what it asks again

}  // namespace parley::limits
