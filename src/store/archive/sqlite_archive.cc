// SPDX-License-Identifier: Apache-2.0
#include "store/archive/sqlite_archive.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "core/record.h"
#include "core/viewer.h"
#include "store/archive/rules.h"
#include "store/archive/stored_archive_rows.h"
#include "store/limits.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_schema.h"
#include "store/stored_changes.h"

namespace parley {

using sqlite::Rows;
using sqlite::Statement;

namespace {

constexpr std::string_view kBounds =
    "SELECT coalesce((SELECT min(cursor) - 1 FROM events), value), "
    "coalesce((SELECT max(cursor) FROM events), value) FROM meta WHERE name = 'origin'";

// What SQLite alone keeps: the cursors of asks, and the lists of them.
constexpr std::array kSqliteRules = {
    ArchiveRule{Subject::ask, "SELECT a.id FROM asks a WHERE (a.state = 0) <> (a.settled IS NULL)",
                "its state and the cursor of its settlement disagree"},
    ArchiveRule{Subject::ask,
                "SELECT a.id FROM asks a WHERE a.settled >= (SELECT min(cursor) FROM events) AND "
                "NOT EXISTS (SELECT 1 FROM events e WHERE e.cursor = a.settled AND e.type = 2 "
                "AND e.ask = a.id)",
                "the event of its settlement is not there"},
    ArchiveRule{Subject::event,
                "SELECT e.cursor FROM events e JOIN asks a ON a.id = e.ask "
                "WHERE e.type = 2 AND a.settled IS NOT e.cursor",
                "it settles an ask that does not know of it"},
    ArchiveRule{Subject::event,
                "SELECT e.cursor FROM events e WHERE e.type = 8 AND NOT EXISTS "
                "(SELECT 1 FROM messages m WHERE m.added = e.cursor)",
                "its message is not there"},
    ArchiveRule{Subject::ask,
                "SELECT a.id FROM asks a WHERE a.opened <= "
                "(SELECT value FROM meta WHERE name = 'filed') AND NOT EXISTS (SELECT 1 FROM "
                "filed_by_session f WHERE f.session = a.session AND f.ask = a.id)",
                "it is not in the list of its session"},
    ArchiveRule{Subject::ask,
                "SELECT a.id FROM asks a, (SELECT value AS filed FROM meta WHERE name = 'filed') "
                "WHERE a.opened <= filed AND coalesce(a.settled, 0) <= filed AND NOT EXISTS "
                "(SELECT 1 FROM filed_by_state f WHERE f.state = a.state AND f.ask = a.id)",
                "it is not in the list of its state"},
    ArchiveRule{Subject::ask,
                "SELECT f.ask FROM filed_by_session f WHERE NOT EXISTS "
                "(SELECT 1 FROM asks a WHERE a.id = f.ask)",
                "a list names it, and it is not there"},
};

// As what was filed would have been filed (sqlite_filing.h), all at once.
constexpr const char* kFileAll = R"sql(
INSERT INTO filed_by_session SELECT session, id FROM asks ORDER BY session, id;
INSERT INTO filed_by_state SELECT state, id FROM asks ORDER BY state, id;
INSERT INTO filed_pending_by_session SELECT session, id FROM asks WHERE state = 0
    ORDER BY session, id;
INSERT INTO filed_by_asker SELECT asker, id FROM asks WHERE asker IS NOT NULL ORDER BY asker, id;
INSERT INTO filed_settled SELECT settled, id FROM asks WHERE state > 0 ORDER BY settled;
INSERT INTO filed_events SELECT session, min(cursor), max(cursor) FROM events
    WHERE session IS NOT NULL GROUP BY session, cursor / 1024;
)sql";

}  // namespace

// Rows that had cursors of their own have the numbers from 1 on: those of asks, sessions and
// messages only tell what is not filed yet, and all of them are.
struct SqliteArchive::Inserts {
    explicit Inserts(const sqlite::Connection& connection)
        : session(connection, "INSERT INTO sessions VALUES(?1, ?2, ?3, ?4, ?5, ?6)"),
          ask(connection,
              "INSERT INTO asks(opened, id, session, state, created_ms, deadline_ms, key, call_id, "
              "settled, settlement, spec, asker) "
              "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"),
          message(connection, "INSERT INTO messages VALUES(?1, ?2, ?3, ?4, ?5)"),
          place_message(connection, "UPDATE messages SET added = ?1 WHERE id = ?2"),
          draft(connection, "INSERT INTO drafts VALUES(?1, ?2, ?3)"),
          snooze(connection, "INSERT INTO snoozes VALUES(?1, ?2, ?3)"),
          token(connection, "INSERT INTO tokens VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"),
          mark(connection, "INSERT INTO marks VALUES(?1, ?2, ?3, ?4)"),
          event(connection, "INSERT INTO events VALUES(?1, ?2, ?3, ?4, ?5, ?6)") {}

