// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/archive.h"

#include <array>
#include <utility>

#include "core/record.h"
#include "core/viewer.h"
#include "store/archive/rules.h"
#include "store/archive/stored_archive_rows.h"
#include "store/postgres/limits.h"
#include "store/postgres/schema.h"
#include "store/stored_changes.h"

namespace parley {

using postgres::Rows;
using postgres::Statement;

namespace {

constexpr std::array kPostgresRules = {
    ArchiveRule{Subject::ask,
                "SELECT a.id FROM asks a WHERE (a.state = 0) = EXISTS "
                "(SELECT FROM settled t WHERE t.ask = a.id)",
                "its state and the cursor of its settlement disagree"},
    ArchiveRule{Subject::ask,
                "SELECT t.ask FROM settled t WHERE t.cursor > (SELECT oldest FROM state) AND NOT "
                "EXISTS (SELECT FROM events e WHERE e.cursor = t.cursor AND e.type = 2 AND "
                "e.{0} = t.ask)",
                "the event of its settlement is not there"},
    ArchiveRule{Subject::event,
                "SELECT e.cursor FROM events e WHERE e.type = 2 AND NOT EXISTS "
                "(SELECT FROM settled t WHERE t.cursor = e.cursor AND t.ask = e.{0})",
                "it settles an ask that does not know of it"},
    ArchiveRule{Subject::event,
                "SELECT e.cursor FROM events e WHERE e.type = 8 AND NOT EXISTS "
                "(SELECT FROM messages m WHERE m.id = e.{0})",
                "its message is not there"},
    ArchiveRule{Subject::event,
                "SELECT head FROM state WHERE head <> "
                "coalesce((SELECT max(cursor) FROM events), oldest)",
                "it is said to be the newest, and is not"},
    ArchiveRule{Subject::event,
                "SELECT oldest FROM state WHERE oldest <> "
                "coalesce((SELECT min(cursor) - 1 FROM events), head)",
                "it is said to be the newest that was dropped, and is not"},
};

// The way of SQLite, which knows messages to be taken up to one of them: where one waits that is
// older than the last that was taken, those between them are given again.
constexpr const char* kSessions = R"sql(
    SELECT s.id, s.record, CASE WHEN w.id IS NULL OR w.id > s.taken THEN s.taken ELSE
        (SELECT m.id FROM messages m WHERE m.session = s.id AND m.id < w.id
         ORDER BY m.id DESC LIMIT 1) END
    FROM sessions s LEFT JOIN LATERAL (SELECT m.id FROM messages m
        WHERE m.session = s.id AND NOT m.is_taken ORDER BY m.id LIMIT 1) w ON s.ended_ms IS NULL
    ORDER BY s.id)sql";

}  // namespace

struct PostgresArchive::Inserts {
    explicit Inserts(postgres::Connection& to) : connection(to) {}

