// SPDX-License-Identifier: Apache-2.0
// What a kind of store supplies: one transaction at a time, blocking, on one thread. The Store
// (store.h) owns the engine and gives it its thread, its batches and its feed. Memory, SQLite and
// PostgreSQL differ here and nowhere else; engine_conformance.h is the suite that each passes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/event.h"
#include "core/queries.h"
#include "core/snapshot.h"
#include "parley/values.h"
#include "store/change.h"
#include "store/retention.h"
#include "store/store_copy.h"
#include "store/store_size.h"

namespace parley {

struct CommitReport {
    std::vector<ChangeOutcome> outcomes;  // one per change
    std::vector<EventPtr> events;         // in cursor order, whoever wrote them
    std::size_t of_others = 0;            // how many of them, the first, others wrote
};

// Of what others wrote, in cursor order, as much as one look at it brings.
struct FeedSlice {
    std::vector<EventPtr> events = {};
    bool has_more = false;
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

    // Whether anything can be written to what was just opened, after a commit that failed: nothing
    // is left of the trial. Where opening it shows that, there is nothing to do.
    [[nodiscard]] virtual Result<void> try_writing() { return {}; }

    // Null when there is none.
    [[nodiscard]] virtual Result<AskPtr> find_ask(AskId id) = 0;
    [[nodiscard]] virtual Result<AskPtr> find_ask_by_call(SessionId session,
                                                          std::string_view call_id) = 0;
    [[nodiscard]] virtual Result<SessionPtr> find_session(SessionId id) = 0;
    [[nodiscard]] virtual Result<AskPage> list_asks(const AskQuery& query) = 0;
    [[nodiscard]] virtual Result<SessionPage> list_sessions(const SessionQuery& query) = 0;
    [[nodiscard]] virtual Result<EventPage> list_events(const EventQuery& query) = 0;

    // The feed of what others wrote to the same store. Where nobody else can, as in memory and in a
    // SQLite file, this is false and there is nothing to poll. Otherwise `news` is called whenever
    // others may have written, on any thread; one that is lost only delays, since the Store polls
    // now and then by itself. Called once, before the first open().
    [[nodiscard]] virtual bool watch_feed(std::function<void()> news) {
        (void)news;
        return false;
    }
    // After `news`: whether there may still be something to poll, since a commit may have told it.
    [[nodiscard]] virtual bool has_news() { return true; }
    // What others wrote next after what this engine told last, when it was opened, committed or
    // polled. A commit reports what they wrote before it together with its own.
    [[nodiscard]] virtual Result<FeedSlice> poll_feed() { return FeedSlice{}; }

    // Whether what is open is still what its name means, and how large it is. Cheap.
    [[nodiscard]] virtual Result<StoreSize> check() { return StoreSize{}; }

    // Work for idle moments (checkpoint, dropping old events); true if there is more to do.
    [[nodiscard]] virtual Result<bool> tidy_up() = 0;

    // Takes away a little of what was over before then, in a transaction of its own. What it takes
    // is in no event that is kept, so that a cursor from before it finds a gap.
    [[nodiscard]] virtual Result<Pruned> prune(const Retention& before) {
        (void)before;
        return Pruned{};
    }
    // What prune() would take away, all in all; may take long.
    [[nodiscard]] virtual Result<Pruned> count_prunable(const Retention& before) {
        (void)before;
        return Pruned{};
    }

    // A copy of the whole store as a file, made in slices; one at a time. What is committed between
    // them is in it. Only where a store is a file.
    [[nodiscard]] virtual Result<void> begin_copy() {
        return reject(ErrorCode::unsupported, "this kind of store is no file that can be copied");
    }
    [[nodiscard]] virtual Result<CopyState> copy_slice() { return begin_copy_first(); }
    // Of a whole one; "" at its end.
    [[nodiscard]] virtual Result<std::string> read_copy(std::uint64_t offset, std::size_t size) {
        (void)offset;
        (void)size;
        return begin_copy_first();
    }
    virtual void drop_copy() noexcept {}

protected:
    static Rejection begin_copy_first() {
        return reject(ErrorCode::not_found, "there is no such copy, or it was lost with the store");
    }
};

// The place before the first event of a store created now. Cursors of one store thereby lie apart
// from those of a store created at another time, so that a foreign cursor is seen to be one.
inline Cursor first_cursor(Instant now) {
    return Cursor{static_cast<std::uint64_t>(now.time_since_epoch().count()) * 1000};
}

}  // namespace parley
