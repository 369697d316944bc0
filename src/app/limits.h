// SPDX-License-Identifier: Apache-2.0
// The limits of this folder, by name. What happens at each is tested where it is used.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/sizes.h"
#include "core/limits.h"

namespace parley::limits {

using namespace std::chrono_literals;

inline constexpr auto kRunTokenLife = std::chrono::hours(24 * 30);  // if its run was killed

// Chat socket.
inline constexpr auto kChatAskTimeout = 55s;  // of sessions that it opens, unless told otherwise

// Claude Code: its hooks and its driven CLI.
inline constexpr std::size_t kTranscriptTailBytes = 64 * kKiB;    // searched for the CLI's version
inline constexpr auto kHookTimeout = std::chrono::hours(24 * 7);  // as --install writes it
inline constexpr auto kHookMargin = 10s;     // a hook abstains so long before its time is over
inline constexpr auto kHookWithdrawal = 2s;  // to take an ask back before the CLI kills us
inline constexpr std::size_t kToolLineChars = 160;  // a tool's call as one line in a terminal

// Commands.
inline constexpr std::size_t kInputLineBytes = kAnswerTextBytes + 1;  // the rest is dropped
inline constexpr std::size_t kConfigBytes = 1 * kMiB;

// The terminal.
inline constexpr std::size_t kEditedFileBytes = 4 * kMiB;  // what an $EDITOR gives back
inline constexpr auto kLentTerminalPoll = 200ms;           // while an $EDITOR has the terminal

// MCP on standard streams.
inline constexpr auto kMcpHoldMax = std::chrono::hours(24);
inline constexpr auto kMcpFarewell = 2s;   // to withdraw what is open when a client goes
inline constexpr auto kBrokerStart = 10s;  // until a broker that was started answers

// How often a server looks whether its store's file is still there.
inline constexpr std::chrono::seconds kStoreCheckPeriod{2};
// How often it looks how much memory it uses.
inline constexpr std::chrono::seconds kMemoryLookPeriod{1};
inline constexpr std::size_t kDamageRemembered = 100;  // damaged rows that the log has named

// A process that was stopped is told of going on; one that was not is not.
inline constexpr auto kContinuePatience = 100ms;

// The inbox: pages of sessions whose names it loads, and how long what was typed is waited for when
// the person leaves, and while the broker is away.
inline constexpr int kInboxPages = 20;
inline constexpr auto kDraftPatience = 5s;
inline constexpr auto kAwayPatience = 1s;

}  // namespace parley::limits