    // How many statements were sent.
    [[nodiscard]] Result<std::size_t> put(const ArchivedSession& row) {
        const Session& one = *row.session;
        const std::string key = live_name(one);
        const auto name = one.name ? std::optional<std::string_view>(key) : std::nullopt;
        const std::string record = to_record(one);
        CHECK_OK(connection.send(session, one.id, name, one.ended_at, row.taken,
                                 std::string_view(record)));
        return 1;
    }
    [[nodiscard]] Result<std::size_t> put(const ArchivedAsk& row) {
        const Ask& one = *row.ask;
        const std::string spec = to_record(*one.spec);
        const auto settlement = settlement_record(one);
        CHECK_OK(connection.send(ask, one.id, one.session, static_cast<int>(one.state()),
                                 one.created_at, one.deadline, stored::as_view(one.spec->key),
                                 stored::call_id_of(*one.spec), stored::asker_of(*one.spec),
                                 stored::as_view(settlement), std::string_view(spec)));
        if (!row.settled) return 1;
        CHECK_OK(connection.send(settled, *row.settled, one.id));
        return 2;
    }
    [[nodiscard]] Result<std::size_t> put(const QueuedMessage& row) {
        const std::string record = to_record(row.message);
        CHECK_OK(connection.send(message, row.message.id, row.session, row.at,
                                 std::string_view(record)));
        return 1;
    }
    [[nodiscard]] Result<std::size_t> put(const KeptDraft& row) {
        const std::string record = to_record(*row.draft);
        CHECK_OK(connection.send(draft, row.ask, std::string_view(row.principal),
                                 std::string_view(record)));
        return 1;
    }
    [[nodiscard]] Result<std::size_t> put(const Snooze& row) {
        CHECK_OK(connection.send(snooze, row.ask, std::string_view(row.principal), row.until));
        return 1;
    }
    [[nodiscard]] Result<std::size_t> put(const TokenPtr& one) {
        CHECK_OK(connection.send(token, std::string_view(one->name), static_cast<int>(one->role),
                                 std::string_view(one->hash), one->created_at, one->expires_at,
                                 std::string_view(one->principal), std::string_view(one->person),
                                 std::string_view(one->device), one->used_at, one->session));
        return 1;
    }
    [[nodiscard]] Result<std::size_t> put(const MarkPtr& one) {
        CHECK_OK(connection.send(mark, std::string_view(one->key), std::string_view(one->value),
                                 one->at, one->expires_at));
        return 1;
    }
    [[nodiscard]] Result<std::size_t> put(const ArchivedEvent& row) {
        const auto session_id =
            row.session.is_nil() ? std::nullopt : std::optional<SessionId>(row.session);
        const auto doc = stored::as_view(row.doc);
        if (row.message) {
            CHECK_OK(
                connection.send(event, row.cursor, row.type, row.at, session_id, row.message, doc));
        } else {
            CHECK_OK(
                connection.send(event, row.cursor, row.type, row.at, session_id, row.ask, doc));
        }
        return 1;
    }

    postgres::Connection& connection;
    Statement session{"INSERT INTO sessions VALUES($1, $2, $3, $4, $5)"};
    Statement ask{
        "INSERT INTO asks(id, session, state, created_ms, deadline_ms, key, call_id, asker, "
        "settlement, spec) VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"};
    Statement settled{"INSERT INTO settled VALUES($1, $2)"};
    Statement message{
        "INSERT INTO messages(id, session, at_ms, is_taken, record) "
        "VALUES($1, $2, $3, coalesce($1 <= (SELECT taken FROM sessions WHERE id = $2), false), "
        "$4)"};
    Statement draft{"INSERT INTO drafts VALUES($1, $2, $3)"};
    Statement snooze{"INSERT INTO snoozes VALUES($1, $2, $3)"};
    Statement token{"INSERT INTO tokens VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"};
    Statement mark{"INSERT INTO marks VALUES($1, $2, $3, $4)"};
    Statement event{"INSERT INTO events VALUES($1, $2, $3, $4, $5, $6)"};
};

Result<std::unique_ptr<PostgresArchive>> PostgresArchive::open(const std::string& url,
                                                               ArchiveUse use, const Clock& clock) {
    TRY(connection, postgres::Connection::open(url, limits::kPostgresLongAnswerTimeout));
    CHECK_OK(connection->be_patient());
    if (use == ArchiveUse::read) {
        TRY(is_there, postgres::has_store(*connection));
        if (!is_there)
            return reject(ErrorCode::not_found,
                          "there is no store of Parley in this database. To fix it: name the one "
                          "that has it");
    }
    CHECK_OK(postgres::check_format(*connection));
    if (use == ArchiveUse::fill) CHECK_OK(postgres::bring_up_to_date(*connection, clock.wall()));
    if (use == ArchiveUse::read)
        CHECK_OK(connection->run_once("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"));
    return std::unique_ptr<PostgresArchive>(new PostgresArchive(std::move(connection)));
}

PostgresArchive::PostgresArchive(std::unique_ptr<postgres::Connection> connection)
    : connection_(std::move(connection)) {}

PostgresArchive::~PostgresArchive() = default;