    [[nodiscard]] Result<int> put(const ArchivedSession& row) {
        const Session& one = *row.session;
        const std::string key = live_name(one);
        const auto name = one.name ? std::optional<std::string_view>(key) : std::nullopt;
        const std::string record = to_record(one);
        return session.run(++number, one.id, name, one.ended_at, row.taken,
                           std::string_view(record));
    }
    [[nodiscard]] Result<int> put(const ArchivedAsk& row) {
        const Ask& one = *row.ask;
        const std::string spec = to_record(*one.spec);
        const auto settlement = settlement_record(one);
        return ask.run(++number, one.id, one.session, static_cast<int>(one.state()), one.created_at,
                       one.deadline, stored::as_view(one.spec->key), stored::call_id_of(*one.spec),
                       row.settled, stored::as_view(settlement), std::string_view(spec),
                       stored::asker_of(*one.spec));
    }
    [[nodiscard]] Result<int> put(const QueuedMessage& row) {
        const std::string record = to_record(row.message);
        return message.run(++number, row.message.id, row.session, row.at, std::string_view(record));
    }
    [[nodiscard]] Result<int> put(const KeptDraft& row) {
        const std::string record = to_record(*row.draft);
        return draft.run(row.ask, std::string_view(row.principal), std::string_view(record));
    }
    [[nodiscard]] Result<int> put(const Snooze& row) {
        return snooze.run(row.ask, std::string_view(row.principal), row.until);
    }
    [[nodiscard]] Result<int> put(const TokenPtr& one) {
        return token.run(std::string_view(one->name), static_cast<int>(one->role),
                         std::string_view(one->hash), one->created_at, one->expires_at,
                         std::string_view(one->principal), std::string_view(one->person),
                         std::string_view(one->device), one->used_at, one->session);
    }
    [[nodiscard]] Result<int> put(const MarkPtr& one) {
        return mark.run(std::string_view(one->key), std::string_view(one->value), one->at,
                        one->expires_at);
    }
    // A message is found by the cursor of its event.
    [[nodiscard]] Result<int> put(const ArchivedEvent& row) {
        if (row.message) CHECK_OK(place_message.run(row.cursor, *row.message));
        const auto session_id =
            row.session.is_nil() ? std::nullopt : std::optional<SessionId>(row.session);
        return event.run(row.cursor, row.type, row.at, session_id, row.ask,
                         stored::as_view(row.doc));
    }

    Statement session;
    Statement ask;
    Statement message;
    Statement place_message;
    Statement draft;
    Statement snooze;
    Statement token;
    Statement mark;
    Statement event;
    std::int64_t number = 0;
};

Result<std::unique_ptr<SqliteArchive>> SqliteArchive::open(const std::string& named, ArchiveUse use,
                                                           const Clock& clock) {
    TRY(path, sqlite::absolute_path(named));
    std::error_code code;
    const bool is_there = std::filesystem::exists(path, code);
    if (!is_there && use == ArchiveUse::read)
        return reject(ErrorCode::not_found, "there is no store {}. To fix it: name one that is",
                      path);
    TRY(lock, sqlite::claim_store_file(path));
    TRY(connection, sqlite::Connection::open({.path = path}));
    std::unique_ptr<SqliteArchive> archive(
        new SqliteArchive(std::move(lock), std::move(connection), is_there ? std::string() : path));
    CHECK_OK(sqlite::configure(archive->connection_, path, limits::kSqliteCacheBytes));
    CHECK_OK(sqlite::bring_up_to_date(archive->connection_, clock.wall()));
    // What is sorted may be larger than memory.
    CHECK_OK(archive->connection_.exec("PRAGMA temp_store=FILE"));
    return archive;
}

SqliteArchive::SqliteArchive(sqlite::FileLock lock, sqlite::Connection connection, std::string made)
    : lock_(std::move(lock)), connection_(std::move(connection)), made_(std::move(made)) {}

SqliteArchive::~SqliteArchive() {
    inserts_.reset();
    if (made_.empty()) return;
    // Under the lock, so that it is nobody else's by now.
    for (const char* suffix : {"-wal", "", ".lock"}) ::unlink((made_ + suffix).c_str());
}

Result<ArchiveBounds> SqliteArchive::bounds() {
    Statement bounds(connection_, std::string(kBounds));
    Rows rows(bounds);
    TRY(is_there, rows.next());
    if (!is_there) return reject(ErrorCode::corrupt, "the store has lost its origin");
    return ArchiveBounds{.oldest = rows.cursor(0), .head = rows.cursor(1)};
}

