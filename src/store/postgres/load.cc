// SPDX-License-Identifier: Apache-2.0
// The snapshot: all that a broker keeps in memory, read when a store is opened.
#include <string>
#include <utility>

#include "core/record.h"
#include "store/postgres/limits.h"
#include "store/postgres/reader.h"
#include "store/stored_rows.h"

namespace parley::postgres {

using stored::damaged;
using stored::read_instant;
using stored::RowName;
using stored::share;

namespace {

// Of a row that begins with an ask and a principal.
std::string responder_row(const Rows& rows) {
    return fmt::format("{} {}", rows.id<AskId>(0).str(), rows.text(1));
}

}  // namespace

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
    return load_tokens(snapshot);
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
        const auto name = [&] {
            return RowName{"message", "messages", messages.id<MessageId>(3).str()};
        };
        auto message = message_from_record(messages.text(2));
        if (!message) return damaged(name(), message.error().message);
        TRY(at, read_instant(messages, 1, name));
        snapshot.messages.push_back({messages.id<SessionId>(0), at, std::move(*message)});
    }
    return {};
}

Result<void> Reader::load_responders(Snapshot& snapshot) {
    TRY(drafts, connection_.run_once("SELECT d.ask, d.principal, d.record FROM drafts d "
                                     "ORDER BY d.ask, d.principal"));
    while (drafts.next()) {
        TRY(draft, share(draft_from_record(drafts.text(2)),
                         [&] { return RowName{"draft", "drafts", responder_row(drafts)}; }));
        snapshot.drafts.push_back(
            {drafts.id<AskId>(0), std::string(drafts.text(1)), std::move(draft)});
    }
    TRY(snoozes, connection_.run_once("SELECT n.ask, n.principal, n.until_ms FROM snoozes n "
                                      "ORDER BY n.ask, n.principal"));
    while (snoozes.next()) {
        TRY(until, read_instant(snoozes, 2, [&] {
                return RowName{"snooze", "snoozes", responder_row(snoozes)};
            }));
        snapshot.snoozes.push_back({snoozes.id<AskId>(0), std::string(snoozes.text(1)), until});
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

}  // namespace parley::postgres
