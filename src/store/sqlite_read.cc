// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_read.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "core/weight.h"
#include "store/limits.h"
#include "store/sqlite_filing.h"
#include "store/sqlite_rows.h"
#include "store/stored_events.h"

namespace parley::sqlite {

namespace {

std::string select_asks(std::string_view rest) {
    return fmt::format("SELECT {} FROM asks a {}", kAskColumns, rest);
}

std::string select_events(std::string_view where) {
    return fmt::format(
        "SELECT {}, {} FROM events e "
        "LEFT JOIN asks a ON e.type IN (1, 2) AND a.id = e.ask "
        "LEFT JOIN drafts d ON e.type = 3 AND d.ask = e.ask AND d.principal = e.doc "
        "LEFT JOIN sessions s ON e.type = 6 AND s.id = e.session "
        "LEFT JOIN messages m ON e.type = 8 AND m.added = e.cursor "
        "WHERE e.cursor {}",
        kAskColumns, kEventColumns, where);
}

std::string select_events(ListOrder order) {
    const Sequence sequence = sequence_of(order);
    return select_events(
        fmt::format("{} ?1 ORDER BY e.cursor {} LIMIT ?2", sequence.relation, sequence.direction));
}

std::string list_sessions_where(ListOrder order, std::string_view where) {
    const Sequence sequence = sequence_of(order);
    return select_sessions(fmt::format("WHERE id {} ?1 {} ORDER BY id {} LIMIT ?2",
                                       sequence.relation, where, sequence.direction));
}

template <class IdType>
IdType edge_of(ListOrder order) {
    return order == ListOrder::oldest_first ? IdType() : IdType(IdBits{~0ULL, ~0ULL});
}

bool fits(const AskQuery& query, const Ask& ask) {
    return (!query.state || ask.state() == *query.state) &&
           (!query.session || ask.session == *query.session) &&
           (!query.asker || ask.spec->asker == *query.asker);
}

Result<std::vector<AskId>> read_ids(Rows rows, int column) {
    std::vector<AskId> ids;
    for (;;) {
        TRY(is_there, rows.next());
        if (!is_there) return ids;
        ids.push_back(rows.id<AskId>(column));
    }
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
      settled_at_(connection, "SELECT settled FROM asks WHERE id = ?1"),
      settled_asks_(connection, std::string(kSelectSettledIds)),
      session_(connection, select_sessions("WHERE id = ?1")),
      live_session_(connection, select_sessions("WHERE name = ?1 AND ended_ms IS NULL")),
      oldest_sessions_(connection, ListOrder::oldest_first),
      newest_sessions_(connection, ListOrder::newest_first),
      token_(connection, select_tokens("WHERE name = ?1")),
      mark_(connection, select_marks("WHERE key = ?1")),
      event_(connection, select_events("= ?1")),
      events_(connection, select_events(ListOrder::oldest_first)),
      newest_events_(connection, select_events(ListOrder::newest_first)),
      oldest_cursors_(connection, ListOrder::oldest_first),
      newest_cursors_(connection, ListOrder::newest_first) {}

Reader::AskLists::AskLists(const Connection& connection, ListOrder order)
    : all(connection, select_all_ids(order)),
      pending(connection, select_pending_ids(order)),
      pending_of_session(connection, select_pending_ids_of_session(order)),
      in_state(connection, select_ids_in_state(order)),
      of_session(connection, select_ids_of_session(order)),
      of_asker(connection, select_ids_of_asker(order)) {}

Reader::CursorLists::CursorLists(const Connection& connection, ListOrder order)
    : filed(connection, select_filed_cursors(order)),
      unfiled(connection, select_unfiled_cursors(order)) {}

Reader::SessionLists::SessionLists(const Connection& connection, ListOrder order)
    : all(connection, list_sessions_where(order, "")),
      live(connection, list_sessions_where(order, "AND ended_ms IS NULL")),
      ended(connection, list_sessions_where(order, "AND ended_ms IS NOT NULL")) {}

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

// Goes along the list that is the shortest, or that the order asks for; what it does not tell is
// looked at in each ask.
Result<AskPage> Reader::list_asks(const AskQuery& query) {
    AskPage page;
    AskQuery rest = query;
    std::size_t bytes = 0;
    for (std::size_t looked_at = 0;;) {
        // One more than may be needed, which tells whether there is more.
        const std::size_t room = std::max(query.limit - page.asks.size(), limits::kAsksAtOnceMin);
        const std::size_t count = std::min(room, query.looks - looked_at) + 1;
        TRY(ids, list_ask_ids(rest, count));
        for (const AskId id : ids) {
            page.has_more = looked_at++ == query.looks;
            if (page.has_more) return page;
            TRY(ask, find_ask(id));
            if (!ask) return damaged({"list", "asks", id.str()}, "it is not there");
            const bool is_one = fits(query, *ask);
            page.has_more = is_one && (page.asks.size() == query.limit || bytes >= query.bytes);
            if (page.has_more) return page;
            page.last = id;
            rest.after = id;
            if (!is_one) continue;
            bytes += weight_of(*ask);
            page.asks.push_back(std::move(ask));
        }
        if (ids.size() < count) return page;
    }
}

Result<std::vector<AskId>> Reader::list_ask_ids(const AskQuery& query, std::size_t count) {
    if (query.order == ListOrder::last_settled_first) return list_settled_ids(query, count);
    const AskId after = query.after.value_or(edge_of<AskId>(query.order));
    AskLists& lists = query.order == ListOrder::newest_first ? newest_asks_ : oldest_asks_;
    if (query.state == AskState::pending && query.session)
        return read_ids(Rows(lists.pending_of_session, after, count, *query.session), 0);
    if (query.session) return read_ids(Rows(lists.of_session, after, count, *query.session), 0);
    if (query.state == AskState::pending) return read_ids(Rows(lists.pending, after, count), 0);
    if (query.asker)
        return read_ids(Rows(lists.of_asker, after, count, std::string_view(*query.asker)), 0);
    if (query.state)
        return read_ids(Rows(lists.in_state, after, count, static_cast<int>(*query.state)), 0);
    return read_ids(Rows(lists.all, after, count), 0);
}

Result<std::vector<AskId>> Reader::list_settled_ids(const AskQuery& query, std::size_t count) {
    Cursor before{std::numeric_limits<std::int64_t>::max()};
    if (query.after) {
        Rows after(settled_at_, *query.after);
        TRY(is_there, after.next());
        // What is pending, or is not there, was never in this list.
        if (is_there && !after.is_null(0)) before = after.cursor(0);
    }
    return read_ids(Rows(settled_asks_, before, count), 1);
}

Result<SessionPage> Reader::list_sessions(const SessionQuery& query) {
    SessionLists& lists =
        query.order == ListOrder::newest_first ? newest_sessions_ : oldest_sessions_;
    Statement& list = !query.state                         ? lists.all
                      : *query.state == SessionState::live ? lists.live
                                                           : lists.ended;
    SessionPage page;
    Rows rows(list, query.after.value_or(edge_of<SessionId>(query.order)),
              limit_with_probe(query.limit));
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
    const bool is_newest_first = query.order == ListOrder::newest_first;
    const bool is_from_the_end = is_newest_first && query.after == Cursor{};
    const Cursor from =
        is_from_the_end ? Cursor{std::numeric_limits<std::int64_t>::max()} : query.after;
    if (query.session) return list_events_of_session(query, *query.session, from);
    Rows rows(is_newest_first ? newest_events_ : events_, from, limit_with_probe(query.limit));
    EventPage page;
    std::size_t bytes = 0;
    for (;;) {
        TRY(is_there, rows.next());
        if (!is_there) return page;
        page.has_more = page.events.size() == query.limit || bytes >= query.bytes;
        if (page.has_more) return page;
        TRY(event, read_event(rows));
        TRY(whole, stored::as_it_stands(event, *this, stored::EventsFor::page));
        page.events.push_back(std::move(whole));
        bytes += weight_of(*page.events.back());
    }
}

// One more than asked for, which tells whether there is more. What is not filed yet is newer.
Result<std::vector<Cursor>> Reader::list_cursors(const EventQuery& query, SessionId session,
                                                 Cursor from) {
    const bool is_newest_first = query.order == ListOrder::newest_first;
    CursorLists& lists = is_newest_first ? newest_cursors_ : oldest_cursors_;
    Statement& first = is_newest_first ? lists.unfiled : lists.filed;
    Statement& second = is_newest_first ? lists.filed : lists.unfiled;
    const auto limit = static_cast<std::size_t>(limit_with_probe(query.limit));
    std::vector<Cursor> cursors;
    for (Statement* list : {&first, &second}) {
        if (cursors.size() == limit) break;
        Rows rows(*list, from, limit - cursors.size(), session);
        for (;;) {
            TRY(is_there, rows.next());
            if (!is_there) break;
            cursors.push_back(rows.cursor(0));
        }
    }
    return cursors;
}

Result<EventPage> Reader::list_events_of_session(const EventQuery& query, SessionId session,
                                                 Cursor from) {
    TRY(cursors, list_cursors(query, session, from));
    EventPage page;
    std::size_t bytes = 0;
    for (const Cursor cursor : cursors) {
        page.has_more = page.events.size() == query.limit || bytes >= query.bytes;
        if (page.has_more) return page;
        Rows rows(event_, cursor);
        TRY(is_there, rows.next());
        if (!is_there)
            return damaged({"list", "events", fmt::format("{}", cursor.value)}, "it is not there");
        TRY(event, read_event(rows));
        TRY(whole, stored::as_it_stands(event, *this, stored::EventsFor::page));
        page.events.push_back(std::move(whole));
        bytes += weight_of(*page.events.back());
    }
    return page;
}

}  // namespace parley::sqlite
