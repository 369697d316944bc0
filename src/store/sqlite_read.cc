// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_read.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "core/weight.h"
#include "store/sqlite_damage.h"
#include "store/sqlite_filing.h"
#include "store/sqlite_rows.h"

namespace parley::sqlite {

namespace {

std::string select_asks(std::string_view rest) {
    return fmt::format("SELECT {} FROM asks a {}", kAskColumns, rest);
}

std::string select_events(ListOrder order, std::string_view where) {
    const Sequence sequence = sequence_of(order);
    return fmt::format(
        "SELECT {}, {} FROM events e "
        "LEFT JOIN asks a ON e.type IN (1, 2) AND a.id = e.ask "
        "LEFT JOIN drafts d ON e.type = 3 AND d.ask = e.ask AND d.principal = e.doc "
        "LEFT JOIN sessions s ON e.type = 6 AND s.id = e.session "
        "LEFT JOIN messages m ON e.type = 8 AND m.added = e.cursor "
        "WHERE e.cursor {} ?1 {} ORDER BY e.cursor {} LIMIT ?2",
        kAskColumns, kEventColumns, sequence.relation, where, sequence.direction);
}

// One more than asked for, which tells whether there is more.
std::int64_t limit_with_probe(std::size_t limit) {
    return static_cast<std::int64_t>(limit) + 1;
}

template <class T>
bool drop_probe(std::vector<T>& rows, std::size_t limit) {
    if (rows.size() <= limit) return false;
    rows.pop_back();
    return true;
}

Result<AskPtr> read_one_ask(Rows rows) {
    TRY(is_there, rows.next());
    if (!is_there) return nullptr;
    return read_ask(rows);
}

Result<SessionPtr> read_one_session(Rows rows) {
    TRY(is_there, rows.next());
    if (!is_there) return nullptr;
    return read_session(rows);
}

}  // namespace

Reader::Reader(const Connection& connection)
    : connection_(connection),
      ask_(connection, select_asks("WHERE a.id = ?1")),
      ask_by_key_(connection, select_asks("WHERE a.session = ?1 AND a.key = ?2")),
      ask_by_call_(connection, select_asks("WHERE a.session = ?1 AND a.call_id = ?2")),
      oldest_asks_(connection, ListOrder::oldest_first),
      newest_asks_(connection, ListOrder::newest_first),
      session_(connection, select_sessions("WHERE id = ?1")),
      live_session_(connection, select_sessions("WHERE name = ?1 AND ended_ms IS NULL")),
      sessions_(connection, select_sessions("WHERE id > ?1 ORDER BY id LIMIT ?2")),
      token_(connection, select_tokens("WHERE name = ?1")),
      events_(connection, select_events(ListOrder::oldest_first, "")),
      events_of_session_(connection, select_events(ListOrder::oldest_first, "AND e.session = ?3")),
      newest_events_(connection, select_events(ListOrder::newest_first, "")),
      newest_events_of_session_(connection,
                                select_events(ListOrder::newest_first, "AND e.session = ?3")) {}

Reader::AskLists::AskLists(const Connection& connection, ListOrder order)
    : all(connection, select_all_ids(order)),
      pending(connection, select_pending_ids(order)),
      pending_of_session(connection, select_pending_ids_of_session(order)),
      in_state(connection, select_ids_in_state(order)),
      of_session(connection, select_ids_of_session(order)),
      of_session_in_state(connection, select_ids_of_session_in_state(order)) {}

Result<AskPtr> Reader::find_ask(AskId id) {
    return read_one_ask(Rows(ask_, id));
}

Result<AskPtr> Reader::find_ask_by_key(SessionId session, std::string_view key) {
    return read_one_ask(Rows(ask_by_key_, session, key));
}

Result<AskPtr> Reader::find_ask_by_call(SessionId session, std::string_view call_id) {
    return read_one_ask(Rows(ask_by_call_, session, call_id));
}

Result<SessionPtr> Reader::find_session(SessionId id) {
    return read_one_session(Rows(session_, id));
}

Result<SessionPtr> Reader::find_live_session(std::string_view name) {
    return read_one_session(Rows(live_session_, name));
}

Result<AskPage> Reader::list_asks(const AskQuery& query) {
    TRY(ids, list_ask_ids(query));
    AskPage page;
    std::size_t bytes = 0;
    for (const AskId id : ids) {
        page.has_more = page.asks.size() == query.limit || bytes >= query.bytes;
        if (page.has_more) break;
        TRY(ask, find_ask(id));
        if (!ask) return damaged({"list", "asks", id.str()}, "it is not there");
        bytes += weight_of(*ask);
        page.asks.push_back(std::move(ask));
    }
    return page;
}

Result<std::vector<AskId>> Reader::list_ask_ids(const AskQuery& query) {
    const bool is_newest_first = query.order == ListOrder::newest_first;
    const AskId edge = is_newest_first ? AskId(IdBits{~0ULL, ~0ULL}) : AskId();
    const AskId after = query.after.value_or(edge);
    AskLists& lists = is_newest_first ? newest_asks_ : oldest_asks_;
    const auto limit = limit_with_probe(query.limit);
    const auto read = [](Rows rows) -> Result<std::vector<AskId>> {
        std::vector<AskId> ids;
        for (;;) {
            TRY(is_there, rows.next());
            if (!is_there) return ids;
            ids.push_back(rows.id<AskId>(0));
        }
    };
    if (query.state == AskState::pending && query.session)
        return read(Rows(lists.pending_of_session, after, limit, *query.session));
    if (query.state == AskState::pending) return read(Rows(lists.pending, after, limit));
    const auto state = static_cast<int>(query.state.value_or(AskState::pending));
    if (query.session && query.state)
        return read(Rows(lists.of_session_in_state, after, limit, *query.session, state));
    if (query.session) return read(Rows(lists.of_session, after, limit, *query.session));
    if (query.state) return read(Rows(lists.in_state, after, limit, state));
    return read(Rows(lists.all, after, limit));
}

Result<SessionPage> Reader::list_sessions(const SessionQuery& query) {
    SessionPage page;
    Rows rows(sessions_, query.after.value_or(SessionId()), limit_with_probe(query.limit));
    for (;;) {
        TRY(is_there, rows.next());
        if (!is_there) break;
        TRY(session, read_session(rows));
        page.sessions.push_back(std::move(session));
    }
    page.has_more = drop_probe(page.sessions, query.limit);
    return page;
}

Result<EventPage> Reader::list_events(const EventQuery& query) {
    const auto limit = limit_with_probe(query.limit);
    const auto read = [&](Rows rows) -> Result<EventPage> {
        EventPage page;
        std::size_t bytes = 0;
        for (;;) {
            TRY(is_there, rows.next());
            if (!is_there) break;
            page.has_more = page.events.size() == query.limit || bytes >= query.bytes;
            if (page.has_more) break;
            TRY(event, read_event(rows));
            TRY(whole, with_token(std::move(event)));
            page.events.push_back(std::move(whole));
            bytes += weight_of(*page.events.back());
        }
        return page;
    };
    if (query.order == ListOrder::newest_first) {
        const bool is_from_the_end = query.after == Cursor{};
        const Cursor before =
            is_from_the_end ? Cursor{std::numeric_limits<std::int64_t>::max()} : query.after;
        if (query.session)
            return read(Rows(newest_events_of_session_, before, limit, *query.session));
        return read(Rows(newest_events_, before, limit));
    }
    if (query.session) return read(Rows(events_of_session_, query.after, limit, *query.session));
    return read(Rows(events_, query.after, limit));
}

}  // namespace parley::sqlite
