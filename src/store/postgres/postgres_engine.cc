// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/postgres_engine.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/assert.h"
#include "store/postgres/connection.h"
#include "store/postgres/limits.h"
#include "store/postgres/listener.h"
#include "store/postgres/prune.h"
#include "store/postgres/reader.h"
#include "store/postgres/schema.h"
#include "store/postgres/writer.h"

namespace parley {

struct PostgresEngine::Database {
    explicit Database(std::unique_ptr<postgres::Connection> opened)
        : connection(std::move(opened)) {}

    std::unique_ptr<postgres::Connection> connection;
    postgres::Reader reader{*connection};
    postgres::Writer writer{*connection, reader};
    postgres::Pruning pruning{*connection, reader};
    postgres::Statement transaction_status{
        "SELECT coalesce(pg_xact_status($1::text::xid8), 'aborted')"};
    postgres::Statement size{"SELECT pg_database_size(current_database())"};
    postgres::Statement time{"SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"};
    postgres::Statement drop_events{
        "WITH s AS (UPDATE state SET oldest = $1 WHERE oldest < $1 RETURNING 1) "
        "DELETE FROM events WHERE cursor <= $1 AND EXISTS (SELECT FROM s)"};
};

namespace {

Rejection not_open() {
    return reject(ErrorCode::unavailable, "the store is not open");
}

}  // namespace

PostgresEngine::PostgresEngine(PostgresOptions options, const Clock& clock)
    : options_(std::move(options)), clock_(clock) {}

PostgresEngine::~PostgresEngine() = default;

bool PostgresEngine::watch_feed(std::function<void()> news) {
    news_ = std::move(news);
    return true;
}

Result<Snapshot> PostgresEngine::open() {
    ASSERT(!database_);
    auto snapshot = open_database();
    if (!snapshot) close();
    return snapshot;
}

Result<Snapshot> PostgresEngine::open_database() {
    TRY(connection, postgres::Connection::open(options_.url));
    CHECK_OK(postgres::bring_up_to_date(*connection, clock_.wall()));
    database_ = std::make_unique<Database>(std::move(connection));
    CHECK_OK(read_time());
    CHECK_OK(resolve_doubt());
    TRY(snapshot, database_->reader.load());
    snapshot.is_shared = true;
    fed_ = snapshot.head;
    if (news_ && !listener_) listener_ = std::make_unique<postgres::Listener>(options_.url, news_);
    if (listener_) listener_->ignore(database_->connection->backend());
    return snapshot;
}

// A number may be another transaction's by now, where a standby took over that had not heard of
// all: so the events themselves are looked for.
Result<void> PostgresEngine::resolve_doubt() {
    if (!doubt_) return {};
    TRY(is_stored, was_committed(doubt_->transaction));
    if (is_stored) {
        TRY(events, database_->reader.find_stored(doubt_->after, doubt_->offered));
        std::ranges::move(events, std::back_inserter(stored_before_));
    }
    doubt_.reset();
    return {};
}

// The backend that has it ends by itself: its client is gone.
Result<bool> PostgresEngine::was_committed(std::int64_t transaction) {
    for (int tries = 0; tries < limits::kPostgresDoubts; ++tries) {
        auto status = database_->connection->run(database_->transaction_status, transaction);
        // One that this server has not reached was never written where it is the primary now.
        if (!status && database_->connection->is_refused()) return false;
        if (!status) return reject(std::move(status).error());
        if (status->next() && status->text(0) != "in progress")
            return status->text(0) == "committed";
        CHECK_OK(database_->connection->run_once("SELECT pg_sleep(0.05)"));
    }
    return reject(
        ErrorCode::unavailable,
        "the database has not ended a transaction whose connection was lost; it is looked "
        "at again");
}

void PostgresEngine::close() noexcept {
    database_.reset();
}

Result<CommitReport> PostgresEngine::commit(std::span<const Change> changes) {
    if (!database_) return not_open();
    auto report = run_transaction(changes);
    if (!report) {
        database_.reset();
        return report;
    }
    doubt_.reset();
    stored_before_.clear();
    if (!report->events.empty()) fed_ = report->events.back()->cursor;
    return report;
}

Result<CommitReport> PostgresEngine::run_transaction(std::span<const Change> changes) {
    for (int tries = 1;; ++tries) {
        auto report = try_transaction(changes);
        if (report || !database_->connection->may_try_again() || tries == limits::kPostgresTries)
            return report;
        CHECK_OK(database_->connection->roll_back());
    }
}

Result<CommitReport> PostgresEngine::try_transaction(std::span<const Change> changes) {
    postgres::Writer& writer = database_->writer;
    writer.recognise(stored_before_);
    CHECK_OK(writer.apply(changes));
    doubt_ = Doubt{.transaction = writer.transaction(),
                   .after = fed_,
                   .offered = writer.events_without_rows()};
    auto report = writer.publish(fed_);
    if (report) return report;
    // Refused by the server, it is known not to be stored.
    if (!database_->connection->is_refused() || writer.is_committed()) return report;
    doubt_.reset();
    CHECK_OK(check_format());
    return report;
}

// A node of a newer version may have changed the tables since this one opened them.
Result<void> PostgresEngine::check_format() {
    if (database_->connection->may_try_again()) return {};
    CHECK_OK(database_->connection->roll_back());
    return postgres::bring_up_to_date(*database_->connection, clock_.wall());
}

Result<std::vector<EventPtr>> PostgresEngine::poll_feed() {
    if (!database_) return not_open();
    TRY(events, database_->reader.read_feed(fed_));
    if (!events.empty()) fed_ = events.back()->cursor;
    if (events.size() == limits::kFeedAtOnce && news_) news_();
    return events;
}

// Small differences are the way there and back, and stay what they are: time should not tremble.
Result<void> PostgresEngine::read_time() {
    SharedClock* shared = options_.shared_clock;
    if (shared == nullptr) return {};
    const Mono sent = shared->mono();
    TRY(rows, database_->connection->run(database_->time));
    const auto way = std::chrono::floor<Millis>(shared->mono() - sent) / 2;
    if (!rows.next() || way > limits::kPostgresClockWayMax) return {};
    const Millis ahead = rows.instant(0) + way - shared->own().wall();
    if (std::chrono::abs(ahead - shared->ahead()) > limits::kPostgresClockTremble)
        shared->set_ahead(ahead);
    return {};
}

Result<StoreSize> PostgresEngine::check() {
    if (!database_) return not_open();
    CHECK_OK(read_time());
    TRY(rows, database_->connection->run(database_->size));
    return StoreSize{.bytes = rows.next() ? static_cast<std::uint64_t>(rows.number(0)) : 0};
}

Result<AskPtr> PostgresEngine::find_ask(AskId id) {
    if (!database_) return not_open();
    return database_->reader.find_ask(id);
}

Result<AskPtr> PostgresEngine::find_ask_by_call(SessionId session, std::string_view call_id) {
    if (!database_) return not_open();
    return database_->reader.find_ask_by_call(session, call_id);
}

Result<SessionPtr> PostgresEngine::find_session(SessionId id) {
    if (!database_) return not_open();
    return database_->reader.find_session(id);
}

Result<AskPage> PostgresEngine::list_asks(const AskQuery& query) {
    if (!database_) return not_open();
    return database_->reader.list_asks(query);
}

Result<SessionPage> PostgresEngine::list_sessions(const SessionQuery& query) {
    if (!database_) return not_open();
    return database_->reader.list_sessions(query);
}

Result<EventPage> PostgresEngine::list_events(const EventQuery& query) {
    if (!database_) return not_open();
    return database_->reader.list_events(query);
}

// Each call does one small thing, so that a commit never waits long behind it.
Result<bool> PostgresEngine::tidy_up() {
    if (!database_) return not_open();
    TRY(bounds, database_->reader.read_bounds());
    const std::uint64_t kept = bounds.head.value - bounds.oldest.value;
    if (kept <= options_.events_kept) return false;
    const std::uint64_t dropped =
        std::min<std::uint64_t>(kept - options_.events_kept, limits::kEventsDroppedAtOnce);
    CHECK_OK(
        database_->connection->run(database_->drop_events, Cursor{bounds.oldest.value + dropped}));
    return true;
}

Result<Pruned> PostgresEngine::prune(const Retention& before) {
    if (!database_) return not_open();
    auto pruned = database_->pruning.prune(before);
    if (pruned) return pruned;
    // What the server refused is known not to be done. Else it is in doubt, as after a commit that
    // failed; to be opened again.
    postgres::Connection& connection = *database_->connection;
    if (!connection.is_refused() || !connection.roll_back()) database_.reset();
    return pruned;
}

Result<Pruned> PostgresEngine::count_prunable(const Retention& before) {
    if (!database_) return not_open();
    return database_->pruning.count(before);
}

}  // namespace parley
