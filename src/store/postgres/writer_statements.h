// SPDX-License-Identifier: Apache-2.0
// What a writer says to the server. Internal to the PostgreSQL engine.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "store/postgres/connection.h"
#include "store/postgres/limits.h"
#include "store/postgres/reader.h"
#include "store/stored_rows.h"

namespace parley::postgres {

inline constexpr std::string_view kLockIds =
    "SELECT 1 FROM {0} t WHERE t.id = ANY($1) ORDER BY t.id FOR {1}";

// The compare-and-set: only a pending ask has a row to update. The sum keeps the server from
// looking along an index by state: where it thinks that nothing is pending, all that has been
// pending since the last vacuum is there.
inline constexpr std::string_view kSettleAsk = R"sql(
        WITH u AS (UPDATE asks SET state = $2, settlement = $3 WHERE id = $1 AND state + 0 = 0{}
                   RETURNING 1),
             c AS (SELECT count(*) AS n FROM u)
        SELECT {}, c.n{} FROM c LEFT JOIN asks a ON a.id = $1 AND c.n <= $4)sql";
inline constexpr std::string_view kMarkHolds =
    "EXISTS (SELECT FROM marks WHERE key = $5 AND value = $6)";

struct WriterStatements {
    Statement begin{"BEGIN"};
    Statement commit{"COMMIT"};
    Statement lock_tokens{"SELECT pg_advisory_xact_lock(1349676153, 1)"};
    // Who rests on a mark keeps it from being changed until the commit.
    Statement lock_marks{"SELECT pg_advisory_xact_lock(1349676153, 2)"};
    Statement share_marks{"SELECT pg_advisory_xact_lock_shared(1349676153, 2)"};
    Statement share_sessions{fmt::format(kLockIds, "sessions", "SHARE")};
    Statement lock_sessions{fmt::format(kLockIds, "sessions", "NO KEY UPDATE")};
    Statement lock_asks{fmt::format(kLockIds, "asks", "NO KEY UPDATE")};
    Statement transaction_id{"SELECT pg_current_xact_id()"};
    // Of a session that goes on, and if no name of the ask is taken.
    Statement insert_ask{R"sql(
        INSERT INTO asks(id, session, state, created_ms, deadline_ms, key, call_id, spec, asker)
        SELECT $1, $2, 0, $3, $4, $5, $6, $7, $8
        FROM sessions WHERE id = $2 AND ended_ms IS NULL
        ON CONFLICT DO NOTHING)sql"};
    Statement settle_ask{fmt::format(kSettleAsk, "", stored::kAskColumns, "")};
    Statement settle_ask_while{fmt::format(kSettleAsk, fmt::format(" AND {}", kMarkHolds),
                                           stored::kAskColumns, fmt::format(", {}", kMarkHolds))};
    Statement blank_ask{"UPDATE asks SET spec = $2, settlement = $3 WHERE id = $1"};
    Statement is_live{"SELECT 1 FROM sessions WHERE id = $1 AND ended_ms IS NULL"};
    Statement insert_message{R"sql(
        WITH l AS (SELECT taken FROM sessions WHERE id = $2 AND ended_ms IS NULL),
             later AS (SELECT 1 FROM l WHERE taken > $1 OR EXISTS
                       (SELECT FROM messages WHERE session = $2 AND id > $1 AND NOT is_taken)),
             i AS (INSERT INTO messages(id, session, at_ms, record)
                   SELECT $1, $2, $3, $4 FROM l WHERE NOT EXISTS (SELECT FROM later)
                   ON CONFLICT DO NOTHING RETURNING 1)
        SELECT (SELECT count(*) FROM i), (SELECT count(*) FROM l),
               (SELECT count(*) FROM messages WHERE id = $1))sql"};
    Statement take_messages{R"sql(
        WITH l AS (SELECT 1 FROM sessions WHERE id = $1 AND ended_ms IS NULL),
             m AS (UPDATE messages SET is_taken = true
                   WHERE session = $1 AND id <= $2 AND NOT is_taken AND EXISTS (SELECT FROM l)
                   RETURNING 1),
             s AS (UPDATE sessions SET taken = $2
                   WHERE id = $1 AND ended_ms IS NULL AND (taken IS NULL OR taken < $2)
                   RETURNING 1)
        SELECT (SELECT count(*) FROM m) + (SELECT count(*) FROM s),
               (SELECT count(*) FROM l))sql"};
    Statement insert_session{
        "INSERT INTO sessions(id, name, record) VALUES($1, $2, $3) ON CONFLICT DO NOTHING"};
    Statement update_session{"UPDATE sessions SET record = $2 WHERE id = $1"};
    Statement end_session{"UPDATE sessions SET ended_ms = $2, record = $3 WHERE id = $1"};
    Statement pending_session{"SELECT session FROM asks WHERE id = $1 AND state + 0 = 0"};
    Statement draft{"SELECT record FROM drafts WHERE ask = $1 AND principal = $2"};
    Statement put_draft{
        "INSERT INTO drafts VALUES($1, $2, $3) ON CONFLICT (ask, principal) DO UPDATE "
        "SET record = excluded.record"};
    Statement snooze{"SELECT until_ms FROM snoozes WHERE ask = $1 AND principal = $2"};
    Statement put_snooze{
        "INSERT INTO snoozes VALUES($1, $2, $3) ON CONFLICT (ask, principal) DO UPDATE "
        "SET until_ms = excluded.until_ms"};
    Statement drop_snooze{"DELETE FROM snoozes WHERE ask = $1 AND principal = $2"};
    Statement insert_token{"INSERT INTO tokens VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"};
    Statement person_taken{
        "SELECT 1 FROM tokens WHERE person = $1 AND person <> '' AND principal <> $2 LIMIT 1"};
    Statement tokens_of{"SELECT name, person FROM tokens WHERE principal = $1 ORDER BY name"};
    Statement name_person{"UPDATE tokens SET person = $2 WHERE name = $1"};
    Statement touch_token{
        "UPDATE tokens SET used_ms = $2 WHERE name = $1 AND coalesce(used_ms, -1) < $2"};
    Statement drop_token{"DELETE FROM tokens WHERE name = $1"};
    Statement put_mark{
        "INSERT INTO marks VALUES($1, $2, $3, $4) ON CONFLICT (key) DO UPDATE "
        "SET value = excluded.value, at_ms = excluded.at_ms, expires_ms = excluded.expires_ms"};
    Statement drop_mark{"DELETE FROM marks WHERE key = $1"};
    Statement drop_drafts_and_snoozes{
        "WITH d AS (DELETE FROM drafts WHERE ask = ANY($1)) "
        "DELETE FROM snoozes WHERE ask = ANY($1)"};
    // The place of an event in the order of all is taken here, as the last thing before the
    // commit: whoever else wants one waits until then. Another format than ours has no row to
    // update, and the division fails the transaction. The other nodes are told how far it goes.
    Statement publish{R"sql(
        WITH c AS (UPDATE state SET head = head + $1 WHERE format = $7 RETURNING head),
             e AS (SELECT c.head - $1 + u.n AS cursor, u.type, u.at_ms, u.session, u.subject, u.doc
                   FROM c, unnest($2, $3, $4, $5, $6) WITH ORDINALITY
                   AS u(type, at_ms, session, subject, doc, n)),
             i AS (INSERT INTO events SELECT cursor, type, at_ms, session, subject, doc FROM e),
             s AS (INSERT INTO settled SELECT cursor, subject FROM e WHERE type = 2)
        SELECT h.head, set_config('parley.head', h.head::text, false),
               pg_notify('parley', h.head::text)
        FROM (SELECT coalesce((SELECT head FROM c), 1 / (SELECT count(*) FROM c)) AS head) h)sql"};
    // Up to our own events, wherever the store has got to since.
    Statement others{select_events(
        fmt::format("e.cursor > $1 AND e.cursor <= current_setting('parley.head')::bigint - $2 "
                    "ORDER BY e.cursor LIMIT {}",
                    limits::kFeedAtOnce))};
    Statement next{select_events(fmt::format(
        "e.cursor > $1 AND e.cursor <= $2 ORDER BY e.cursor LIMIT {}", limits::kFeedAtOnce))};
    Statement newest{select_events(
        fmt::format("e.cursor > $1 ORDER BY e.cursor LIMIT {}", limits::kFeedAtOnce))};
};

}  // namespace parley::postgres
