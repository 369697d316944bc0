// SPDX-License-Identifier: Apache-2.0
// What must hold between the rows of a store, as questions to its database: each gives the rows
// for which it does not.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "parley/values.h"
#include "store/archive/faults.h"

namespace parley {

struct ArchiveRule {
    enum class Subject : std::uint8_t { ask, session, message, event };

    Subject subject;       // what the first column names
    std::string_view sql;  // {0} is the column of events that names asks
    std::string_view what;
};

using Subject = ArchiveRule::Subject;

// Of every engine.
inline constexpr std::array kArchiveRules = {
    ArchiveRule{Subject::ask,
                "SELECT a.id FROM asks a WHERE NOT EXISTS "
                "(SELECT 1 FROM sessions s WHERE s.id = a.session)",
                "its session is not there"},
    ArchiveRule{Subject::ask,
                "SELECT a.id FROM asks a JOIN sessions s ON s.id = a.session "
                "WHERE a.state = 0 AND s.ended_ms IS NOT NULL",
                "it is pending in a session that has ended"},
    ArchiveRule{Subject::ask,
                "SELECT a.id FROM asks a WHERE (a.state = 0) <> (a.settlement IS NULL)",
                "its state and its settlement disagree"},
    ArchiveRule{Subject::ask,
                "SELECT e.{0} FROM events e WHERE e.type = 2 GROUP BY e.{0} HAVING count(*) > 1",
                "two events tell of its settlement"},
    ArchiveRule{Subject::message,
                "SELECT m.id FROM messages m WHERE NOT EXISTS "
                "(SELECT 1 FROM sessions s WHERE s.id = m.session)",
                "its session is not there"},
    ArchiveRule{Subject::ask,
                "SELECT d.ask FROM drafts d WHERE NOT EXISTS "
                "(SELECT 1 FROM asks a WHERE a.id = d.ask AND a.state = 0)",
                "somebody has a draft for it, and it is not pending"},
    ArchiveRule{Subject::ask,
                "SELECT n.ask FROM snoozes n WHERE NOT EXISTS "
                "(SELECT 1 FROM asks a WHERE a.id = n.ask AND a.state = 0)",
                "somebody put it off, and it is not pending"},
    ArchiveRule{Subject::event,
                "SELECT e.cursor FROM events e WHERE e.type IN (1, 2) AND NOT EXISTS "
                "(SELECT 1 FROM asks a WHERE a.id = e.{0})",
                "its ask is not there"},
    ArchiveRule{Subject::event,
                "SELECT e.cursor FROM (SELECT cursor, lag(cursor) OVER (ORDER BY cursor) AS before "
                "FROM events) e WHERE e.cursor <> e.before + 1",
                "the event before it is missing"},
};

// Tells of the row in hand.
template <class Rows>
void add_fault(ArchiveFaults& faults, const ArchiveRule& rule, const Rows& rows) {
    std::string subject;
    switch (rule.subject) {
        case Subject::ask: subject = "ask " + rows.template id<AskId>(0).str(); break;
        case Subject::session: subject = "session " + rows.template id<SessionId>(0).str(); break;
        case Subject::message: subject = "message " + rows.template id<MessageId>(0).str(); break;
        case Subject::event: subject = fmt::format("event {}", rows.number(0)); break;
    }
    faults.add(rule.sql, fmt::format("{}: {}", subject, rule.what));
}

}  // namespace parley
