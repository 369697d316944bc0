// SPDX-License-Identifier: Apache-2.0
// All that is remembered and still at work, as one value: what a store loads, and what a broker
// starts from.
#pragma once

#include <string>
#include <vector>

#include "core/event.h"
#include "core/mark.h"
#include "core/token.h"
#include "parley/values.h"

namespace parley {

struct KeptDraft {
    AskId ask;
    std::string principal;
    DraftPtr draft;
};

struct Snooze {
    AskId ask;
    std::string principal;
    Instant until;
};

struct QueuedMessage {
    SessionId session;
    Instant at;
    MessageAdded message;
};

// All that a broker keeps in memory, as of `head`.
struct Snapshot {
    std::vector<AskPtr> pending;          // ascending by id
    std::vector<SessionPtr> sessions;     // those that have not ended, ascending by id
    std::vector<KeptDraft> drafts;        // of pending asks, dropped ones too
    std::vector<Snooze> snoozes;          // of pending asks
    std::vector<QueuedMessage> messages;  // of live sessions, not yet taken, in order
    std::vector<TokenPtr> tokens;
    std::vector<MarkPtr> marks;  // ascending by key
    Cursor head;    // of the newest event; of an empty store, the place before its first event
    Cursor oldest;  // events after this one are kept
    AskId top_ask;  // the highest ids ever stored, so that new ones ascend
    SessionId top_session;
    MessageId top_message;
    // Whether other brokers write to the same store: then its instants are of one clock that all of
    // them read.
    bool is_shared = false;
};

}  // namespace parley
