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
inline constexpr std::size_t kAcpAsksMax = 64;  // open at once, of one agent
inline constexpr auto kAcpEndPatience = 5s;     // after its input is closed

// Every program that is driven.
inline constexpr std::size_t kLastWordsLines = 20;    // of its standard error, kept for the end
inline constexpr std::size_t kLastWordsChars = 4000;  // of what is told about its end
inline constexpr std::size_t kPushedAtOnce = 256;     // stream items in one request

// Text of an agent's stream in one request: all of it escaped must fit into kBodyBytes.
inline constexpr std::size_t kPushedBytes = 512UL * 1024;

// How much of a session's log an agent that comes back reads for what was answered meanwhile.
inline constexpr std::size_t kLookBackEvents = 10'000;

// Answers that one notice tells of: all of it must fit into kNoticeBytes.
inline constexpr std::size_t kLateAnswersTold = 32;

// Codex.
inline constexpr std::size_t kCodexAsksMax = 256;   // open at once, of all its threads
inline constexpr int kCodexTriesMax = 100;          // asks of one request, one after the other
inline constexpr std::size_t kCodexEditsKept = 64;  // of one turn, told before they are asked about
inline constexpr std::chrono::seconds kCodexPoll{1};            // between looks for it
inline constexpr std::chrono::seconds kCodexResendPatience{5};  // for what it asks again

}  // namespace parley::limits