template <class Read>
Result<void> SqliteArchive::dump_rows(std::string_view sql, Read read, const ArchiveSink& sink,
                                      ArchiveFaults* faults) {
    Statement all(connection_, std::string(sql));
    Rows rows(all);
    for (;;) {
        TRY(is_there, rows.next());
        if (!is_there) return {};
        CHECK_OK(give_row(read(rows), sink, faults));
    }
}

Result<void> SqliteArchive::dump(const ArchiveSink& sink, ArchiveFaults* faults) {
    const auto rows = [&](std::string_view sql, auto read) {
        return dump_rows(sql, read, sink, faults);
    };
    using Row = const Rows&;
    CHECK_OK(rows("SELECT id, record, taken FROM sessions ORDER BY id",
                  [](Row row) { return stored::read_archived_session(row); }));
    CHECK_OK(rows(
        fmt::format("SELECT {}, a.settled, a.state FROM asks a ORDER BY a.id", stored::kAskColumns),
        [](Row row) { return stored::read_archived_ask(row); }));
    CHECK_OK(rows("SELECT session, at_ms, record, id FROM messages ORDER BY id",
                  [](Row row) { return stored::read_message(row); }));
    CHECK_OK(rows("SELECT ask, principal, record FROM drafts ORDER BY ask, principal",
                  [](Row row) { return stored::read_kept_draft(row); }));
    CHECK_OK(rows("SELECT ask, principal, until_ms FROM snoozes ORDER BY ask, principal",
                  [](Row row) { return stored::read_snooze(row); }));
    CHECK_OK(rows(stored::select_tokens("ORDER BY name"),
                  [](Row row) { return stored::read_token(row); }));
    CHECK_OK(
        rows(stored::select_marks("ORDER BY key"), [](Row row) { return stored::read_mark(row); }));
    return rows(
        "SELECT e.cursor, e.type, e.at_ms, e.session, e.ask, m.id, e.doc FROM events e "
        "LEFT JOIN messages m ON e.type = 8 AND m.added = e.cursor ORDER BY e.cursor",
        [](Row row) { return stored::read_archived_event(row); });
}

Result<void> SqliteArchive::check_pages(ArchiveFaults& faults) {
    Statement pages(connection_, fmt::format("PRAGMA integrity_check({})", limits::kFaultsTold));
    Rows rows(pages);
    for (;;) {
        TRY(is_there, rows.next());
        if (!is_there) return {};
        if (rows.text(0) != "ok") faults.add("pages", fmt::format("file: {}", rows.text(0)));
    }
}

Result<void> SqliteArchive::check(ArchiveFaults& faults) {
    CHECK_OK(check_pages(faults));
    const auto apply = [&](const ArchiveRule& rule) -> Result<void> {
        Statement exceptions(connection_, fmt::format(fmt::runtime(rule.sql), "ask"));
        Rows rows(exceptions);
        for (;;) {
            TRY(is_there, rows.next());
            if (!is_there) return {};
            add_fault(faults, rule, rows);
        }
    };
    for (const ArchiveRule& rule : kArchiveRules) CHECK_OK(apply(rule));
    for (const ArchiveRule& rule : kSqliteRules) CHECK_OK(apply(rule));
    return {};
}

Result<void> SqliteArchive::begin(const ArchiveBounds& bounds) {
    TRY(rows, connection_.ask_number(kCountAllRows.data()));
    if (rows > 0) return refuse_full();
    CHECK_OK(connection_.exec("BEGIN IMMEDIATE"));
    inserts_ = std::make_unique<Inserts>(connection_);
    bounds_ = bounds;
    return {};
}

Result<void> SqliteArchive::put(const ArchiveRow& row) {
    CHECK_OK(std::visit([this](const auto& one) { return inserts_->put(one); }, row));
    return {};
}

Result<void> SqliteArchive::complete() {
    CHECK_OK(connection_.exec(kFileAll));
    const std::string marks = fmt::format(
        "UPDATE meta SET value = {} WHERE name = 'filed'; "
        "UPDATE meta SET value = {} WHERE name = 'origin'",
        bounds_.head.value, bounds_.oldest.value);
    CHECK_OK(connection_.exec(marks.c_str()));
    TRY(standing, bounds());
    return check_bounds(standing, bounds_);
}

Result<void> SqliteArchive::commit() {
    inserts_.reset();
    CHECK_OK(connection_.exec("COMMIT"));
    made_.clear();
    return connection_.checkpoint();
}

}  // namespace parley