Result<ArchiveBounds> PostgresArchive::bounds() {
    TRY(rows, connection_->run_once("SELECT oldest, head FROM state"));
    if (!rows.next()) return reject(ErrorCode::corrupt, "the store has lost its state");
    return ArchiveBounds{.oldest = rows.cursor(0), .head = rows.cursor(1)};
}

template <class Read>
Result<void> PostgresArchive::dump_rows(const std::string& sql, Read read, const ArchiveSink& sink,
                                        ArchiveFaults* faults) {
    CHECK_OK(connection_->run_once("DECLARE dump NO SCROLL CURSOR FOR " + sql));
    const std::string fetch = fmt::format("FETCH {} FROM dump", limits::kPostgresRowsDumpedAtOnce);
    for (;;) {
        TRY(rows, connection_->run_once(fetch));
        if (rows.count() == 0) break;
        while (rows.next()) CHECK_OK(give_row(read(rows), sink, faults));
    }
    CHECK_OK(connection_->run_once("CLOSE dump"));
    return {};
}

Result<void> PostgresArchive::dump(const ArchiveSink& sink, ArchiveFaults* faults) {
    const auto rows = [&](const std::string& sql, auto read) {
        return dump_rows(sql, read, sink, faults);
    };
    using Row = const Rows&;
    CHECK_OK(rows(kSessions, [](Row row) { return stored::read_archived_session(row); }));
    CHECK_OK(rows(fmt::format("SELECT {}, t.cursor, a.state::bigint FROM asks a "
                              "LEFT JOIN settled t ON t.ask = a.id ORDER BY a.id",
                              stored::kAskColumns),
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
        "SELECT cursor, type, at_ms, session, CASE WHEN type <> 8 THEN subject END, "
        "CASE WHEN type = 8 THEN subject END, doc FROM events ORDER BY cursor",
        [](Row row) { return stored::read_archived_event(row); });
}

Result<void> PostgresArchive::check(ArchiveFaults& faults) {
    const auto apply = [&](const ArchiveRule& rule) -> Result<void> {
        TRY(rows, connection_->run_once(fmt::format(fmt::runtime(rule.sql), "subject")));
        while (rows.next()) add_fault(faults, rule, rows);
        return {};
    };
    for (const ArchiveRule& rule : kArchiveRules) CHECK_OK(apply(rule));
    for (const ArchiveRule& rule : kPostgresRules) CHECK_OK(apply(rule));
    return {};
}

// No node gets a place for an event before this one is done.
Result<void> PostgresArchive::begin(const ArchiveBounds& bounds) {
    CHECK_OK(connection_->run_once("BEGIN"));
    CHECK_OK(connection_->run_once("SELECT 1 FROM state FOR UPDATE"));
    TRY(rows, connection_->run_once(std::string(kCountAllRows)));
    if (rows.next() && rows.number(0) > 0) return refuse_full();
    inserts_ = std::make_unique<Inserts>(*connection_);
    bounds_ = bounds;
    return {};
}

Result<void> PostgresArchive::put(const ArchiveRow& row) {
    TRY(statements, std::visit([this](const auto& one) { return inserts_->put(one); }, row));
    sent_ += statements;
    return sent_ < limits::kPostgresRowsDumpedAtOnce ? Result<void>() : settle_sent();
}

Result<void> PostgresArchive::settle_sent() {
    CHECK_OK(connection_->sync());
    for (; sent_ > 0; --sent_) CHECK_OK(connection_->receive());
    return {};
}

Result<void> PostgresArchive::complete() {
    CHECK_OK(settle_sent());
    CHECK_OK(connection_->run_once(fmt::format("UPDATE state SET head = {}, oldest = {}",
                                               bounds_.head.value, bounds_.oldest.value)));
    return {};
}

// Nodes that run read all anew.
Result<void> PostgresArchive::commit() {
    CHECK_OK(connection_->run_once("SELECT pg_notify('parley', '')"));
    CHECK_OK(connection_->run_once("COMMIT"));
    inserts_.reset();
    return {};
}

}  // namespace parley
