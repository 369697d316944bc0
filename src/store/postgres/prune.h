// SPDX-License-Identifier: Apache-2.0
// Takes away what was over long ago (store/retention.h), a little at a time, in a transaction each,
// one node after the other: what another took is not there any more. Internal to the PostgreSQL
// engine.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "base/result.h"
#include "store/postgres/connection.h"
#include "store/postgres/reader.h"
#include "store/retention.h"

namespace parley::postgres {

// When an ask was settled, as a text: taken from its record by its place, since the server's JSON
// refuses a text with a zero character, which an answer may have. Where no text of an answer is, a
// quotation mark is no part of one: those have a backslash before them, or two once the record is
// ASCII, as it must be where the database has not the characters that people write.
inline constexpr std::string_view kSettledAt =
    R"sql(substring(encode(a.settlement, 'escape') from '"at":"([^"]*)"'))sql";

// Events go with the place that says from where on they are kept, and no node of another version
// takes any away.
inline constexpr const char* kDropEvents =
    "WITH s AS (UPDATE state SET oldest = $1 WHERE oldest < $1 AND format = $2 RETURNING 1) "
    "DELETE FROM events WHERE cursor <= $1 AND EXISTS (SELECT FROM s)";

class Pruning {
public:
    // Both must outlive it.
    Pruning(Connection& connection, Reader& reader) : connection_(connection), reader_(reader) {}

    [[nodiscard]] Result<Pruned> prune(const Retention& before);
    [[nodiscard]] Result<Pruned> count(const Retention& before);

private:
    [[nodiscard]] Result<Pruned> prune_slice(const Retention& before);
    [[nodiscard]] Result<std::uint64_t> prune_events(Instant before);
    [[nodiscard]] Result<std::uint64_t> prune_asks(Instant before);
    [[nodiscard]] Result<void> prune_messages(const Retention& before, Pruned& done);
    [[nodiscard]] Result<void> prune_sessions(const Retention& before, Pruned& done);
    [[nodiscard]] Result<std::uint64_t> count_rows(Statement& statement,
                                                   std::optional<Instant> cut);
    void start_over();

    Connection& connection_;
    Reader& reader_;
    bool has_seen_messages_ = false;
    MessageId last_message_;
    SessionId last_session_;

    Statement begin_{"BEGIN"};
    Statement commit_{"COMMIT"};
    // Held until the commit: who waits for it does so for one slice of another node's.
    Statement lock_{"SELECT pg_advisory_xact_lock(1349676153, 2)"};
    Statement format_{"SELECT format FROM state"};
    Statement first_kept_{
        "SELECT min(cursor) FROM events WHERE cursor > $1 AND cursor <= $2 AND at_ms >= $3"};
    Statement drop_events_{kDropEvents};
    // In the order of their settlements. The newest of each kind stays: new ids go on above it.
    Statement drop_asks_{fmt::format(R"sql(
        WITH old AS (SELECT t.cursor, t.ask FROM
                 (SELECT * FROM settled WHERE cursor <= (SELECT oldest FROM state)
                  ORDER BY cursor LIMIT $1) t JOIN asks a ON a.id = t.ask
                 WHERE {} < convert_from($2, 'UTF8')
                 AND a.id < (SELECT id FROM asks ORDER BY id DESC LIMIT 1)),
             s AS (DELETE FROM settled WHERE cursor IN (SELECT cursor FROM old))
        DELETE FROM asks WHERE id IN (SELECT ask FROM old))sql",
                                     kSettledAt)};
    Statement messages_{"SELECT id FROM messages WHERE id > $1 ORDER BY id LIMIT $2"};
    Statement drop_messages_{R"sql(
        DELETE FROM messages m USING sessions s WHERE m.id = ANY($1) AND s.id = m.session
        AND m.at_ms < $2 AND (m.is_taken OR s.ended_ms IS NOT NULL)
        AND m.id < (SELECT id FROM messages ORDER BY id DESC LIMIT 1)
        AND NOT EXISTS (SELECT FROM events e WHERE e.session = m.session AND e.type = 8
                        AND e.subject = m.id))sql"};
    Statement sessions_{
        "SELECT id FROM sessions WHERE ended_ms IS NOT NULL AND id > $1 ORDER BY id LIMIT $2"};
    Statement drop_sessions_{R"sql(
        DELETE FROM sessions s WHERE s.id = ANY($1) AND s.ended_ms < $2
        AND s.id < (SELECT id FROM sessions ORDER BY id DESC LIMIT 1)
        AND NOT EXISTS (SELECT FROM asks a WHERE a.session = s.id)
        AND NOT EXISTS (SELECT FROM messages m WHERE m.session = s.id)
        AND NOT EXISTS (SELECT FROM events e WHERE e.session = s.id))sql"};

    Statement count_events_{
        "SELECT count(*) FROM events WHERE cursor < least((SELECT head FROM state), "
        "(SELECT min(cursor) FROM events WHERE at_ms >= $1))"};
    Statement count_asks_{
        fmt::format("SELECT count(*) FROM asks a WHERE state > 0 AND {} < convert_from($1, 'UTF8') "
                    "AND id < (SELECT id FROM asks ORDER BY id DESC LIMIT 1)",
                    kSettledAt)};
    Statement count_messages_{
        "SELECT count(*) FROM messages m JOIN sessions s ON s.id = m.session WHERE m.at_ms < $1 "
        "AND (m.is_taken OR s.ended_ms IS NOT NULL) "
        "AND m.id < (SELECT id FROM messages ORDER BY id DESC LIMIT 1)"};
    // Of which nothing will be left: $2 is the end of asks, as a text, and $3 that of messages.
    Statement count_sessions_{fmt::format(R"sql(
        SELECT count(*) FROM sessions s WHERE s.ended_ms < $1
        AND s.id < (SELECT id FROM sessions ORDER BY id DESC LIMIT 1)
        AND NOT EXISTS (SELECT FROM asks a WHERE a.session = s.id AND
            ({} < convert_from($2, 'UTF8')) IS NOT TRUE)
        AND NOT EXISTS (SELECT FROM messages m WHERE m.session = s.id AND m.at_ms >= $3))sql",
                                          kSettledAt)};
};

}  // namespace parley::postgres
