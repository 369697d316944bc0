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
    postgres::Statement drop_events{postgres::kDropEvents};
};

namespace {

constexpr std::string_view kInvalidParameter = "22023";

Rejection not_open() {
    return reject(ErrorCode::unavailable, "the store is not open");
}

}  // namespace

// While it lives, what the server says is the answer to something; then what it said besides is
// heard, and what it says next is news.
class PostgresEngine::Use {
public:
    explicit Use(PostgresEngine& engine) : engine_(engine) {
        if (engine_.listener_) engine_.listener_->pause();
    }
    ~Use() { engine_.rest(); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

private:
    PostgresEngine& engine_;
};

PostgresEngine::PostgresEngine(PostgresOptions options, const Clock& clock)
    : options_(std::move(options)), clock_(clock) {}

PostgresEngine::~PostgresEngine() {
    forget_database();
}

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
    CHECK_OK(database_->connection->plan_by_keys());
    CHECK_OK(listen());
    CHECK_OK(learn_time());
    CHECK_OK(resolve_doubt());
    TRY(snapshot, database_->reader.load());
    snapshot.is_shared = true;
    fed_ = snapshot.head;
    rest();
    return snapshot;
}

// Before anything is read: what comes after it is heard of.
Result<void> PostgresEngine::listen() {
    heard_ = {};
    if (!news_) return {};
    CHECK_OK(database_->connection->run_once("LISTEN parley"));
    if (!listener_) listener_ = std::make_unique<postgres::Listener>(news_);
    listener_->attach(database_->connection->socket());
    return {};
}

// What it said with its answers is heard first: nothing wakes the listener for that.
void PostgresEngine::rest() {
    if (!listener_ || !database_) return;
    if (hear() && heard_ > fed_) news_();
    listener_->listen();
}

// One that does not say how far it goes may tell of more than was read.
bool PostgresEngine::hear() {
    const postgres::Connection::News news = database_->connection->take_news();
    if (!news.has_any) return false;
    heard_ = std::max(heard_, news.up_to == Cursor{} ? Cursor{fed_.value + 1} : news.up_to);
    return true;
}

void PostgresEngine::forget_database() noexcept {
    if (listener_) listener_->detach();
    database_.reset();
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
        // One "in the future" this server has not reached: it was never written where it is the
        // primary now. Any other refusal tells nothing of it.
        if (!status && database_->connection->refusal() == kInvalidParameter) return false;
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
    forget_database();
}

