// SPDX-License-Identifier: Apache-2.0
// Rows of a SQLite store as values: what stored_rows.h knows, here. Internal to the SQLite engine.
#pragma once

#include <string_view>

#include "store/sqlite_db.h"
#include "store/stored_rows.h"

namespace parley::sqlite {

using stored::check_sessions_of_asks;
using stored::damaged;
using stored::kAskColumns;
using stored::read_ask;
using stored::read_event;
using stored::read_instant;
using stored::read_mark;
using stored::read_session;
using stored::read_token;
using stored::RowName;
using stored::select_marks;
using stored::select_sessions;
using stored::select_tokens;
using stored::share;

// What follows the columns of an ask in a query for events.
inline constexpr std::string_view kEventColumns =
    "e.cursor, e.type, e.at_ms, e.session, e.ask, e.doc, coalesce(s.record, m.record, d.record)";

}  // namespace parley::sqlite
