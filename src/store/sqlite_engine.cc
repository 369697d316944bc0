// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_engine.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "base/assert.h"
#include "base/sizes.h"
#include "store/limits.h"
#include "store/sqlite_copy.h"
#include "store/sqlite_db.h"
#include "store/sqlite_file.h"
#include "store/sqlite_prune.h"
#include "store/sqlite_read.h"
#include "store/sqlite_schema.h"
#include "store/sqlite_write.h"

namespace parley {

// Members end in reverse order: statements before the connection, the lock last.
struct SqliteEngine::Database {
    Database(sqlite::FileLock held, sqlite::Connection opened)
        : lock(std::move(held)), connection(std::move(opened)) {}

    sqlite::FileLock lock;
    sqlite::Connection connection;
    sqlite::Reader reader{connection};
    std::optional<sqlite::Writer> writer;  // once the newest event is known
    sqlite::Statement begin{connection, "BEGIN IMMEDIATE"};
    sqlite::Statement commit{connection, "COMMIT"};
    sqlite::Statement drop_events{connection, "DELETE FROM events WHERE cursor <= ?1"};
    Cursor oldest;
    sqlite::Pruning pruning{connection};
    std::unique_ptr<sqlite::Copy> copy;  // goes before what it copies
};

namespace {

Rejection not_stored() {
    return reject(ErrorCode::unavailable, "the store could not be written; it is opened again");
}

Rejection not_open() {
    return reject(ErrorCode::unavailable, "the store is not open");
}

bool deletes_content(std::span<const Change> changes) {
    return std::ranges::any_of(
        changes, [](const Change& one) { return std::holds_alternative<DeleteContent>(one); });
}

}  // namespace

void forgo_sqlite_statistics() {
    // Refused, and no harm done, once SQLite is in use.
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

SqliteEngine::SqliteEngine(SqliteOptions options, const Clock& clock)
    : options_(std::move(options)), clock_(clock) {}

SqliteEngine::~SqliteEngine() = default;

Result<Snapshot> SqliteEngine::open() {
    ASSERT(!database_);
    auto snapshot = open_database();
    if (!snapshot) close();
    return snapshot;
}

Result<Snapshot> SqliteEngine::open_database() {
    std::string path = options_.path;
    sqlite::FileLock lock;
    if (options_.vfs.empty()) {
        TRY(absolute, sqlite::absolute_path(path));
        path = std::move(absolute);
        if (identity_) CHECK_OK(sqlite::check_identity(path, *identity_));
        gone_.reset();
        TRY(claimed, sqlite::claim_store_file(path, options_.on_mended));
        lock = std::move(claimed);
    }
    const char* vfs = options_.vfs.empty() ? nullptr : options_.vfs.c_str();
    TRY(connection, sqlite::Connection::open({.path = path, .vfs = vfs}));
    database_ = std::make_unique<Database>(std::move(lock), std::move(connection));

    if (options_.vfs.empty()) {
        TRY(identity, sqlite::identify(path));
        identity_ = identity;
        path_ = path;
    }

    CHECK_OK(sqlite::configure(database_->connection, path, options_.cache_bytes));
    CHECK_OK(sqlite::bring_up_to_date(database_->connection, clock_.wall()));
    // A log left by a crash may hold commits that never reached the disk, only the system's cache.
    // Whoever reads the snapshot acts on it, so it is made durable first.
    CHECK_OK(database_->connection.checkpoint());
    TRY(snapshot, database_->reader.load());
    CHECK_OK(database_->connection.gather_log_writes());
    database_->oldest = snapshot.oldest;
    TRY(filing, sqlite::Filing::open(database_->connection, options_.events_filed_at_once));
    database_->writer.emplace(database_->connection, database_->reader, snapshot,
                              std::move(filing));
    if (doubtful_after_ && *doubtful_after_ < snapshot.head) {
        TRY(page,
            database_->reader.list_events({.after = *doubtful_after_,
                                           .limit = snapshot.head.value - doubtful_after_->value,
                                           .bytes = std::numeric_limits<std::size_t>::max()}));
        database_->writer->recognise(std::move(page.events));
    }
    return snapshot;
}

void SqliteEngine::close() noexcept {
    database_.reset();
}

Result<CommitReport> SqliteEngine::commit(std::span<const Change> changes) {
    if (!database_) return not_open();
    const Cursor head = database_->writer->head();
    auto report = run_transaction(changes);
    if (!report) {
        if (!doubtful_after_) doubtful_after_ = head;
        // Rolls back what can be rolled back; what cannot, open() will find.
        database_.reset();
        return report;
    }
    doubtful_after_.reset();
    database_->writer->recognise({});
    // The changes are durable whatever becomes of this; a disk that fails here fails the next
    // commit too.
    if (deletes_content(changes)) {
        (void)database_->connection.empty_log();
    } else if (database_->connection.log_bytes() > options_.log_bytes_max) {
        (void)database_->connection.checkpoint();
    }
    return report;
}

// What is deleted for good is overwritten, in pages that are freed as well.
Result<CommitReport> SqliteEngine::run_transaction(std::span<const Change> changes) {
    CHECK_OK(check_file());
    const bool overwrites = deletes_content(changes);
    if (overwrites) CHECK_OK(database_->connection.exec("PRAGMA secure_delete=ON"));
    CHECK_OK(database_->begin.run());
    TRY(report, database_->writer->apply(changes));
    CHECK_OK(database_->commit.run());
    if (overwrites) CHECK_OK(database_->connection.exec("PRAGMA secure_delete=FAST"));
    // Written into a file that nobody will find again: that is no promise to give.
    CHECK_OK(check_file());
    return report;
}

Result<void> SqliteEngine::check_file() {
    if (!identity_) return {};
    const auto found = sqlite::check_identity(path_, *identity_);
    if (found) return {};
    // All of it in one file, for who saves it.
    (void)database_->connection.checkpoint();
    gone_ = std::move(database_);
    return reject(found.error());
}

Result<StoreSize> SqliteEngine::check() {
    if (!database_) return not_open();
    if (!identity_) return StoreSize{};
    CHECK_OK(check_file());
    const auto file = sqlite::identify(path_);
    const auto log = sqlite::identify(path_ + "-wal");
    return StoreSize{.bytes = file ? file->bytes : 0, .log_bytes = log ? log->bytes : 0};
}

Result<AskPtr> SqliteEngine::find_ask(AskId id) {
    if (!database_) return not_open();
    return database_->reader.find_ask(id);
}

Result<AskPtr> SqliteEngine::find_ask_by_call(SessionId session, std::string_view call_id) {
    if (!database_) return not_open();
    return database_->reader.find_ask_by_call(session, call_id);
}

Result<SessionPtr> SqliteEngine::find_session(SessionId id) {
    if (!database_) return not_open();
    return database_->reader.find_session(id);
}

Result<AskPage> SqliteEngine::list_asks(const AskQuery& query) {
    if (!database_) return not_open();
    return database_->reader.list_asks(query);
}

Result<SessionPage> SqliteEngine::list_sessions(const SessionQuery& query) {
    if (!database_) return not_open();
    return database_->reader.list_sessions(query);
}

Result<EventPage> SqliteEngine::list_events(const EventQuery& query) {
    if (!database_) return not_open();
    const bool is_outside =
        query.after < database_->oldest || query.after > database_->writer->head();
    if (is_outside && query.order == ListOrder::oldest_first) {
        EventPage nothing;
        nothing.has_gap = true;
        nothing.oldest = database_->oldest;
        return nothing;
    }
    return database_->reader.list_events(query);
}

// Each call does one small thing, so that a commit never waits long behind it.
Result<bool> SqliteEngine::tidy_up() {
    if (!database_) return not_open();
    if (const Cursor newest = newest_to_drop(); newest > database_->oldest) {
        CHECK_OK(database_->begin.run());
        CHECK_OK(drop_events(newest));
        CHECK_OK(database_->commit.run());
        database_->oldest = newest;
        return true;
    }
    if (database_->connection.log_bytes() >= options_.log_bytes_idle)
        CHECK_OK(database_->connection.checkpoint());
    return false;
}

Result<void> SqliteEngine::drop_events(Cursor up_to) {
    CHECK_OK(database_->writer->forget_events(up_to));
    CHECK_OK(database_->drop_events.run(up_to));
    return {};
}

Result<Pruned> SqliteEngine::prune(const Retention& before) {
    if (!database_) return not_open();
    CHECK_OK(database_->begin.run());
    auto pruned = prune_in_transaction(database_->oldest, before);
    // What was filed and then not committed, memory would take for filed.
    if (!pruned || !database_->commit.run()) {
        database_.reset();
        return pruned ? not_stored() : reject(std::move(pruned).error());
    }
    database_->oldest.value += pruned->events;
    return pruned;
}

// Events first: what they tell of may go once they have gone. The newest one stays, since the next
// one's cursor is found by it.
Result<Pruned> SqliteEngine::prune_in_transaction(Cursor oldest, const Retention& before) {
    TRY(newest, database_->pruning.newest_event(oldest, database_->writer->head(), before));
    if (newest > database_->writer->filed()) CHECK_OK(database_->writer->file_all());
    if (newest == oldest) return database_->pruning.prune_rows(oldest, before);
    CHECK_OK(drop_events(newest));
    return Pruned{.events = newest.value - oldest.value, .has_more = true};
}

// By doing it all, and then not.
Result<Pruned> SqliteEngine::count_prunable(const Retention& before) {
    if (!database_) return not_open();
    CHECK_OK(database_->begin.run());
    CHECK_OK(database_->writer->file_all());
    CHECK_OK(database_->commit.run());
    CHECK_OK(database_->begin.run());
    database_->pruning.start_over();
    Pruned all;
    do {
        TRY(slice, prune_in_transaction(Cursor{database_->oldest.value + all.events}, before));
        all.add(slice);
    } while (all.has_more);
    CHECK_OK(database_->connection.exec("ROLLBACK"));
    return all;
}

Result<void> SqliteEngine::begin_copy() {
    if (!database_) return not_open();
    if (!identity_)
        return reject(ErrorCode::unsupported, "this store has no place beside it for a copy");
    if (database_->copy)
        return reject(
            ErrorCode::conflict,
            "another copy of the store is being made. To fix it: try again when it ended");
    TRY(copy, sqlite::Copy::begin(database_->connection, path_));
    database_->copy = std::move(copy);
    return {};
}

Result<CopyState> SqliteEngine::copy_slice() {
    if (!database_ || !database_->copy) return begin_copy_first();
    return database_->copy->step();
}

Result<std::string> SqliteEngine::read_copy(std::uint64_t offset, std::size_t size) {
    if (!database_ || !database_->copy) return begin_copy_first();
    return database_->copy->read(offset, size);
}

void SqliteEngine::drop_copy() noexcept {
    if (database_) database_->copy.reset();
}

Cursor SqliteEngine::newest_to_drop() const {
    const std::uint64_t head = database_->writer->head().value;
    const std::uint64_t oldest = database_->oldest.value;
    if (head - oldest <= options_.events_kept) return database_->oldest;
    return {std::min({head - options_.events_kept, oldest + limits::kEventsDroppedAtOnce,
                      database_->writer->filed().value})};
}

}  // namespace parley
