// SPDX-License-Identifier: Apache-2.0
// What is asked of a broker and what it replies, as plain values: shared by the broker, its
// clients, the doors and embedding programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "parley/error.h"
#include "parley/values.h"

namespace parley {

struct AskRequest {
    AskSpec spec;
    // A session's id or the client's own name for it; a name that is not known is opened. Empty:
    // the session named after the agent, or "default".
    std::string session = {};
    // What was given and is not known, and so left out: each by its JSON pointer.
    std::vector<Fault> warnings = {};
};

struct OpenedAsk {
    AskPtr ask;
    bool is_new = true;  // false: the same key or tool call had been asked before
};

struct SettleReply {
    AskPtr ask;
    // False: another settlement stands, and `ask` carries it. True also for the same responder
    // saying the same again.
    bool is_yours = true;
    bool is_repeat = false;  // yours, but settled by an earlier call
};

// Unsent answers to keep; none drops what is kept.
struct DraftRequest {
    Answers answers = {};
    std::string device = {};
    // The version that the writer has seen: one that is newer is not overwritten. Absent: whatever
    // stands is.
    std::optional<std::uint64_t> seen = {};
};

struct DraftReply {
    DraftPtr draft;       // as it stands now
    bool is_kept = true;  // false: a newer one stands, and `draft` is that one
};

// What became of a message to an agent.
struct Said {
    MessageId id;
    // The agent waits for an answer, or none is there: it gets the message later.
    bool is_queued = false;
};

struct SessionRequest {
    std::optional<std::string> name = {};
    std::optional<std::string> title = {};
    std::optional<SessionId> parent = {};
    std::optional<std::string> agent = {};
    std::optional<std::string> directory = {};
    OnDismiss on_dismiss = OnDismiss::tell;
    std::optional<Millis> ask_timeout = {};
};

}  // namespace parley
