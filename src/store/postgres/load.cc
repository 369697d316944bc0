// SPDX-License-Identifier: Apache-2.0
// The snapshot: all that a broker keeps in memory, read when a store is opened.
#include <utility>

#include "store/postgres/limits.h"
#include "store/postgres/reader.h"
#include "store/stored_rows.h"

namespace parley::postgres {

Result<Snapshot> Reader::load() {
    CHECK_OK(connection_.run_once("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"));
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

Result<void> Reader::load_asks(Snapshot& snapshot) {
    Statement& next =
        statement(select_asks("WHERE a.state = 0 AND a.id > $1 ORDER BY a.id LIMIT $2"));
    for (AskId last;;) {
        TRY(rows, connection_.run(next, last, limits::kPostgresAsksLoadedAtOnce));
        while (rows.next()) {
            TRY(ask, stored::read_ask(rows));
            last = ask->id;
            snapshot.pending.push_back(std::move(ask));
        }
        if (static_cast<std::uint64_t>(rows.count()) < limits::kPostgresAsksLoadedAtOnce) return {};
    }
}

Result<void> Reader::load_sessions(Snapshot& snapshot) {
    TRY(sessions,
        connection_.run_once(stored::select_sessions("WHERE ended_ms IS NULL ORDER BY id")));
    while (sessions.next()) {
        TRY(session, stored::read_session(sessions));
        snapshot.sessions.push_back(std::move(session));
    }
    TRY(messages, connection_.run_once(
                      "SELECT m.session, m.at_ms, m.record, m.id FROM messages m JOIN sessions s "
                      "ON s.id = m.session AND s.ended_ms IS NULL WHERE NOT m.is_taken "
                      "ORDER BY m.session, m.id"));
    while (messages.next()) {
        TRY(message, stored::read_message(messages));
        snapshot.messages.push_back(std::move(message));
    }
    return {};
}

Result<void> Reader::load_responders(Snapshot& snapshot) {
    TRY(drafts, connection_.run_once("SELECT d.ask, d.principal, d.record FROM drafts d "
                                     "ORDER BY d.ask, d.principal"));
    while (drafts.next()) {
        TRY(draft, stored::read_kept_draft(drafts));
        snapshot.drafts.push_back(std::move(draft));
    }
    TRY(snoozes, connection_.run_once("SELECT n.ask, n.principal, n.until_ms FROM snoozes n "
                                      "ORDER BY n.ask, n.principal"));
    while (snoozes.next()) {
        TRY(snooze, stored::read_snooze(snoozes));
        snapshot.snoozes.push_back(std::move(snooze));
    }
    return {};
}

Result<void> Reader::load_tokens(Snapshot& snapshot) {
    TRY(rows, connection_.run_once(stored::select_tokens("ORDER BY name")));
    while (rows.next()) {
        TRY(token, stored::read_token(rows));
        snapshot.tokens.push_back(std::move(token));
    }
    return {};
}

Result<void> Reader::load_marks(Snapshot& snapshot) {
    TRY(rows, connection_.run_once(stored::select_marks("ORDER BY key")));
    while (rows.next()) {
        TRY(mark, stored::read_mark(rows));
        snapshot.marks.push_back(std::move(mark));
    }
    return {};
}

}  // namespace parley::postgres
