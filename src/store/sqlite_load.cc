// SPDX-License-Identifier: Apache-2.0
// The snapshot: all that a broker keeps in memory, read when a store is opened.
#include <algorithm>
#include <utility>

#include "store/sqlite_filing.h"
#include "store/sqlite_read.h"
#include "store/sqlite_rows.h"

namespace parley::sqlite {

Result<Snapshot> Reader::load() {
    Snapshot snapshot;
    CHECK_OK(load_cursors(snapshot));
    CHECK_OK(load_asks(snapshot));
    CHECK_OK(load_sessions(snapshot));
    CHECK_OK(check_sessions_of_asks(snapshot));
    CHECK_OK(load_responders(snapshot));
    CHECK_OK(load_tokens(snapshot));
    CHECK_OK(load_marks(snapshot));
    return snapshot;
}

Result<void> Reader::load_cursors(Snapshot& snapshot) {
    Statement cursors(connection_,
                      "SELECT value, (SELECT min(cursor) FROM events), (SELECT max(cursor) FROM "
                      "events), (SELECT max(id) FROM asks), (SELECT max(id) FROM sessions), "
                      "(SELECT max(id) FROM messages) FROM meta WHERE name = 'origin'");
    Rows rows(cursors);
    TRY(is_there, rows.next());
    if (!is_there) return reject(ErrorCode::corrupt, "the store has lost its origin");
    snapshot.oldest = snapshot.head = rows.cursor(0);
    if (!rows.is_null(1)) {
        snapshot.oldest = {rows.cursor(1).value - 1};
        snapshot.head = rows.cursor(2);
    }
    snapshot.top_ask = rows.id<AskId>(3);
    snapshot.top_session = rows.id<SessionId>(4);
    snapshot.top_message = rows.id<MessageId>(5);
    return {};
}

// Not by a list, which would look up one by one what may be a million.
Result<void> Reader::load_asks(Snapshot& snapshot) {
    std::vector<AskPtr>& pending = snapshot.pending;
    for (const std::string_view from : {kFromFiledPending, kFromUnfiledPending}) {
        Statement asks(connection_, fmt::format("SELECT {} {}", kAskColumns, from));
        Rows rows(asks);
        for (;;) {
            TRY(is_there, rows.next());
            if (!is_there) break;
            TRY(ask, read_ask(rows));
            pending.push_back(std::move(ask));
        }
    }
    const auto by_id = [](const AskPtr& one, const AskPtr& other) { return one->id < other->id; };
    if (!std::ranges::is_sorted(pending, by_id)) std::ranges::sort(pending, by_id);
    return {};
}

Result<void> Reader::load_sessions(Snapshot& snapshot) {
    Statement live(connection_, select_sessions("WHERE ended_ms IS NULL ORDER BY id"));
    Rows sessions(live);
    for (;;) {
        TRY(is_there, sessions.next());
        if (!is_there) break;
        TRY(session, read_session(sessions));
        snapshot.sessions.push_back(std::move(session));
    }
    Statement waiting(connection_,
                      "SELECT m.session, m.at_ms, m.record, m.id FROM sessions s JOIN messages m "
                      "ON m.session = s.id AND m.id > coalesce(s.taken, x'') "
                      "WHERE s.ended_ms IS NULL ORDER BY s.id, m.id");
    Rows messages(waiting);
    for (;;) {
        TRY(is_there, messages.next());
        if (!is_there) return {};
        TRY(message, stored::read_message(messages));
        snapshot.messages.push_back(std::move(message));
    }
}

Result<void> Reader::load_responders(Snapshot& snapshot) {
    Statement all_drafts(connection_,
                         "SELECT ask, principal, record FROM drafts ORDER BY ask, principal");
    Rows drafts(all_drafts);
    for (;;) {
        TRY(is_there, drafts.next());
        if (!is_there) break;
        TRY(draft, stored::read_kept_draft(drafts));
        snapshot.drafts.push_back(std::move(draft));
    }
    Statement all_snoozes(connection_,
                          "SELECT ask, principal, until_ms FROM snoozes ORDER BY ask, principal");
    Rows snoozes(all_snoozes);
    for (;;) {
        TRY(is_there, snoozes.next());
        if (!is_there) return {};
        TRY(snooze, stored::read_snooze(snoozes));
        snapshot.snoozes.push_back(std::move(snooze));
    }
}

}  // namespace parley::sqlite
