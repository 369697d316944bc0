// SPDX-License-Identifier: Apache-2.0
// Every limit of the product, by name, in one place. What happens at each is tested where the
// limit is used.
#pragma once

#include <chrono>
#include <cstddef>

namespace parley::limits {

using namespace std::chrono_literals;

inline constexpr std::size_t kKiB = 1024;
inline constexpr std::size_t kMiB = 1024 * kKiB;

// Questions: the strict profile is what a model may ask, the open one what a program may.
inline constexpr std::size_t kStrictQuestions = 4;
inline constexpr std::size_t kStrictOptionsMin = 2;
inline constexpr std::size_t kStrictOptionsMax = 4;
inline constexpr std::size_t kStrictHeaderChars = 12;
inline constexpr std::size_t kOpenQuestions = 32;
inline constexpr std::size_t kOpenOptionsMax = 200;
inline constexpr std::size_t kOpenHeaderChars = 30;
inline constexpr std::size_t kTextBytes = 16 * kKiB;       // one question, label, description…
inline constexpr std::size_t kAskBytes = 256 * kKiB;       // all text of one ask
inline constexpr std::size_t kAnswerTextBytes = 1 * kMiB;  // one free text or note
inline constexpr std::size_t kAnswersBytes = 4 * kMiB;     // all text of one submission
inline constexpr std::size_t kNameChars = 200;             // session names, keys, call ids, `by`
inline constexpr std::size_t kClusterScalarsMax = 12;      // the longest emoji has 10
inline constexpr std::size_t kDirectoryBytes = 4 * kKiB;   // a session's folder
inline constexpr std::size_t kReasonBytes = 16 * kKiB;
inline constexpr auto kTimeoutMax = std::chrono::hours(24 * 366 * 10);
inline constexpr auto kWaitMax = 600s;  // ?wait=

// JSON documents and requests.
inline constexpr std::size_t kBodyBytes = 4 * kMiB;
inline constexpr std::size_t kJsonDepth = 32;
inline constexpr std::size_t kServerDocumentBytes = 256 * kMiB;  // that our own client reads
inline constexpr std::size_t kFaultsMax = 32;                    // named in one refusal
inline constexpr std::size_t kJsonDepthMax = 1024;  // the most that a caller may ask for
// Members of one object. Boost.JSON salts its hash with an address only: in larger tables, whose
// pages the system aligns, keys can be chosen that all collide.
inline constexpr std::size_t kJsonMembersMax = 2048;

// Memory that each thread keeps for its next small objects.
inline constexpr std::size_t kBlockBytesMax = 512;
inline constexpr std::size_t kBlocksKept = 512;  // of each size

// Store and commit queue.
inline constexpr std::size_t kCommitQueueMax = 65536;  // commits waiting; more is `overloaded`
inline constexpr std::size_t kCommitBatchMax = 1024;   // changes in one transaction
inline constexpr std::size_t kEventsPageMax = 1000;    // events read at a time
inline constexpr std::size_t kEventsKept = 1'000'000;  // older cursors get a reset
inline constexpr std::size_t kListPageMax = 1000;
inline constexpr std::size_t kListPageDefault = 100;
inline constexpr std::size_t kPageBytes = 32 * kMiB;  // of one page of asks or events, and one more
inline constexpr std::size_t kMemorySettledKept = 1024;     // by the memory store
inline constexpr std::size_t kMemoryEventsKept = 2048;      // by the memory store
inline constexpr std::size_t kMemoryEndedKept = 1024;       // sessions, by the memory store
inline constexpr std::size_t kMemoryKeptBytes = 64 * kMiB;  // of settled asks, and of events
inline constexpr std::size_t kEventsDroppedAtOnce = 2000;   // when idle, by the SQLite store
inline constexpr std::size_t kSqliteEventsFiledAtOnce = 1024;
inline constexpr std::size_t kSqliteLogBytesIdle = 1 * kMiB;  // copied to the file when idle
inline constexpr std::size_t kSqliteLogBytesMax = 64 * kMiB;  // copied at once, idle or not
inline constexpr std::size_t kSqliteCacheBytes = 2 * kMiB;
inline constexpr auto kStoreIdleBeforeTidy = 200ms;
inline constexpr auto kStoreReopenDelayMin = 100ms;
inline constexpr auto kStoreReopenDelayMax = 5s;

// Broker.
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
inline constexpr std::size_t kStreamQueueMax = 10'000;   // items of one session waiting
inline constexpr std::size_t kQueuedMessagesMax = 1000;  // of one session, not yet taken
inline constexpr std::size_t kSaidBytes = 1 * kMiB;      // one message to an agent
inline constexpr std::size_t kNoticeBytes = 16 * kKiB;
inline constexpr auto kDeadlineRetry = 5s;  // when the timer's settlement could not be written

// Links of fronts to their broker.
inline constexpr std::size_t kFollowFramesAtOnce = 256;  // given to a listener in one call
inline constexpr auto kRemotePatience = 10s;             // a call that is tried again
inline constexpr auto kRetryDelayMin = 50ms;
inline constexpr auto kRetryDelayMax = 2s;
inline constexpr auto kPollHold = 50s;       // of one poll for a settlement
inline constexpr auto kFollowSilence = 45s;  // heartbeats come more often than this

// HTTP, both sides.
inline constexpr std::size_t kHttpHeadBytes = 32 * kKiB;    // start line and fields; more is 431
inline constexpr std::size_t kHttpTargetBytes = 24 * kKiB;  // tRPC puts its input there; 414
inline constexpr std::size_t kHttpFields = 100;
inline constexpr std::size_t kChunkLineBytes = 4 * kKiB;      // a chunk's size line, or the trailer
inline constexpr std::size_t kChunkOverheadBytes = 1 * kMiB;  // all framing of one chunked body
inline constexpr std::size_t kQueryParameters = 256;
inline constexpr std::size_t kSseEventBytes = 16 * kMiB;  // one event read by a client
inline constexpr std::size_t kResponseBytes = 64 * kMiB;  // a whole body read by a client

// Connections of the server.
inline constexpr std::size_t kConnectionsMax = 24'000;      // more are answered 503 and closed
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
inline constexpr auto kHeartbeatInterval = 15s;
inline constexpr auto kPongTimeout = 30s;

// Who may.
inline constexpr int kLoginFailuresMax = 10;  // of one address within the window; then 429
inline constexpr auto kLoginWindow = 60s;
inline constexpr std::size_t kLoginAddressesMax = 10'000;
inline constexpr auto kTicketLife = 24h;  // of the address that serve prints
inline constexpr auto kCookieLife = std::chrono::hours(24 * 30);
inline constexpr auto kRunTokenLife = std::chrono::hours(24 * 30);  // if its run was killed
inline constexpr std::size_t kCookiesMax = 100;       // sign-ins of one token, or by links
inline constexpr std::size_t kUnguessableChars = 32;  // of a secret; a right one is no guess

// Event streams of the native door.
inline constexpr std::size_t kEventQueueHigh = 256 * kKiB;  // no more is taken from the broker
inline constexpr std::size_t kEventQueueLow = 64 * kKiB;    // until this much is left
inline constexpr std::size_t kEventBytes = 32 * kMiB;  // one event; kPartBytes, all of it escaped
inline constexpr std::size_t kEventsTakenAtOnce = 128;
inline constexpr std::size_t kEncodedEventsKept = 256;  // shared by all streams
inline constexpr std::size_t kEncodedEventsBytes = 16 * kMiB;
inline constexpr std::size_t kAskTextsKept = 512;       // openings and settlements as JSON
inline constexpr std::size_t kAskTextBytes = 4 * kKiB;  // of one of them

// Chat socket.
inline constexpr auto kChatAskTimeout = 55s;  // of sessions that it opens, unless told otherwise
inline constexpr std::size_t kChatSeatsKept = 10'000;  // sessions whose last place is remembered

// OpenCode's door.
inline constexpr auto kOpenCodeHeartbeat = 10s;
inline constexpr std::size_t kToolInputsKept = 1024;  // of calls whose output has not come
inline constexpr std::size_t kToolInputsBytes = 16 * kMiB;
inline constexpr std::size_t kMessagesListed = 10'000;  // of one session; older ones are left out

// The UI message stream of AI SDK pages.
inline constexpr std::size_t kUiTurnsKept = 10'000;     // sessions whose turn can be joined
inline constexpr std::size_t kUiCallsRemembered = 256;  // tool calls of one message

// The tRPC door.
inline constexpr std::size_t kTrpcCallsRemembered = 256;  // tool calls without an output
inline constexpr std::size_t kTrpcBatchMax = 1024;        // calls of one request or message
inline constexpr std::size_t kTrpcSocketCallsMax = 1024;  // under way on one socket
inline constexpr auto kTrpcInactivity = 45s;              // a silent stream is opened anew
inline constexpr auto kTrpcRetry = 1s;                    // a broken one after this
inline constexpr auto kTrpcParamsTimeout = 10s;           // for a socket's connection parameters
inline constexpr auto kTrpcRefusedLife = 30s;  // of a socket without a token: no hasty reconnects

// Clients and child processes.
inline constexpr auto kConnectTimeout = 10s;
inline constexpr auto kChildGrace = 5s;  // between TERM and KILL
inline constexpr std::size_t kChildLineBytes = 16 * kMiB;

// Claude Code: its hooks and its driven CLI.
inline constexpr std::size_t kRuleTextChars = 400;    // what "for this session" allows, in words
inline constexpr std::size_t kClaudeJsonDepth = 128;  // of what the CLI sends
inline constexpr std::size_t kTranscriptTailBytes = 64 * kKiB;    // searched for the CLI's version
inline constexpr auto kHookTimeout = std::chrono::hours(24 * 7);  // as --install writes it
inline constexpr auto kHookMargin = 10s;     // a hook abstains so long before its time is over
inline constexpr auto kHookWithdrawal = 2s;  // to take an ask back before the CLI kills us
inline constexpr std::size_t kHookBodyBytes = kChildLineBytes;  // a hook is told whole results
inline constexpr std::size_t kClaudeAsksMax = 64;               // open at once, of one driven CLI
inline constexpr std::size_t kClaudeMessagesRemembered = 256;   // that came in pieces
inline constexpr std::size_t kClaudeCallsRemembered = 256;      // tool calls, and their answers
inline constexpr std::size_t kClaudeSpeakersMax = 64;           // sub-agents that speak at once
inline constexpr std::size_t kClaudeErrorLines = 20;  // of its standard error, kept for the end
inline constexpr std::size_t kLastWordsChars = 4000;  // of what is told about its end
inline constexpr std::size_t kToolLineChars = 160;    // a tool's call as one line in a terminal
inline constexpr std::size_t kPushedAtOnce = 256;     // stream items in one request

// Log.
inline constexpr int kLogLinesPerSecond = 200;  // of one event name; more are counted

// Commands.
inline constexpr std::size_t kInputLineBytes = kAnswerTextBytes + 1;  // the rest is dropped
inline constexpr std::size_t kConfigBytes = 1 * kMiB;

// The terminal.
inline constexpr auto kEscapePatience = 50ms;          // an escape byte alone is the Escape key
inline constexpr auto kPastePatience = 2s;             // a paste whose end never comes
inline constexpr std::size_t kKeySequenceBytes = 256;  // longer ones are dropped
inline constexpr auto kStrayKeyGuard = 300ms;          // a new prompt settles nothing so early
inline constexpr std::size_t kSearchChars = 200;       // typed to filter a list
inline constexpr std::size_t kUndoSteps = 200;         // of one text field
inline constexpr std::size_t kUndoBytes = 8 * kMiB;
inline constexpr std::size_t kEditedFileBytes = 4 * kMiB;  // what an $EDITOR gives back
inline constexpr auto kLentTerminalPoll = 200ms;           // while an $EDITOR has the terminal
inline constexpr std::size_t kInboxAsksMax = 10'000;       // shown; more are counted
inline constexpr std::size_t kInboxHistoryMax = 1000;      // decisions kept to look back at
inline constexpr std::size_t kInboxOpenMax = 64;           // asks whose typed text is kept

// MCP. Most clients end a call after 60 seconds; a call that waits ends before that.
inline constexpr auto kMcpHold = 50s;
inline constexpr auto kMcpHoldMax = std::chrono::hours(24);
inline constexpr auto kMcpProgressInterval = 3s;  // a client that counts it may end after 10
inline constexpr int kMcpRounds = 9;              // of one call; clients stop after 10
inline constexpr auto kMcpNextRound = 30s;        // a client that does not return has given up
inline constexpr auto kMcpStateLife = std::chrono::hours(24 * 7);
inline constexpr int kMcpFormTries = 5;
inline constexpr auto kMcpTaskPoll = 2s;
inline constexpr std::size_t kMcpCallsMax = 256;      // at work, of one client
inline constexpr std::size_t kMcpClosedForms = 1024;  // remembered, of one client
inline constexpr std::size_t kMcpSessionsMax = 1000;  // over HTTP; the longest unused goes first
inline constexpr std::size_t kMcpStreamsKept = 64;    // of one session, to resume
inline constexpr std::size_t kMcpEventsKept = 32;     // of one stream, to resume
inline constexpr auto kMcpRetry = 500ms;              // a client that lost its stream returns after
inline constexpr auto kMcpFarewell = 2s;              // to withdraw what is open when a client goes
inline constexpr auto kBrokerStart = 10s;             // until a broker that was started answers

// Registries of waits and results.
inline constexpr auto kAskTimeoutDefault = 5min;  // pending-ask map
inline constexpr auto kStoredAnswerLife = 10min;  // interactive waits
inline constexpr std::size_t kStoredAnswersMax = 4096;
inline constexpr auto kToolResultWait = 5min;
inline constexpr std::size_t kToolResultsKept = 256;
inline constexpr std::size_t kToolResultWaitersMax = 4096;

}  // namespace parley::limits
