// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_schema.h"

#include <array>
#include <string>

#include "base/sizes.h"
#include "store/engine.h"

namespace parley::sqlite {

namespace {

// "Prly", so that `file` and our own check know whose database this is.
constexpr std::int64_t kApplicationId = 0x50726c79;

constexpr const char* kFirstSchema = R"sql(
CREATE TABLE meta(
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions(
    opened INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    name TEXT,
    ended_ms INTEGER,
    taken BLOB,
    record TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX sessions_name ON sessions(name) WHERE name IS NOT NULL AND ended_ms IS NULL;
CREATE INDEX sessions_live ON sessions(id) WHERE ended_ms IS NULL;

CREATE TABLE asks(
    opened INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    session BLOB NOT NULL,
    state INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    deadline_ms INTEGER,
    key TEXT,
    call_id TEXT,
    settled INTEGER,
    settlement TEXT,
    spec TEXT NOT NULL
) STRICT;
CREATE INDEX asks_state ON asks(state, id);
CREATE INDEX asks_session ON asks(session, id);
CREATE UNIQUE INDEX asks_key ON asks(session, key) WHERE key IS NOT NULL;
CREATE UNIQUE INDEX asks_call ON asks(session, call_id) WHERE call_id IS NOT NULL;

CREATE TABLE events(
    cursor INTEGER PRIMARY KEY,
    type INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    session BLOB,
    ask BLOB,
    doc TEXT
) STRICT;

CREATE TABLE messages(
    added INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    session BLOB NOT NULL,
    at_ms INTEGER NOT NULL,
    record TEXT NOT NULL
) STRICT;
CREATE INDEX messages_session ON messages(session, id);

CREATE TABLE drafts(
    ask BLOB NOT NULL,
    principal TEXT NOT NULL,
    answers TEXT NOT NULL,
    PRIMARY KEY(ask, principal)
) STRICT, WITHOUT ROWID;

CREATE TABLE snoozes(
    ask BLOB NOT NULL,
    principal TEXT NOT NULL,
    until_ms INTEGER NOT NULL,
    PRIMARY KEY(ask, principal)
) STRICT, WITHOUT ROWID;

CREATE TABLE tokens(
    name TEXT PRIMARY KEY,
    role INTEGER NOT NULL,
    hash TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    expires_ms INTEGER
) STRICT, WITHOUT ROWID;
)sql";

// Asks are filed by the engine (sqlite_filing.h) instead of by indexes.
constexpr const char* kFiledAsks = R"sql(
CREATE TABLE filed_by_session(
    session BLOB NOT NULL,
    ask BLOB NOT NULL,
    PRIMARY KEY(session, ask)
) STRICT, WITHOUT ROWID;
INSERT INTO filed_by_session SELECT session, id FROM asks ORDER BY session, id;

CREATE TABLE filed_by_state(
    state INTEGER NOT NULL,
    ask BLOB NOT NULL,
    PRIMARY KEY(state, ask)
) STRICT, WITHOUT ROWID;
INSERT INTO filed_by_state SELECT state, id FROM asks WHERE state > 0 ORDER BY state, id;

INSERT INTO meta SELECT 'filed', coalesce(max(cursor), 0) FROM events;
DROP INDEX asks_session;
DROP INDEX asks_state;
CREATE INDEX asks_pending ON asks(id) WHERE state = 0;
CREATE INDEX asks_pending_session ON asks(session, id) WHERE state = 0;
)sql";

// Pending asks are filed as well, once they have been pending for a while.
constexpr const char* kFiledPending = R"sql(
CREATE TABLE filed_pending_by_session(
    session BLOB NOT NULL,
    ask BLOB NOT NULL,
    PRIMARY KEY(session, ask)
) STRICT, WITHOUT ROWID;
INSERT INTO filed_pending_by_session SELECT session, id FROM asks WHERE state = 0
    AND opened <= (SELECT value FROM meta WHERE name = 'filed') ORDER BY session, id;
INSERT INTO filed_by_state SELECT 0, id FROM asks WHERE state = 0
    AND opened <= (SELECT value FROM meta WHERE name = 'filed') ORDER BY id;
DROP INDEX asks_pending_session;
DROP INDEX asks_pending;
)sql";

// Tokens belong to principals, and drafts have versions. A browser that came by a link was nobody
// in particular: each becomes a person of its own, whose name is asked for. One that came by a
// token acts for that token's principal, as before. What `by` claimed was kept as the decider's
// name.
constexpr const char* kPersons = R"sql(
ALTER TABLE tokens ADD COLUMN principal TEXT NOT NULL DEFAULT '';
ALTER TABLE tokens ADD COLUMN person TEXT NOT NULL DEFAULT '';
ALTER TABLE tokens ADD COLUMN device TEXT NOT NULL DEFAULT '';
ALTER TABLE tokens ADD COLUMN used_ms INTEGER;
UPDATE tokens SET principal = name, person = name;
UPDATE tokens SET person = '' WHERE name LIKE 'browser:%';
UPDATE tokens SET principal = substr(name, instr(name, '@') + 1),
                  person = substr(name, instr(name, '@') + 1) WHERE name LIKE 'browser:%@%';

ALTER TABLE drafts RENAME COLUMN answers TO record;

UPDATE asks SET settlement = json_set(settlement,
        '$.decider.claimed', json_extract(settlement, '$.decider.name'),
        '$.decider.name', json_extract(settlement, '$.decider.principal'))
    WHERE state > 0 AND json_extract(settlement, '$.decider.name') IS NOT NULL
    AND json_extract(settlement, '$.decider.kind') <> 'rule';
UPDATE messages SET record = json_set(record,
        '$.by.claimed', json_extract(record, '$.by.name'),
        '$.by.name', json_extract(record, '$.by.principal'))
    WHERE json_extract(record, '$.by.name') IS NOT NULL;
)sql";

