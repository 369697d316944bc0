// SPDX-License-Identifier: Apache-2.0
// The limits of this folder, by name. What happens at each is tested where it is used.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

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
inline constexpr std::size_t kCodexEditsKept = 64;  // of one turn, told before they are asked about
inline constexpr std::size_t kCodexCallsRemembered = 256;   // of one turn, without an output
inline constexpr std::size_t kCodexTextsMax = 16;           // that grow at once
inline constexpr std::size_t kCodexSaidBytes = 256 * kKiB;  // last words of a turn, for its result
inline constexpr std::size_t kCodexPlanLineChars = 400;     // of one step of a plan
inline constexpr std::size_t kCodexNoticeChars = 2000;      // of what it warns of
inline constexpr std::int64_t kCodexToolSeconds = 24L * 60 * 60;  // a call of Parley's own tools

// OpenCode: what its server sends.
inline constexpr std::size_t kOpencodeEventBytes = 16 * kMiB;
inline constexpr std::size_t kOpencodeJsonDepth = 128;
inline constexpr std::size_t kOpencodeTitleChars = 100;   // of a session, a tool, what is asked
inline constexpr std::size_t kOpencodeIdChars = 60;       // of its ids, in an ask's key
inline constexpr std::size_t kOpencodeMessagesKept = 64;  // that people sent
inline constexpr std::size_t kOpencodeTextsMax = 64;      // that grow at once
inline constexpr std::size_t kOpencodeCallsMax = 256;     // tool calls without an output
inline constexpr std::size_t kOpencodeAnswerBytes = 50 * kKiB;  // over these it cuts an answer
inline constexpr std::size_t kOpencodeAnswerLines = 2000;

// Models behind an API.
inline constexpr std::size_t kLlmResponseBytes = 16 * kMiB;  // all events of one reply
inline constexpr std::size_t kLlmBlocksMax = 256;            // texts and calls of one reply
inline constexpr std::size_t kLlmCallIdBytes = 100;          // a longer id gives way to ours
inline constexpr std::size_t kLlmLineBytes = 64 * kMiB;      // of a conversation that is kept
inline constexpr std::size_t kLlmToolChars = 100;            // of a tool's name
inline constexpr std::size_t kLlmMessageChars = 400;         // of what a server says is wrong
inline constexpr std::int64_t kLlmMaxTokens = 8192;          // of one reply, unless told otherwise
inline constexpr std::size_t kLlmContextTokens = 100'000;    // of one request, likewise

// MCP. Most clients end a call after 60 seconds; a call that waits ends before that.
inline constexpr auto kMcpHold = 50s;
inline constexpr auto kMcpCallMargin = 10s;  // of one whose client is known: its answer must arrive
inline constexpr auto kMcpTaskPoll = 2s;

// Of splitting one string into answers: forms that are tried at all places together, a long one as
// several; over it the text is no join.
inline constexpr std::size_t kJoinedTries = 1'000'000;

inline constexpr std::size_t kOpencodeMessageChars = 1024;  // where it cuts its own messages

// Forms, tools and clients of MCP.
inline constexpr std::int64_t kFormItemsMax = 1000;  // more are no wish that one could show
inline constexpr std::size_t kMcpToolNameBytes = 64;
inline constexpr std::size_t kMcpClientNameBytes = 100;  // its session's name holds more

// Numbers. Those of JSON are exact up to 2^53.
inline constexpr std::int64_t kDraftVersionMax = (std::int64_t{1} << 53U) - 1;
inline constexpr std::int64_t kLlmCountMax = std::int64_t{1} << 53U;  // of tokens
inline constexpr double kLlmRetrySecondsMax = 1e9;                    // that a server may ask for

}  // namespace parley::limits
