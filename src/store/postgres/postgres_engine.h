// SPDX-License-Identifier: Apache-2.0
// The store of several nodes: one PostgreSQL database, which decides who was first and in which
// order all of it happened. One connection commits, reads and is told of what others committed, on
// the thread that its Store gives it. The format is described in docs/formats/postgres.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/shared_clock.h"
#include "store/engine.h"
#include "store/limits.h"

namespace parley {

namespace postgres {
class Listener;
}

struct PostgresOptions {
    std::string url;  // any address that libpq takes
    std::size_t events_kept = limits::kEventsKept;
    SharedClock* shared_clock = nullptr;  // kept at the server's time
};

class PostgresEngine final : public Engine {
public:
    // The clock gives a new store its birth and must outlive the engine.
    PostgresEngine(PostgresOptions options, const Clock& clock);
    ~PostgresEngine() override;

    [[nodiscard]] bool watch_feed(std::function<void()> news) override;
    [[nodiscard]] bool has_news() override;
    [[nodiscard]] Result<FeedSlice> poll_feed() override;
    [[nodiscard]] Result<Snapshot> open() override;
    void close() noexcept override;
    [[nodiscard]] Result<CommitReport> commit(std::span<const Change> changes) override;
    [[nodiscard]] Result<void> try_writing() override;
    [[nodiscard]] Result<AskPtr> find_ask(AskId id) override;
    [[nodiscard]] Result<AskPtr> find_ask_by_call(SessionId session,
                                                  std::string_view call_id) override;
    [[nodiscard]] Result<SessionPtr> find_session(SessionId id) override;
    [[nodiscard]] Result<AskPage> list_asks(const AskQuery& query) override;
    [[nodiscard]] Result<SessionPage> list_sessions(const SessionQuery& query) override;
    [[nodiscard]] Result<EventPage> list_events(const EventQuery& query) override;
    [[nodiscard]] Result<StoreSize> check() override;
    [[nodiscard]] Result<bool> tidy_up() override;
    [[nodiscard]] Result<Pruned> prune(const Retention& before) override;
    [[nodiscard]] Result<Pruned> count_prunable(const Retention& before) override;

private:
    struct Database;
    class Use;
    // A transaction whose commit was sent and never answered.
    struct Doubt {
        std::int64_t transaction;
        Cursor after;                   // its events come later
        std::vector<EventPtr> offered;  // those that nothing else tells of
    };

    [[nodiscard]] Result<Snapshot> open_database();
    [[nodiscard]] Result<void> listen();
    // Whether another node was heard of since the last time.
    bool hear();
    // Nothing is asked of the server any more: what it says now is news.
    void rest();
    void forget_database() noexcept;
    [[nodiscard]] Result<void> resolve_doubt();
    [[nodiscard]] Result<CommitReport> run_transaction(std::span<const Change> changes);
    [[nodiscard]] Result<CommitReport> try_transaction(std::span<const Change> changes);
    // Waits until it is known what became of it; whether it was committed.
    [[nodiscard]] Result<bool> was_committed(std::int64_t transaction);
    [[nodiscard]] Result<void> check_format();
    // Whether it was told soon enough to count.
    [[nodiscard]] Result<bool> read_time();
    [[nodiscard]] Result<void> learn_time();

    PostgresOptions options_;
    const Clock& clock_;
    std::unique_ptr<Database> database_;  // null while closed and after a failed transaction
    std::function<void()> news_;
    std::unique_ptr<postgres::Listener> listener_;  // since the first opening
    Cursor fed_;                                    // the newest event that was told
    Cursor heard_;                                  // there are events up to it
    std::optional<Doubt> doubt_;
    // Of what is offered again, since its commit was in doubt: events that are stored.
    std::vector<EventPtr> stored_before_;
};

}  // namespace parley