Result<CommitReport> PostgresEngine::commit(std::span<const Change> changes) {
    if (!database_) return not_open();
    const Use use(*this);
    auto report = run_transaction(changes);
    if (!report) {
        forget_database();
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

// A server whose disk is full, or that a right was taken from, is read as before: so nothing of the
// trial is left, whatever became of it.
Result<void> PostgresEngine::try_writing() {
    if (!database_) return not_open();
    const Use use(*this);
    postgres::Connection& connection = *database_->connection;
    CHECK_OK(connection.run_once("BEGIN"));
    auto tried = connection.run_once(
        "WITH c AS (UPDATE state SET head = head RETURNING head) "
        "INSERT INTO events(cursor, type, at_ms) SELECT head + 1, 0, 0 FROM c");
    auto ended = connection.roll_back();
    if (!tried) return reject(std::move(tried).error());
    return ended;
}

// One that is lost has news: that it is.
bool PostgresEngine::has_news() {
    if (!database_) return true;
    const Use use(*this);
    if (!database_->connection->take_in()) return true;
    hear();
    return heard_ > fed_;
}

Result<FeedSlice> PostgresEngine::poll_feed() {
    if (!database_) return not_open();
    const Use use(*this);
    auto slice = database_->reader.read_feed(fed_);
    if (slice && !slice->events.empty()) fed_ = slice->events.back()->cursor;
    return slice;
}

// Small differences are the way there and back, and stay what they are: time should not tremble.
Result<bool> PostgresEngine::read_time() {
    SharedClock* shared = options_.shared_clock;
    if (shared == nullptr) return true;
    const Mono sent = shared->mono();
    TRY(rows, database_->connection->run(database_->time));
    const auto way = std::chrono::floor<Millis>(shared->mono() - sent) / 2;
    if (!rows.next() || way > limits::kPostgresClockWayMax) return false;
    const Millis ahead = rows.instant(0) + way - shared->own().wall();
    if (std::chrono::abs(ahead - shared->ahead()) > limits::kPostgresClockTremble)
        shared->set_ahead(ahead);
    return true;
}

// By its own clock, which may be an hour ahead, a node would end what others still wait for.
Result<void> PostgresEngine::learn_time() {
    for (int tries = 0; tries < limits::kPostgresClockTries; ++tries) {
        TRY(is_learned, read_time());
        if (is_learned) return {};
    }
    return reject(
        ErrorCode::unavailable,
        "the database answers too slowly to learn its time: {} times it took more than {} ms. To "
        "fix it: see what keeps the server, or the network to it, busy; it is tried again",
        limits::kPostgresClockTries, 2 * Millis(limits::kPostgresClockWayMax).count());
}

Result<StoreSize> PostgresEngine::check() {
    if (!database_) return not_open();
    const Use use(*this);
    CHECK_OK(read_time());
    TRY(rows, database_->connection->run(database_->size));
    return StoreSize{.bytes = rows.next() ? static_cast<std::uint64_t>(rows.number(0)) : 0};
}

Result<AskPtr> PostgresEngine::find_ask(AskId id) {
    if (!database_) return not_open();
    const Use use(*this);
    return database_->reader.find_ask(id);
}

Result<AskPtr> PostgresEngine::find_ask_by_call(SessionId session, std::string_view call_id) {
    if (!database_) return not_open();
    const Use use(*this);
    return database_->reader.find_ask_by_call(session, call_id);
}

Result<SessionPtr> PostgresEngine::find_session(SessionId id) {
    if (!database_) return not_open();
    const Use use(*this);
    return database_->reader.find_session(id);
}

Result<AskPage> PostgresEngine::list_asks(const AskQuery& query) {
    if (!database_) return not_open();
    const Use use(*this);
    return database_->reader.list_asks(query);
}

Result<SessionPage> PostgresEngine::list_sessions(const SessionQuery& query) {
    if (!database_) return not_open();
    const Use use(*this);
    return database_->reader.list_sessions(query);
}

Result<EventPage> PostgresEngine::list_events(const EventQuery& query) {
    if (!database_) return not_open();
    const Use use(*this);
    return database_->reader.list_events(query);
}

// Each call does one small thing, so that a commit never waits long behind it.
Result<bool> PostgresEngine::tidy_up() {
    if (!database_) return not_open();
    const Use use(*this);
    TRY(bounds, database_->reader.read_bounds());
    const std::uint64_t kept = bounds.head.value - bounds.oldest.value;
    if (kept <= options_.events_kept) return false;
    const std::uint64_t dropped =
        std::min<std::uint64_t>(kept - options_.events_kept, limits::kEventsDroppedAtOnce);
    CHECK_OK(database_->connection->run(
        database_->drop_events, Cursor{bounds.oldest.value + dropped}, postgres::schema_version()));
    return true;
}

Result<Pruned> PostgresEngine::prune(const Retention& before) {
    if (!database_) return not_open();
    const Use use(*this);
    auto pruned = database_->pruning.prune(before);
    // A connection that was lost says why to whoever comes next, until it is opened again; what
    // became of the slice is seen then.
    if (!pruned) static_cast<void>(database_->connection->roll_back());
    return pruned;
}

// It goes through all there is, which takes longer than a node may wait for anything else.
Result<Pruned> PostgresEngine::count_prunable(const Retention& before) {
    TRY(connection, postgres::Connection::open(options_.url, limits::kPostgresLongAnswerTimeout));
    CHECK_OK(connection->be_patient());
    postgres::Reader reader(*connection);
    return postgres::Pruning(*connection, reader).count(before);
}

}  // namespace parley
