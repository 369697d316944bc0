// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_engine.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/assert.h"
#include "base/sizes.h"
#include "store/limits.h"
#include "store/sqlite_db.h"
#include "store/sqlite_file.h"
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
};

namespace {

Rejection not_open() {
    return reject(ErrorCode::unavailable, "the store is not open");
}

// The order matters: without the exclusive mode first, the log would come with a file of shared
// memory, and another process could write beside us.
Result<void> configure(sqlite::Connection& connection, const std::string& path,
                       std::size_t cache_bytes) {
    CHECK_OK(connection.exec("PRAGMA locking_mode=EXCLUSIVE"));
    CHECK_OK(sqlite::check_owner(connection, path));
    TRY(mode, connection.ask_text("PRAGMA journal_mode=WAL"));
    if (mode != "wal" || connection.is_read_only()) {
        return reject(ErrorCode::unavailable,
                      "the store {} cannot be written to. To fix it: make the file and its folder "
                      "writable for this user",
                      path);
    }
    CHECK_OK(connection.exec("PRAGMA synchronous=FULL"));
    CHECK_OK(connection.exec("PRAGMA temp_store=MEMORY"));
    CHECK_OK(connection.exec("PRAGMA secure_delete=FAST"));
    const std::string cache = fmt::format("PRAGMA cache_size=-{}", cache_bytes / limits::kKiB);
    return connection.exec(cache.c_str());
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

    CHECK_OK(configure(database_->connection, path, options_.cache_bytes));
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
    if (database_->connection.log_bytes() > options_.log_bytes_max)
        (void)database_->connection.checkpoint();
    return report;
}

Result<CommitReport> SqliteEngine::run_transaction(std::span<const Change> changes) {
    CHECK_OK(check_file());
    CHECK_OK(database_->begin.run());
    TRY(report, database_->writer->apply(changes));
    CHECK_OK(database_->commit.run());
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
        CHECK_OK(database_->writer->forget_events(newest));
        CHECK_OK(database_->drop_events.run(newest));
        CHECK_OK(database_->commit.run());
        database_->oldest = newest;
        return true;
    }
    if (database_->connection.log_bytes() >= options_.log_bytes_idle)
        CHECK_OK(database_->connection.checkpoint());
    return false;
}

Cursor SqliteEngine::newest_to_drop() const {
    const std::uint64_t head = database_->writer->head().value;
    const std::uint64_t oldest = database_->oldest.value;
    if (head - oldest <= options_.events_kept) return database_->oldest;
    return {std::min({head - options_.events_kept, oldest + limits::kEventsDroppedAtOnce,
                      database_->writer->filed().value})};
}

}  // namespace parley
