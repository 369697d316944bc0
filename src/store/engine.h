// SPDX-License-Identifier: Apache-2.0
// What a kind of store supplies: one transaction at a time, blocking, on one thread. The Store
// (store.h) owns the engine and gives it its thread, its batches and its feed. Memory, SQLite and
// PostgreSQL differ here and nowhere else; engine_conformance.h is the suite that each passes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "core/event.h"
#include "core/token.h"
#include "parley/values.h"
#include "store/change.h"

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
    Cursor head;    // of the newest event; of an empty store, the place before its first event
    Cursor oldest;  // events after this one are kept
    AskId top_ask;  // the highest ids ever stored, so that new ones ascend
    SessionId top_session;
    MessageId top_message;
};

struct CommitReport {
    std::vector<ChangeOutcome> outcomes;  // one per change
    std::vector<EventPtr> events;         // in cursor order, whoever wrote them
};

// Which end of a list comes first. `after` goes on from where a page ended, in the same order.
enum class ListOrder : std::uint8_t { oldest_first, newest_first };

struct AskQuery {
    std::optional<AskState> state = {};
    std::optional<SessionId> session = {};
    std::optional<AskId> after = {};
    std::size_t limit = limits::kListPageDefault;
    ListOrder order = ListOrder::oldest_first;
    std::size_t bytes = limits::kPageBytes;  // a page ends with the ask that reaches them
};

struct AskPage {
    std::vector<AskPtr> asks;  // by id, in the order that was asked for
    bool has_more = false;
    // The broker's, for who does not see all: the last that was looked at, shown or not, and what
    // was looked at for nothing.
    AskId last = {};
    std::size_t hidden = 0;
    std::size_t hidden_bytes = 0;  // as weight_of() counts
};

struct SessionQuery {
    std::optional<SessionId> after = {};
    std::size_t limit = limits::kListPageDefault;
};

struct SessionPage {
    std::vector<SessionPtr> sessions;  // ascending by id, ended ones too
    bool has_more = false;
};

struct EventQuery {
    Cursor after;
    std::optional<SessionId> session = {};
    std::size_t limit = limits::kEventsPageMax;
    // Newest first, `after` is the cursor to go back from, and the zero one means the newest event;
    // there is no gap then, only an end.
    ListOrder order = ListOrder::oldest_first;
    std::size_t bytes = limits::kPageBytes;  // a page ends with the event that reaches them
};

struct EventPage {
    std::vector<EventPtr> events;
    bool has_more = false;
    // `after` is older than what is kept or beyond the newest event: the reader must start over
    // from a snapshot.
    bool has_gap = false;
    Cursor oldest = {};  // with a gap: the earliest `after` that has none
};

// On its disk, where it has one.
struct StoreSize {
    std::uint64_t bytes = 0;
    std::uint64_t log_bytes = 0;  // of the write-ahead log
};

class Engine {
public:
    virtual ~Engine() = default;

    // Opens, or creates, or brings an older schema up to date, and loads. A newer schema is
    // `unsupported`; a store that another process holds is `conflict` and says who.
    [[nodiscard]] virtual Result<Snapshot> open() = 0;
    virtual void close() noexcept = 0;

    // One transaction over all changes, in order; each sees the ones before it. On an Error nothing
    // is known about the outcome: the caller closes and opens again. Cursors rise by one per event.
    [[nodiscard]] virtual Result<CommitReport> commit(std::span<const Change> changes) = 0;

    // Null when there is none.
    [[nodiscard]] virtual Result<AskPtr> find_ask(AskId id) = 0;
    [[nodiscard]] virtual Result<AskPtr> find_ask_by_call(SessionId session,
                                                          std::string_view call_id) = 0;
    [[nodiscard]] virtual Result<SessionPtr> find_session(SessionId id) = 0;
    [[nodiscard]] virtual Result<AskPage> list_asks(const AskQuery& query) = 0;
    [[nodiscard]] virtual Result<SessionPage> list_sessions(const SessionQuery& query) = 0;
    [[nodiscard]] virtual Result<EventPage> list_events(const EventQuery& query) = 0;

    // Whether what is open is still what its name means, and how large it is. Cheap.
    [[nodiscard]] virtual Result<StoreSize> check() { return StoreSize{}; }

    // Work for idle moments (checkpoint, dropping old events); true if there is more to do.
    [[nodiscard]] virtual Result<bool> tidy_up() = 0;
};

// The place before the first event of a store created now. Cursors of one store thereby lie apart
// from those of a store created at another time, so that a foreign cursor is seen to be one.
inline Cursor first_cursor(Instant now) {
    return Cursor{static_cast<std::uint64_t>(now.time_since_epoch().count()) * 1000};
}

}  // namespace parley
