// SPDX-License-Identifier: Apache-2.0
// Where asks are found by their session, state, asker and settlement, and events by their session.
// An index of SQLite would write a page for nearly every one, since those of many sessions lie far
// apart in it; so they are filed later, many at once, and as pending only those that still are by
// then. The newest asks and events tell of those that are not filed yet. Internal to the SQLite
// engine.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>

#include "base/result.h"
#include "core/event.h"
#include "store/engine.h"
#include "store/sqlite_db.h"

namespace parley::sqlite {

class Filing {
public:
    // The connection must outlive it.
    [[nodiscard]] static Result<Filing> open(const Connection& connection,
                                             std::size_t events_at_once);

    // What becomes of an ask, in the transaction that stores it.
    void on_opened(AskId ask) { unfiled_.insert(ask); }
    [[nodiscard]] Result<void> on_settled(SessionId session, AskId ask);
    // An event of a session, likewise, in the order of the cursors.
    void on_event(SessionId session, Cursor cursor);

    // Files what came after filed() if that is enough by now. Belongs into the transaction that
    // writes `head`.
    [[nodiscard]] Result<void> keep_up_with(Cursor head);
    // The same, however little it is.
    [[nodiscard]] Result<void> file_up_to(Cursor head);
    // Before these events are dropped, which were filed, and in the same transaction.
    [[nodiscard]] Result<void> forget_events(Cursor up_to);

    // The last event that was filed: up to it they are no longer needed here.
    Cursor filed() const { return filed_; }

private:
    Filing(const Connection& connection, Cursor filed, std::size_t events_at_once);

    struct Range {
        Cursor first;
        Cursor last;
    };

    Cursor filed_;
    std::size_t events_at_once_;
    // Pending asks that came after filed_: they are in no file yet, and most are settled before.
    std::unordered_set<AskId> unfiled_;
    // Where the events lie that came after filed_.
    std::map<SessionId, Range> unfiled_events_;
    Statement file_events_;
    Statement file_by_session_;
    Statement file_by_state_;
    Statement file_by_asker_;
    Statement file_settled_;
    Statement file_pending_;
    Statement file_pending_by_session_;
    Statement drop_pending_;
    Statement drop_pending_of_session_;
    Statement drop_events_;
    Statement put_filed_;
};

// What is after, or before, ?1 in a list.
struct Sequence {
    std::string_view relation;
    std::string_view direction;
};
Sequence sequence_of(ListOrder order);

// Queries for the ids of asks after ?1, at most ?2 of them: all; the pending ones; those of the
// session ?3 that are pending.
std::string select_all_ids(ListOrder order);
std::string select_pending_ids(ListOrder order);
std::string select_pending_ids_of_session(ListOrder order);
// In the settled state ?3; of the session ?3; of the asker ?3.
std::string select_ids_in_state(ListOrder order);
std::string select_ids_of_session(ListOrder order);
std::string select_ids_of_asker(ListOrder order);
// The ids of asks that were settled before the cursor ?1, at most ?2, the last one first.
inline constexpr std::string_view kSelectSettledIds =
    "SELECT settled, ask FROM filed_settled WHERE settled < ?1 "
    "UNION ALL SELECT cursor, ask FROM events WHERE type = 2 AND cursor < ?1 AND cursor > "
    "(SELECT value FROM meta WHERE name = 'filed') ORDER BY 1 DESC LIMIT ?2";
// The cursors of the events of session ?3 after ?1, at most ?2: those that were filed, and the
// others. A file says from where to where the events lie that were filed at once: one row for each
// session that has any, which lie close together.
std::string select_filed_cursors(ListOrder order);
std::string select_unfiled_cursors(ListOrder order);
inline constexpr std::string_view kDropFiledEvents =
    "DELETE FROM filed_events WHERE session IN (SELECT session FROM events WHERE cursor <= ?1) "
    "AND first <= ?1 AND last <= ?1";

// Where to read all pending asks, as `a`, by ascending ids: those that were filed, and the others.
inline constexpr std::string_view kFromFiledPending =
    "FROM filed_by_state f CROSS JOIN asks a ON a.id = f.ask WHERE f.state = 0 ORDER BY f.ask";
inline constexpr std::string_view kFromUnfiledPending =
    "FROM asks a NOT INDEXED WHERE a.state = 0 AND a.opened > "
    "(SELECT value FROM meta WHERE name = 'filed') ORDER BY a.id";

}  // namespace parley::sqlite
