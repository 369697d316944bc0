// SPDX-License-Identifier: Apache-2.0
// The durable side of the broker: one write (commit), one feed of committed events, reads. It is
// the commit queue of every kind of store: changes that arrive while a transaction runs share the
// next one, and nobody is told anything before the transaction that it rests on has ended.
//
// Owned by the broker's thread (`home`); the engine runs on `worker`, which may be the same. After
// a failed transaction its outcome is unknown: the store closes the engine, opens it again, hands
// the listener the state that is really there, offers the failed batch once more, and reports an
// error only if that fails too.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/done.h"
#include "base/executor.h"
#include "base/histogram.h"
#include "base/result.h"
#include "base/unique_function.h"
#include "core/queries.h"
#include "core/snapshot.h"
#include "store/change.h"
#include "store/store_size.h"

namespace parley {

class Engine;

// One outcome per change of the commit; the span lives for the length of the call.
using CommitDone = UniqueFunction<void(Result<std::span<const ChangeOutcome>>)>;

// Told on `home`, in order.
class StoreListener {
public:
    virtual ~StoreListener() = default;
    // Events that are durable now. Called before the commits that made them are acknowledged.
    virtual void on_committed(std::span<const EventPtr> events) = 0;
    // A transaction failed; nothing can be read or written until on_reopened.
    virtual void on_lost(const Error& error) = 0;
    virtual void on_reopened(Snapshot snapshot) = 0;
    // Something that was asked for cannot be read, though the store is open.
    virtual void on_damaged(const Error&) {}
};

struct StoreStats {
    std::uint64_t commits = 0;                     // transactions
    std::uint64_t changes = 0;                     // in them
    std::uint64_t failures = 0;                    // failed transactions
    std::size_t queued = 0;                        // commits waiting now
    std::chrono::nanoseconds commit_time_total{};  // submission of a batch to its end
    std::chrono::nanoseconds commit_time_last{};
    Histogram commit_times;
    StoreSize size;  // when it was checked last
};

class Store {
public:
    struct Wiring {
        Executor& worker;
        Executor& home;
        const Clock& clock;
    };

    Store(std::unique_ptr<Engine> engine, Wiring wiring);
    ~Store();
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    // The listener must outlive the store.
    void open(StoreListener& listener, Done<Snapshot> done);
    // After everything queued has been written. Later calls fail with `unavailable`.
    void close(UniqueFunction<void()> done);

    // Looks whether the engine still has what its name means. If not, the store is lost as after a
    // failed transaction, until it has.
    void check();

    // All or nothing, acknowledged in the order of submission, after on_committed.
    void commit(Change&& change, CommitDone done);
    void commit(std::vector<Change> changes, CommitDone done);

    // Reads see every commit that was acknowledged before them. A page is read in slices: what is
    // committed meanwhile may be in it.
    void find_ask(AskId id, Done<AskPtr> done);
    void find_ask_by_call(SessionId session, std::string call_id, Done<AskPtr> done);
    void find_session(SessionId id, Done<SessionPtr> done);
    void list_asks(AskQuery query, Done<AskPage> done);
    void list_sessions(SessionQuery query, Done<SessionPage> done);
    void list_events(EventQuery query, Done<EventPage> done);

    // After what others have committed until now was told, where others write to the same store.
    void catch_up(UniqueFunction<void()> done);

    // Between two transactions, on the worker; `done` comes after it, also where the store is
    // closed and nothing was run. What is long is divided by who calls, so that commits go between.
    void run_between(UniqueFunction<void(Engine&)> work, UniqueFunction<void()> done);

    const StoreStats& stats() const;

private:
    class Queue;
    std::shared_ptr<Queue> queue_;
};

}  // namespace parley
