// SPDX-License-Identifier: Apache-2.0
// The tables of a SQLite store and how older ones are brought up to date. The format is described
// for other programs in docs/formats/sqlite.md; the numbers here are part of it and never change.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "core/event.h"
#include "core/token.h"
#include "parley/values.h"
#include "store/sqlite_db.h"

namespace parley::sqlite {

// events.type
enum class EventType : std::uint8_t {
    ask_opened = 1,
    ask_settled = 2,
    draft_changed = 3,
    session_created = 4,
    session_changed = 5,
    session_ended = 6,
    part_added = 7,
    message_added = 8,
    messages_taken = 9,
    notice_given = 10,
    snooze_changed = 11,
    token_changed = 12,
    agent_revoked = 13,
};

// asks.state
static_assert(static_cast<int>(AskState::pending) == 0);
static_assert(static_cast<int>(AskState::answered) == 1);
static_assert(static_cast<int>(AskState::dismissed) == 2);
static_assert(static_cast<int>(AskState::timed_out) == 3);
static_assert(static_cast<int>(AskState::withdrawn) == 4);
static_assert(static_cast<int>(Outcome::answered) == 0);
static_assert(static_cast<int>(Outcome::dismissed) == 1);
static_assert(static_cast<int>(Outcome::timed_out) == 2);
static_assert(static_cast<int>(Outcome::withdrawn) == 3);
inline int state_after(Outcome outcome) {
    return static_cast<int>(outcome) + 1;
}

// tokens.role
static_assert(static_cast<int>(Role::agent) == 0);
static_assert(static_cast<int>(Role::responder) == 1);
static_assert(static_cast<int>(Role::owner) == 2);

// PRAGMA user_version of what this program writes.
int schema_version();

// Makes the tables of a new database, or runs the steps that an older one lacks, each in a
// transaction of its own. Refuses a newer one (`unsupported`) and a database of another program,
// and then changes nothing. `now` becomes the birth of a new store.
[[nodiscard]] Result<void> check_owner(Connection& connection, const std::string& path);
[[nodiscard]] Result<void> bring_up_to_date(Connection& connection, Instant now);

}  // namespace parley::sqlite
