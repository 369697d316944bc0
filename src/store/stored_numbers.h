// SPDX-License-Identifier: Apache-2.0
// The numbers by which stores on disk know types and states: part of their formats
// (docs/formats), the same for SQLite and PostgreSQL, and never changed.
#pragma once

#include <cstdint>

#include "core/event.h"
#include "core/token.h"
#include "parley/values.h"

namespace parley::stored {

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
    mark_changed = 14,
    content_deleted = 15,
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

}  // namespace parley::stored