// A token may be made for one session.
constexpr const char* kSessionTokens = R"sql(
ALTER TABLE tokens ADD COLUMN session BLOB;
)sql";

// Snoozes and tokens have events of their own; what stood before has none, and a snapshot holds it.
// Events are filed by session, and asks by asker and by settlement. Asks of before have their
// asker in the spec alone.
constexpr const char* kRemembered = R"sql(
CREATE TABLE filed_events(
    session BLOB NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY(session, first)
) STRICT, WITHOUT ROWID;
INSERT INTO filed_events SELECT session, min(cursor), max(cursor) FROM events
    WHERE session IS NOT NULL AND cursor <= (SELECT value FROM meta WHERE name = 'filed')
    GROUP BY session, cursor / 1024;

CREATE TABLE filed_settled(
    settled INTEGER PRIMARY KEY,
    ask BLOB NOT NULL
) STRICT;
INSERT INTO filed_settled SELECT settled, id FROM asks WHERE state > 0
    AND settled <= (SELECT value FROM meta WHERE name = 'filed') ORDER BY settled;

ALTER TABLE asks ADD COLUMN asker TEXT;
UPDATE asks SET asker = nullif(json_extract(spec, '$.asker'), '')
    WHERE opened > (SELECT value FROM meta WHERE name = 'filed');
CREATE TABLE filed_by_asker(
    asker TEXT NOT NULL,
    ask BLOB NOT NULL,
    PRIMARY KEY(asker, ask)
) STRICT, WITHOUT ROWID;
INSERT INTO filed_by_asker SELECT json_extract(spec, '$.asker'), id FROM asks
    WHERE opened <= (SELECT value FROM meta WHERE name = 'filed')
    AND json_extract(spec, '$.asker') <> '' ORDER BY 1, 2;

CREATE INDEX sessions_ended ON sessions(id) WHERE ended_ms IS NOT NULL;
)sql";

// What nodes on one store keep for each other; here, a broker for its next run.
constexpr const char* kMarks = R"sql(
CREATE TABLE marks(
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    expires_ms INTEGER
) STRICT, WITHOUT ROWID;
)sql";

// kSteps[n] leads from version n to n + 1. A step that was released is never edited.
constexpr std::array kSteps = {kFirstSchema,   kFiledAsks,  kFiledPending, kPersons,
                               kSessionTokens, kRemembered, kMarks};

Result<void> run_step(Connection& connection, std::size_t from) {
    CHECK_OK(connection.exec("BEGIN IMMEDIATE"));
    CHECK_OK(connection.exec(kSteps[from]));
    const std::string stamp =
        fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", kApplicationId, from + 1);
    CHECK_OK(connection.exec(stamp.c_str()));
    return connection.exec("COMMIT");
}

}  // namespace

int schema_version() {
    return static_cast<int>(kSteps.size());
}

Result<void> check_owner(Connection& connection, const std::string& path) {
    TRY(application, connection.ask_number("PRAGMA application_id"));
    TRY(version, connection.ask_number("PRAGMA user_version"));
    TRY(tables, connection.ask_number("SELECT count(*) FROM sqlite_schema"));
    const bool is_new = application == 0 && version == 0 && tables == 0;
    if (is_new) return {};
    if (application != kApplicationId) {
        return reject(ErrorCode::unsupported,
                      "{} is a SQLite database of another program. To fix it: name another path",
                      path);
    }
    if (version > schema_version()) {
        return reject(
            ErrorCode::unsupported,
            "the store {} has format {}, and this program knows only formats up to {}. To "
            "fix it: run the newer version of Parley that wrote it, or name another path",
            path, version, schema_version());
    }
    return {};
}

// The order matters: without the exclusive mode first, the log would come with a file of shared
// memory, and another process could write beside us.
Result<void> configure(Connection& connection, const std::string& path, std::size_t cache_bytes) {
    CHECK_OK(connection.exec("PRAGMA locking_mode=EXCLUSIVE"));
    CHECK_OK(check_owner(connection, path));
    TRY(mode, connection.ask_text("PRAGMA journal_mode=WAL"));
    if (mode != "wal" || connection.is_read_only()) {
        return reject(ErrorCode::unavailable,
                      "the store {} cannot be written to. To fix it: make the file and its folder "
                      "writable for this user",
                      path);
    }
    CHECK_OK(connection.exec("PRAGMA synchronous=FULL"));
    CHECK_OK(connection.exec("PRAGMA temp_store=MEMORY"));
    CHECK_OK(connection.exec("PRAGMA secure_delete=FAST"));
    const std::string cache = fmt::format("PRAGMA cache_size=-{}", cache_bytes / limits::kKiB);
    return connection.exec(cache.c_str());
}

Result<void> bring_up_to_date(Connection& connection, Instant now) {
    TRY(version, connection.ask_number("PRAGMA user_version"));
    for (auto from = static_cast<std::size_t>(version); from < kSteps.size(); ++from)
        CHECK_OK(run_step(connection, from));
    const std::string birth =
        fmt::format("INSERT OR IGNORE INTO meta VALUES('origin', {})", first_cursor(now).value);
    return connection.exec(birth.c_str());
}

}  // namespace parley::sqlite
