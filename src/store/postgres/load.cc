// SPDX-License-Identifier: Apache-2.0
// The snapshot: all that a broker keeps in memory, read when a store is opened.
#include <fmt/format.h>

#include <utility>

#include "store/postgres/limits.h"
#include "store/postgres/reader.h"
#include "store/stored_rows.h"

namespace parley::postgres {

// It locks no row: nobody waits for it, however long it takes to read what it was sent.
Result<Snapshot> Reader::load() {
    CHECK_OK(connection_.run_once("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"));
    CHECK_OK(connection_.run_once("SET LOCAL idle_in_transaction_session_timeout = 0"));
    Snapshot snapshot;
    CHECK_OK(load_all(snapshot));
    CHECK_OK(connection_.run_once("COMMIT"));
    return snapshot;
}

Result<void> Reader::load_all(Snapshot& snapshot) {
    CHECK_OK(load_cursors(snapshot));
    CHECK_OK(load_asks(snapshot));
    CHECK_OK(load_sessions(snapshot));
    CHECK_OK(stored::check_sessions_of_asks(snapshot));
    CHECK_OK(load_responders(snapshot));
    CHECK_OK(load_tokens(snapshot));
    return load_marks(snapshot);
}

Result<void> Reader::load_cursors(Snapshot& snapshot) {
    TRY(bounds, read_bounds());
    snapshot.oldest = bounds.oldest;
    snapshot.head = bounds.head;
    TRY(rows, connection_.run_once("SELECT (SELECT id FROM asks ORDER BY id DESC LIMIT 1), "
                                   "(SELECT id FROM sessions ORDER BY id DESC LIMIT 1), "
                                   "(SELECT id FROM messages ORDER BY id DESC LIMIT 1)"));
    if (!rows.next()) return reject(ErrorCode::corrupt, "the store does not know its ids");
    snapshot.top_ask = rows.id<AskId>(0);
    snapshot.top_session = rows.id<SessionId>(1);
    snapshot.top_message = rows.id<MessageId>(2);
    return {};
}

// A few at a time; the server goes on with the next ones while these are read.
template <class T, class Read>
Result<void> Reader::load_rows(std::vector<T>& loaded, const std::string& sql, Read read) {
    CHECK_OK(connection_.run_once("DECLARE loaded NO SCROLL CURSOR FOR " + sql));
    Statement fetch(fmt::format("FETCH {} FROM loaded", limits::kPostgresRowsLoadedAtOnce));
    for (bool has_more = true; has_more;) {
        for (int i = 0; i < limits::kPostgresFetchesAtOnce; ++i) CHECK_OK(connection_.send(fetch));
        CHECK_OK(connection_.sync());
        for (int i = 0; i < limits::kPostgresFetchesAtOnce; ++i) {
            TRY(rows, connection_.receive());
            has_more = rows.count() > 0;
            while (rows.next()) {
                TRY(one, read(rows));
                loaded.push_back(std::move(one));
            }
        }
    }
    CHECK_OK(connection_.run_once("CLOSE loaded"));
    return {};
}

Result<void> Reader::load_asks(Snapshot& snapshot) {
    return load_rows(snapshot.pending, select_asks("WHERE a.state = 0 ORDER BY a.id"),
                     [](const Rows& row) { return stored::read_ask(row); });
}

Result<void> Reader::load_sessions(Snapshot& snapshot) {
    CHECK_OK(load_rows(snapshot.sessions,
                       stored::select_sessions("WHERE ended_ms IS NULL ORDER BY id"),
                       [](const Rows& row) { return stored::read_session(row); }));
    return load_rows(snapshot.messages,
                     "SELECT m.session, m.at_ms, m.record, m.id FROM messages m JOIN sessions s "
                     "ON s.id = m.session AND s.ended_ms IS NULL WHERE NOT m.is_taken "
                     "ORDER BY m.session, m.id",
                     [](const Rows& row) { return stored::read_message(row); });
}

Result<void> Reader::load_responders(Snapshot& snapshot) {
    CHECK_OK(
        load_rows(snapshot.drafts,
                  "SELECT d.ask, d.principal, d.record FROM drafts d ORDER BY d.ask, d.principal",
                  [](const Rows& row) { return stored::read_kept_draft(row); }));
    return load_rows(
        snapshot.snoozes,
        "SELECT n.ask, n.principal, n.until_ms FROM snoozes n ORDER BY n.ask, n.principal",
        [](const Rows& row) { return stored::read_snooze(row); });
}

Result<void> Reader::load_tokens(Snapshot& snapshot) {
    return load_rows(snapshot.tokens, stored::select_tokens("ORDER BY name"),
                     [](const Rows& row) { return stored::read_token(row); });
}

Result<void> Reader::load_marks(Snapshot& snapshot) {
    return load_rows(snapshot.marks, stored::select_marks("ORDER BY key"),
                     [](const Rows& row) { return stored::read_mark(row); });
}

}  // namespace parley::postgres
