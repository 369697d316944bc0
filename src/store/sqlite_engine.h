// SPDX-License-Identifier: Apache-2.0
// The default store: one SQLite file, write-ahead log, every commit synced before it is reported.
// One connection holds the file for itself, so two brokers never share one. Runs on the thread that
// its Store gives it. The file's format is described in docs/formats/sqlite.md.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/private_file.h"
#include "store/engine.h"
#include "store/limits.h"
#include "store/sqlite_file.h"

namespace parley {

struct SqliteOptions {
    std::string path;
    // A VFS registered with SQLite that stands in for the system's files, in tests. It has no lock
    // file and no folders.
    std::string vfs = {};
    OnMended on_mended = {};  // on the engine's thread
    std::size_t events_kept = limits::kEventsKept;
    std::size_t events_filed_at_once = limits::kSqliteEventsFiledAtOnce;
    std::size_t log_bytes_idle = limits::kSqliteLogBytesIdle;
    std::size_t log_bytes_max = limits::kSqliteLogBytesMax;
    std::size_t cache_bytes = limits::kSqliteCacheBytes;  // larger transactions reach the log early
};

// For a program that has SQLite for itself, before its first store: SQLite then keeps no statistics
// of memory, for which it takes a lock at every allocation. It holds for the whole process, so a
// library that others embed leaves it alone.
void forgo_sqlite_statistics();

class SqliteEngine final : public Engine {
public:
    // The clock gives a new store its birth and must outlive the engine.
    SqliteEngine(SqliteOptions options, const Clock& clock);
    ~SqliteEngine() override;

    // What it returns is durable, also where the last holder was killed before it could know.
    [[nodiscard]] Result<Snapshot> open() override;
    void close() noexcept override;
    [[nodiscard]] Result<CommitReport> commit(std::span<const Change> changes) override;
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
    [[nodiscard]] Result<void> begin_copy() override;
    [[nodiscard]] Result<CopyState> copy_slice() override;
    [[nodiscard]] Result<std::string> read_copy(std::uint64_t offset, std::size_t size) override;
    void drop_copy() noexcept override;

private:
    struct Database;

    [[nodiscard]] Result<Snapshot> open_database();
    [[nodiscard]] Result<void> check_file();
    [[nodiscard]] Result<CommitReport> run_transaction(std::span<const Change> changes);
    Cursor newest_to_drop() const;
    [[nodiscard]] Result<void> drop_events(Cursor up_to);
    [[nodiscard]] Result<Pruned> prune_in_transaction(Cursor oldest, const Retention& before);

    SqliteOptions options_;
    const Clock& clock_;
    std::unique_ptr<Database> database_;  // null while closed and after a failed transaction
    std::string path_;                    // of the file that was opened, from every folder
    // Which file that was. No other is taken for it, and one that is gone is kept open for
    // those who want to save it.
    std::optional<sqlite::FileIdentity> identity_;
    std::unique_ptr<Database> gone_;
    // The newest event before a transaction whose outcome is unknown.
    std::optional<Cursor> doubtful_after_;
};

}  // namespace parley
