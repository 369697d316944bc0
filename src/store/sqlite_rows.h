// SPDX-License-Identifier: Apache-2.0
// Rows of a SQLite store as values: asks, sessions, events. Internal to the SQLite engine.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/result.h"
#include "core/event.h"
#include "parley/values.h"
#include "store/sqlite_db.h"

namespace parley::sqlite {

// The columns of an ask, the same and first in every query that reads one.
inline constexpr std::string_view kAskColumns =
    "a.id, a.session, a.created_ms, a.deadline_ms, a.spec, a.settlement";
// What follows them in a query for events.
inline constexpr std::string_view kEventColumns =
    "e.cursor, e.type, e.at_ms, e.session, e.ask, e.doc, coalesce(s.record, m.record, d.record)";

inline std::string select_sessions(std::string_view rest) {
    return fmt::format("SELECT id, record FROM sessions {}", rest);
}

inline std::string select_tokens(std::string_view rest) {
    return fmt::format(
        "SELECT name, role, hash, created_ms, expires_ms, principal, person, device, used_ms, "
        "session FROM tokens {}",
        rest);
}

[[nodiscard]] Result<AskPtr> read_ask(const Rows& rows);
[[nodiscard]] Result<SessionPtr> read_session(const Rows& rows);
[[nodiscard]] Result<EventPtr> read_event(const Rows& rows);

}  // namespace parley::sqlite
