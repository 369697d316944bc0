// SPDX-License-Identifier: Apache-2.0
// The limits of this folder, by name. What happens at each is tested where it is used.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/sizes.h"

namespace parley::limits {

using namespace std::chrono_literals;

inline constexpr std::size_t kAskTextsKept = 512;       // openings and settlements as JSON
inline constexpr std::size_t kAskTextBytes = 4 * kKiB;  // of one of them

// The UI message stream of AI SDK pages.
inline constexpr std::size_t kUiCallsRemembered = 256;  // tool calls of one message

// The tRPC door.
inline constexpr std::size_t kTrpcCallsRemembered = 256;  // tool calls without an output
inline constexpr std::size_t kTrpcBatchMax = 1024;        // calls of one request or message

// Claude Code: its hooks and its driven CLI.
inline constexpr std::size_t kRuleTextChars = 400;    // what "for this session" allows, in words
inline constexpr std::size_t kClaudeJsonDepth = 128;  // of what the CLI sends
inline constexpr std::size_t kClaudeMessagesRemembered = 256;  // that came in pieces
inline constexpr std::size_t kClaudeCallsRemembered = 256;     // tool calls, and their answers
inline constexpr std::size_t kClaudeSpeakersMax = 64;          // sub-agents that speak at once

// The Agent Client Protocol.
inline constexpr std::size_t kAcpJsonDepth = 128;         // of what an agent sends
inline constexpr std::size_t kAcpOptionsMax = 64;         // of one permission request
inline constexpr std::size_t kAcpLabelChars = 200;        // of an option's name
inline constexpr std::size_t kAcpToolChars = 100;         // of a tool's name, or its title
inline constexpr std::size_t kAcpPlanLineChars = 400;     // of one entry of a plan
inline constexpr std::size_t kAcpCallsRemembered = 256;   // tool calls without an output
inline constexpr std::size_t kAcpSaidBytes = 256 * kKiB;  // last words of a turn, for its result
// Codex: what its app-server sends.
inline constexpr std::size_t kCodexMessageBytes = 32 * kMiB;
inline constexpr std::size_t kCodexJsonDepth = 128;
inline constexpr std::size_t kCodexTitleChars = 100;  // of a session that a thread is shown as
inline constexpr std::size_t kCodexLabelChars = 60;   // of what an option allows
inline constexpr std::size_t kCodexKeyChars = 90;     // of an item's id, in an ask's key

// MCP. Most clients end a call after 60 seconds; a call that waits ends before that.
inline constexpr auto kMcpHold = 50s;
inline constexpr auto kMcpTaskPoll = 2s;

// Of splitting one string into answers: forms that are tried at all places together, a long one as
// several; over it the text is no join.
inline constexpr std::size_t kJoinedTries = 1'000'000;

}  // namespace parley::limits
