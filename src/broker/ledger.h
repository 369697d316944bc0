// SPDX-License-Identifier: Apache-2.0
// What the broker knows: live sessions, pending asks, drafts, snoozes, queued messages, tokens. It
// is a fold over what the store has committed and nothing else: a Snapshot sets it, each Event
// moves it on. Of tokens and marks the log says that one changed, and holds no value: who reads
// TokenChanged or MarkChanged from a store joins the row as it stands today, so what is folded may
// be newer than the event, and a later event of the same row finds it there already. Confined to
// the broker's thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/block_cache.h"
#include "core/event.h"
#include "core/mark.h"
#include "core/snapshot.h"

namespace parley {

class Ledger {
public:
    using PendingAsks =
        std::map<AskId, AskPtr, std::less<>, BlockAllocator<std::pair<const AskId, AskPtr>>>;
    using AskIds = std::set<AskId, std::less<>, BlockAllocator<AskId>>;
    struct SessionEntry {
        SessionPtr session;
        AskIds pending = {};
        std::vector<QueuedMessage> messages = {};  // not yet taken by the agent, in order
    };
    using ByResponder = std::pair<AskId, std::string>;
    using Snoozes = std::map<AskId, Instant>;

    // False where something is of a session that is not there, as in a store that somebody else
    // wrote to: that is left out.
    [[nodiscard]] bool reset(const Snapshot& snapshot);
    [[nodiscard]] bool apply(const Event& event);

    // Null unless the ask is pending. What is only seen is there until the next event.
    AskPtr find_pending(AskId id) const;
    const Ask* see_pending(AskId id) const;
    const PendingAsks& pending() const { return pending_; }

    // Null unless the session is live. `name` is its live_name() (core/viewer.h).
    const SessionEntry* find_session(SessionId id) const;
    const SessionEntry* find_session(std::string_view name) const;
    const std::map<SessionId, SessionEntry>& sessions() const { return sessions_; }
    // The client's own name for a session, also of one that ended not long ago; empty if it has
    // none.
    std::string_view session_name(SessionId id) const;

    // Null if there is none.
    DraftPtr find_draft(AskId ask, const std::string& principal) const;
    using Drafts = std::map<AskId, DraftPtr>;
    Drafts find_drafts(const std::string& principal) const;
    // About what all of one person's hold.
    std::size_t draft_bytes(const std::string& principal) const;
    // What a responder has put off, and until when; null if nothing.
    const Snoozes* find_snoozes(const std::string& principal) const;

    using Tokens = std::map<std::string, TokenPtr>;  // by name
    const Tokens& tokens() const { return tokens_; }
    // A token that counts now will count no longer, or for something else.
    bool is_revoked_by(const Event& event) const;

    using Marks = std::map<std::string, MarkPtr, std::less<>>;  // by key
    const Marks& marks() const { return marks_; }
    // Null if there is none.
    MarkPtr find_mark(std::string_view key) const;
    // Those that run out, by kind ("letter/"), the next one first.
    using Expiring = std::set<std::pair<Instant, std::string>>;
    const Expiring& expiring(std::string_view kind) const;
    const std::map<std::string, Expiring, std::less<>>& expiring() const { return expiring_; }

    Cursor head() const { return head_; }
    // About what all of it holds, as weight_of() counts.
    std::size_t bytes() const { return bytes_; }
    // What one agent has: its pending asks, what they hold, and its live sessions.
    struct Usage {
        std::size_t asks = 0;
        std::size_t bytes = 0;
        std::size_t sessions = 0;
    };
    Usage usage_of(std::string_view principal) const;

private:
    bool revokes(const TokenChanged& changed) const;
    void forget(AskId id, SessionId session);
    bool add(const AskPtr& ask);
    bool change_session(const SessionPtr& changed);
    bool add_message(const QueuedMessage& queued);
    bool take_messages_up_to(SessionId session, MessageId up_to);
    SessionEntry* find_entry(SessionId session);
    using UsageMap = std::map<std::string, Usage, std::less<>>;
    struct NameHash : std::hash<std::string_view> {
        using is_transparent = void;
    };
    // Of no agent: nothing is counted.
    void use_session(const std::string& owner);
    void free_session(const std::string& owner);
    void forget_idle(UsageMap::iterator usage);
    void put_snooze(AskId ask, const std::string& principal, std::optional<Instant> until);
    void put_token(const std::string& name, const TokenPtr& token);
    void put_mark(const std::string& key, const MarkPtr& mark);
    void mark_asks_of(const std::string& principal);
    void mark(AskPtr& ask) const;
    void put_draft(const ByResponder& key, DraftPtr draft);
    void forget_weight(const std::string& principal, const Draft& draft);
    void end_session(const Session& session);
    template <class Gone>
    void take_messages(SessionEntry& entry, Gone is_gone);

    PendingAsks pending_;
    std::map<SessionId, SessionEntry> sessions_;
    std::unordered_map<std::string, SessionId, NameHash, std::equal_to<>> names_;
    std::map<SessionId, std::string> ended_names_;    // of the newest that ended
    std::map<ByResponder, DraftPtr> drafts_;          // dropped ones too: their version counts on
    std::map<std::string, std::size_t> draft_bytes_;  // by responder
    std::map<std::string, Snoozes> snoozes_;          // by responder
    Tokens tokens_;
    Marks marks_;
    std::map<std::string, Expiring, std::less<>> expiring_;      // marks, by kind
    std::map<std::string, std::size_t, std::less<>> tokens_of_;  // by principal, how many
    UsageMap usage_;                                             // by principal
    Cursor head_;
    std::size_t bytes_ = 0;
};

}  // namespace parley
