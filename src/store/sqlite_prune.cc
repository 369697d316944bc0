// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_prune.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "store/limits.h"
#include "text/time_text.h"

namespace parley::sqlite {

// The newest of each kind stays: new ids go on above it.
Pruning::Pruning(const Connection& connection)
    : first_kept_(connection,
                  "SELECT min(cursor) FROM events WHERE cursor > ?1 AND cursor <= ?2 AND "
                  "at_ms >= ?3"),
      settled_asks_(connection,
                    "SELECT f.settled, a.id, a.session, a.state, "
                    "coalesce(a.asker, a.spec ->> '$.asker', ''), a.settlement ->> '$.at' "
                    "FROM filed_settled f CROSS JOIN asks a ON a.id = f.ask WHERE f.settled <= ?1 "
                    "AND a.id < (SELECT max(id) FROM asks) ORDER BY f.settled LIMIT ?2"),
      drop_ask_(connection, "DELETE FROM asks WHERE id = ?1"),
      drop_from_session_(connection,
                         "DELETE FROM filed_by_session WHERE session = ?1 AND ask = ?2"),
      drop_from_state_(connection, "DELETE FROM filed_by_state WHERE state = ?1 AND ask = ?2"),
      drop_from_asker_(connection, "DELETE FROM filed_by_asker WHERE asker = ?1 AND ask = ?2"),
      drop_from_settled_(connection, "DELETE FROM filed_settled WHERE settled = ?1"),
      messages_(connection,
                "SELECT m.added, m.at_ms < ?4 AND m.id < (SELECT max(id) FROM messages) AND "
                "(s.id IS NULL OR s.ended_ms IS NOT NULL OR m.id <= s.taken) "
                "FROM messages m LEFT JOIN sessions s ON s.id = m.session "
                "WHERE m.added > ?1 AND m.added <= ?2 ORDER BY m.added LIMIT ?3"),
      drop_message_(connection, "DELETE FROM messages WHERE added = ?1"),
      sessions_(connection,
                "SELECT s.id, s.ended_ms < ?3 AND s.id < (SELECT max(id) FROM sessions) "
                "AND NOT EXISTS (SELECT 1 FROM filed_by_session f WHERE f.session = s.id) "
                "AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session = s.id) "
                "AND NOT EXISTS (SELECT 1 FROM filed_events e WHERE e.session = s.id) "
                "AND NOT EXISTS (SELECT 1 FROM events e WHERE e.session = s.id AND e.cursor > "
                "(SELECT value FROM meta WHERE name = 'filed')) FROM sessions s "
                "WHERE s.ended_ms IS NOT NULL AND s.id > ?1 ORDER BY s.id LIMIT ?2"),
      drop_session_(connection, "DELETE FROM sessions WHERE id = ?1") {}

void Pruning::start_over() {
    has_seen_messages_ = false;
    last_message_ = 0;
    last_session_ = {};
}

Result<Cursor> Pruning::newest_event(Cursor oldest, Cursor head, const Retention& before) {
    const auto cut = before.events();
    if (!cut || head.value <= oldest.value + 1) return oldest;
    const Cursor last{std::min(head.value - 1, oldest.value + limits::kEventsDroppedAtOnce)};
    Rows rows(first_kept_, oldest, last, *cut);
    TRY(is_there, rows.next());
    return is_there && !rows.is_null(0) ? Cursor{rows.cursor(0).value - 1} : last;
}

Result<Pruned> Pruning::prune_rows(Cursor oldest, const Retention& before) {
    Pruned done;
    if (before.asks) {
        TRY(asks, prune_asks(oldest, *before.asks));
        done.asks = asks;
    }
    done.has_more = done.asks > 0;
    if (done.has_more) return done;
    CHECK_OK(has_seen_messages_ ? prune_sessions(before, done)
                                : prune_messages(oldest, before, done));
    if (!done.has_more) start_over();
    return done;
}

// In the order of their settlements: the first one that is too new ends it.
Result<std::uint64_t> Pruning::prune_asks(Cursor oldest, Instant before) {
    struct Row {
        Cursor settled;
        AskId id;
        SessionId session;
        std::int64_t state;
        std::string asker;
    };
    std::vector<Row> old;
    const std::string limit = format_rfc3339(before);
    {
        Rows rows(settled_asks_, oldest, limits::kAsksPrunedAtOnce);
        for (;;) {
            TRY(is_there, rows.next());
            if (!is_there || rows.text(5) >= limit) break;
            old.push_back({rows.cursor(0), rows.id<AskId>(1), rows.id<SessionId>(2), rows.number(3),
                           std::string(rows.text(4))});
        }
    }
    for (const Row& row : old) {
        CHECK_OK(drop_ask_.run(row.id));
        CHECK_OK(drop_from_session_.run(row.session, row.id));
        CHECK_OK(drop_from_state_.run(row.state, row.id));
        CHECK_OK(drop_from_asker_.run(std::string_view(row.asker), row.id));
        CHECK_OK(drop_from_settled_.run(row.settled));
    }
    return old.size();
}

Result<void> Pruning::prune_messages(Cursor oldest, const Retention& before, Pruned& done) {
    done.has_more = true;
    std::vector<std::int64_t> old;
    std::size_t seen = 0;
    if (before.messages) {
        Rows rows(messages_, last_message_, oldest, limits::kRowsPrunedAtOnce, *before.messages);
        for (;; ++seen) {
            TRY(is_there, rows.next());
            if (!is_there) break;
            last_message_ = rows.number(0);
            if (rows.number(1) != 0) old.push_back(last_message_);
        }
    }
    has_seen_messages_ = seen < limits::kRowsPrunedAtOnce;
    for (const std::int64_t added : old) CHECK_OK(drop_message_.run(added));
    done.messages = old.size();
    return {};
}

Result<void> Pruning::prune_sessions(const Retention& before, Pruned& done) {
    if (!before.sessions) return {};
    std::vector<SessionId> old;
    std::size_t seen = 0;
    {
        Rows rows(sessions_, last_session_, limits::kRowsPrunedAtOnce, *before.sessions);
        for (;; ++seen) {
            TRY(is_there, rows.next());
            if (!is_there) break;
            last_session_ = rows.id<SessionId>(0);
            if (rows.number(1) != 0) old.push_back(last_session_);
        }
    }
    for (const SessionId id : old) CHECK_OK(drop_session_.run(id));
    done.sessions = old.size();
    done.has_more = seen == limits::kRowsPrunedAtOnce;
    return {};
}

}  // namespace parley::sqlite
