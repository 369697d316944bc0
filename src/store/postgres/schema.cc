// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/schema.h"

#include <fmt/format.h>

#include <array>
#include <span>

#include "store/engine.h"

namespace parley::postgres {

namespace {

// "Prly": the lock that one node holds while it changes tables.
constexpr std::int64_t kSchemaLock = 0x50726c79;

// One statement each. The row of `state` is written at every commit: with room beside it in its
// page, no index and no other page has to be.
constexpr std::array kFirstSchema = {
    R"sql(CREATE TABLE state(
        one boolean PRIMARY KEY DEFAULT true CHECK (one),
        format bigint NOT NULL,
        head bigint NOT NULL,
        oldest bigint NOT NULL
    ) WITH (fillfactor = 10))sql",
    R"sql(CREATE TABLE sessions(
        id uuid PRIMARY KEY,
        name bytea,
        ended_ms bigint,
        taken uuid,
        record bytea NOT NULL
    ))sql",
    "CREATE UNIQUE INDEX sessions_name ON sessions(name) WHERE name IS NOT NULL AND ended_ms IS "
    "NULL",
    "CREATE INDEX sessions_live ON sessions(id) WHERE ended_ms IS NULL",
    "CREATE INDEX sessions_ended ON sessions(id) WHERE ended_ms IS NOT NULL",
    R"sql(CREATE TABLE asks(
        id uuid PRIMARY KEY,
        session uuid NOT NULL,
        state smallint NOT NULL,
        created_ms bigint NOT NULL,
        deadline_ms bigint,
        key bytea,
        call_id bytea,
        asker bytea,
        settlement bytea,
        spec bytea NOT NULL
    ))sql",
    "CREATE INDEX asks_state ON asks(state, id)",
    "CREATE INDEX asks_session ON asks(session, id)",
    "CREATE INDEX asks_pending_session ON asks(session, id) WHERE state = 0",
    "CREATE INDEX asks_asker ON asks(asker, id) WHERE asker IS NOT NULL",
    "CREATE UNIQUE INDEX asks_key ON asks(session, key) WHERE key IS NOT NULL",
    "CREATE UNIQUE INDEX asks_call ON asks(session, call_id) WHERE call_id IS NOT NULL",
    R"sql(CREATE TABLE events(
        cursor bigint PRIMARY KEY,
        type smallint NOT NULL,
        at_ms bigint NOT NULL,
        session uuid,
        subject uuid,
        doc bytea
    ))sql",
    "CREATE INDEX events_session ON events(session, cursor) WHERE session IS NOT NULL",
    "CREATE TABLE settled(cursor bigint PRIMARY KEY, ask uuid NOT NULL UNIQUE)",
    R"sql(CREATE TABLE messages(
        id uuid PRIMARY KEY,
        session uuid NOT NULL,
        at_ms bigint NOT NULL,
        is_taken boolean NOT NULL DEFAULT false,
        record bytea NOT NULL
    ))sql",
    "CREATE INDEX messages_waiting ON messages(session, id) WHERE NOT is_taken",
    R"sql(CREATE TABLE drafts(
        ask uuid NOT NULL,
        principal bytea NOT NULL,
        record bytea NOT NULL,
        PRIMARY KEY(ask, principal)
    ))sql",
    R"sql(CREATE TABLE snoozes(
        ask uuid NOT NULL,
        principal bytea NOT NULL,
        until_ms bigint NOT NULL,
        PRIMARY KEY(ask, principal)
    ))sql",
    R"sql(CREATE TABLE tokens(
        name bytea PRIMARY KEY,
        role smallint NOT NULL,
        hash bytea NOT NULL,
        created_ms bigint NOT NULL,
        expires_ms bigint,
        principal bytea NOT NULL,
        person bytea NOT NULL,
        device bytea NOT NULL,
        used_ms bigint,
        session uuid
    ))sql",
};

// What the nodes keep for each other.
constexpr std::array kMarks = {
    R"sql(CREATE TABLE marks(
        key bytea PRIMARY KEY,
        value bytea NOT NULL,
        at_ms bigint NOT NULL,
        expires_ms bigint
    ))sql",
};

// kSteps[n] leads from version n to n + 1. A step that was released is never edited.
using Step = std::span<const char* const>;
const std::array kSteps = {Step(kFirstSchema), Step(kMarks)};

// 0 where there are no tables yet. Asked of the catalogue itself: to_regclass() may answer out of a
// memory that is older than the lock.
Result<std::int64_t> read_format(Connection& connection) {
    TRY(table, connection.run_once("SELECT 1 FROM pg_tables WHERE schemaname = 'parley' AND "
                                   "tablename = 'state'"));
    if (table.count() == 0) return 0;
    TRY(format, connection.run_once("SELECT format FROM parley.state"));
    return format.next() ? format.number(0) : 0;
}

Result<void> run_steps(Connection& connection, std::size_t from, Instant now) {
    TRY(schema, connection.run_once("SELECT 1 FROM pg_namespace WHERE nspname = 'parley'"));
    if (schema.count() == 0) CHECK_OK(connection.run_once("CREATE SCHEMA parley"));
    for (std::size_t step = from; step < kSteps.size(); ++step)
        for (const char* statement : kSteps[step]) CHECK_OK(connection.run_once(statement));
    const std::uint64_t birth = first_cursor(now).value;
    const std::string stamp =
        from == 0 ? fmt::format("INSERT INTO state(format, head, oldest) VALUES({}, {}, {})",
                                kSteps.size(), birth, birth)
                  : fmt::format("UPDATE state SET format = {}", kSteps.size());
    CHECK_OK(connection.run_once(stamp));
    return {};
}

}  // namespace

int schema_version() {
    return static_cast<int>(kSteps.size());
}

Rejection refuse_format(std::int64_t format) {
    return reject(ErrorCode::unsupported,
                  "the store has format {}, and this program knows only formats up to {}. To fix "
                  "it: run the newer version of Parley that wrote it, or name another database",
                  format, schema_version());
}

Result<bool> has_store(Connection& connection) {
    TRY(format, read_format(connection));
    return format > 0;
}

Result<void> check_format(Connection& connection) {
    TRY(format, read_format(connection));
    if (format > schema_version()) return refuse_format(format);
    if (format == 0 || format == schema_version()) return {};
    return reject(ErrorCode::unsupported,
                  "the store has format {}, and this program writes format {}: nodes of an older "
                  "version may be using it, so it is left as it is. To fix it: use the program of "
                  "that version, or bring the store up to date by starting a node of this one "
                  "(`parley serve --store …`)",
                  format, schema_version());
}

Result<void> bring_up_to_date(Connection& connection, Instant now) {
    TRY(format, read_format(connection));
    if (format == schema_version()) return {};
    if (format > schema_version()) return refuse_format(format);
    CHECK_OK(connection.run_once("BEGIN"));
    CHECK_OK(connection.run_once(fmt::format("SELECT pg_advisory_xact_lock({})", kSchemaLock)));
    // Another node may have done it meanwhile.
    TRY(standing, read_format(connection));
    if (standing > schema_version()) return refuse_format(standing);
    if (standing < schema_version())
        CHECK_OK(run_steps(connection, static_cast<std::size_t>(standing), now));
    CHECK_OK(connection.run_once("COMMIT"));
    return {};
}

}  // namespace parley::postgres
