// SPDX-License-Identifier: Apache-2.0
// The limits of this folder, by name. What happens at each is tested where it is used.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/sizes.h"
#include "core/limits.h"

namespace parley::limits {

using namespace std::chrono_literals;

inline constexpr auto kRunTokenLife = std::chrono::hours(24 * 30);  // if its run was killed

// Claude Code: its hooks and its driven CLI.
inline constexpr std::size_t kTranscriptTailBytes = 64 * kKiB;    // searched for the CLI's version
inline constexpr auto kHookTimeout = std::chrono::hours(24 * 7);  // as --install writes it
inline constexpr auto kHookMargin = 10s;     // a hook abstains so long before its time is over
inline constexpr auto kHookWithdrawal = 2s;  // to take an ask back before the CLI kills us
inline constexpr std::size_t kToolLineChars = 160;  // a tool's call as one line in a terminal

// Commands.
inline constexpr std::size_t kInputLineBytes = kAnswerTextBytes + 1;  // the rest is dropped
inline constexpr std::size_t kConfigBytes = 1 * kMiB;
inline constexpr std::size_t kPasswordBytes = 4 * kKiB;  // the file of one
inline constexpr std::size_t kOwnTokenCharsMin = 16;     // of a token that an operator wrote

// Models behind an API.
inline constexpr std::size_t kKeyBytes = 16 * kKiB;      // a file with a key
inline constexpr std::size_t kSystemBytes = 1 * kMiB;    // a file with a system prompt
inline constexpr std::size_t kFileNameBytes = 250;       // of a conversation that is kept
inline constexpr std::int64_t kTokensMax = 100'000'000;  // that an option may name
inline constexpr auto kModelPatience = 10s;              // of the doctor with a model's server

// `status`, which prompts and bars run: how long it waits, how many it counts, how much it shows of
// the first question.
inline constexpr auto kStatusPatience = 1s;
inline constexpr std::size_t kStatusCounted = 1000;
inline constexpr std::size_t kStatusTitleChars = 60;

// The terminal.
inline constexpr std::size_t kEditedFileBytes = 4 * kMiB;  // what an $EDITOR gives back
inline constexpr auto kLentTerminalPoll = 200ms;           // while an $EDITOR has the terminal

// Between an editor and its agent.
inline constexpr auto kEditorGoneAfter = 2s;  // an agent that runs on without its editor is ended

// What an operator may not set lower.
inline constexpr std::chrono::milliseconds kNodeTimeoutMin{1000};
inline constexpr std::size_t kMemoryMin = 64 * kMiB;
inline constexpr std::size_t kHeldBytesMin = 16 * kMiB;  // of all peers, by --memory-max

// MCP on standard streams.
inline constexpr std::size_t kFolderNameBytes = 80;  // shown beside an agent's name
inline constexpr auto kMcpHoldMax = std::chrono::hours(24);
inline constexpr std::chrono::seconds kClientCallTime{86'400};  // as `mcp --install` writes it
inline constexpr auto kMcpFarewell = 2s;   // to withdraw what is open when a client goes
inline constexpr auto kBrokerStart = 10s;  // until a broker that was started answers

// The program that is told of asks (`notify.command`): how long it may take, how many run at once,
// and how many wait for their turn; more are dropped, counted and logged.
inline constexpr auto kNotifyTime = 10s;
inline constexpr auto kNotifyLastWords = 200ms;  // for its errors, once it has ended
inline constexpr std::size_t kNotifyRunning = 4;
inline constexpr auto kNotifyClaimLife = 60s;  // a node that hears later tells of it again
inline constexpr std::size_t kNotifyQueued = 256;
inline constexpr std::size_t kNotifyTitleChars = 200;

// How often a server looks whether its store's file is still there.
inline constexpr std::chrono::seconds kStoreCheckPeriod{2};
inline constexpr std::chrono::seconds kJoinClaimPeriod{2};  // between looks whether it is free
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
inline constexpr int kNoticeClusters = 120;  // of an ask, in the terminal's own notification
// Where the terminal does not tell whether it is looked at, the last key does.
inline constexpr auto kLooksAway = 60s;

// `parley store`: how often it says how far it has come, and what it reads and writes at a time.
inline constexpr auto kProgressEvery = 100ms;
inline constexpr std::size_t kFileBytesAtOnce = 64 * kKiB;

}  // namespace parley::limits
