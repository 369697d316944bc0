// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/weight.h"
#include "store/limits.h"
#include "store/postgres/limits.h"
#include "store/stored_rows.h"

namespace parley::postgres {

namespace {

// Of candidates: a column of an ask, null where it is not sent, and the one after them.
constexpr int kSpec = 4;
constexpr int kFits = 6;

struct Sequence {
    std::string_view relation;
    std::string_view direction;
};

Sequence sequence_of(ListOrder order) {
    if (order == ListOrder::oldest_first) return {">", "ASC"};
    return {"<", "DESC"};
}

template <class IdType>
IdType edge_of(ListOrder order) {
    return order == ListOrder::oldest_first ? IdType() : IdType(IdBits{~0ULL, ~0ULL});
}

// $1 to $3 are state, session and asker.
constexpr std::string_view kFitsQuery =
    "coalesce(a.state = $1, true) AND coalesce(a.session = $2, true) AND "
    "($3::bytea IS NULL OR a.asker IS NOT DISTINCT FROM $3)";

// $6 is how many bytes may be sent, and one ask more: libpq holds a whole result. So what is long
// is sent only of those that fit, and only up to there. {0} is the place in the list, {1} its
// direction, {2} the list itself, {3} what fits.
constexpr std::string_view kSelectCandidates = R"sql(
    SELECT id, session, created_ms, deadline_ms, CASE WHEN is_sent THEN spec END,
        CASE WHEN is_sent THEN settlement END, fits::int
    FROM (SELECT *, fits AND coalesce(sum(CASE WHEN fits THEN bytes END) OVER (ORDER BY place {1}
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) < $6 AS is_sent
        FROM (SELECT a.*, {0} AS place, {3} AS fits,
                octet_length(a.spec) + coalesce(octet_length(a.settlement), 0) AS bytes
            FROM {2}) c) s
    ORDER BY place {1})sql";

std::string select_candidates(std::string_view place, std::string_view direction,
                              std::string_view list) {
    return fmt::format(kSelectCandidates, place, direction, list, kFitsQuery);
}

std::optional<std::string_view> as_bytes(const std::optional<std::string>& text) {
    return text ? std::optional<std::string_view>(*text) : std::nullopt;
}

std::optional<std::int64_t> as_number(const std::optional<AskState>& state) {
    return state ? std::optional(static_cast<std::int64_t>(*state)) : std::nullopt;
}

// $3 is the session, or null for all.
std::string_view in_session(const EventQuery& query) {
    return query.session ? "AND e.session = $3" : "AND $3::uuid IS NULL";
}

// What an event tells of is looked up for each by its key, and only in the table of its type. The
// limit keeps the server from joining whole tables instead, as it would where it cannot tell how
// few events there are.
constexpr std::string_view kSelectEvents =
    "SELECT {}, e.cursor, e.type, e.at_ms, e.session, e.subject, e.doc, CASE e.type "
    "WHEN 3 THEN (SELECT d.record FROM drafts d WHERE d.ask = e.subject AND d.principal = e.doc) "
    "WHEN 6 THEN (SELECT s.record FROM sessions s WHERE s.id = e.session) "
    "WHEN 8 THEN (SELECT m.record FROM messages m WHERE m.id = e.subject) END "
    "FROM events e LEFT JOIN LATERAL "
    "(SELECT * FROM asks WHERE id = e.subject AND e.type IN (1, 2) LIMIT 1) a ON true WHERE {}";

// How much it is that kSelectEvents gives of each.
constexpr std::string_view kMeasureEvents =
    "SELECT e.cursor, coalesce(octet_length(e.doc), 0) + coalesce(CASE "
    "WHEN e.type IN (1, 2) THEN (SELECT octet_length(a.spec) + "
    "coalesce(octet_length(a.settlement), 0) FROM asks a WHERE a.id = e.subject) "
    "WHEN e.type = 3 THEN (SELECT octet_length(d.record) FROM drafts d "
    "WHERE d.ask = e.subject AND d.principal = e.doc) "
    "WHEN e.type = 6 THEN (SELECT octet_length(s.record) FROM sessions s WHERE s.id = e.session) "
    "WHEN e.type = 8 THEN (SELECT octet_length(m.record) FROM messages m WHERE m.id = e.subject) "
    "END, 0) FROM events e WHERE e.cursor {} $1 {} ORDER BY e.cursor {} LIMIT $2";

Result<SessionPtr> read_one_session(Rows rows) {
    if (!rows.next()) return nullptr;
    return stored::read_session(rows);
}

// As a number of the server's.
std::uint64_t as_length(std::size_t bytes) {
    return std::min<std::uint64_t>(bytes, std::numeric_limits<std::int64_t>::max());
}

std::uint64_t probe(std::size_t limit) {
    return std::min<std::uint64_t>(limit, std::numeric_limits<std::int32_t>::max()) + 1;
}

}  // namespace

std::string select_asks(std::string_view rest) {
    return fmt::format("SELECT {} FROM asks a {}", stored::kAskColumns, rest);
}

std::string select_events(std::string_view where) {
    return fmt::format(kSelectEvents, stored::kAskColumns, where);
}

Rejection too_far_behind() {
    return reject(ErrorCode::unavailable,
                  "this node has fallen too far behind the others and reads the store anew");
}

Result<AskPtr> read_one_ask(Rows rows) {
    if (!rows.next()) return nullptr;
    return stored::read_ask(rows);
}

Reader::Reader(Connection& connection)
    : connection_(connection),
      ask_(select_asks("WHERE a.id = $1")),
      ask_by_key_(select_asks("WHERE a.session = $1 AND a.key = $2")),
      ask_by_call_(select_asks("WHERE a.session = $1 AND a.call_id = $2")),
      settled_at_("SELECT cursor FROM settled WHERE ask = $1"),
      session_(stored::select_sessions("WHERE id = $1")),
      live_session_(stored::select_sessions("WHERE name = $1 AND ended_ms IS NULL")),
      token_(stored::select_tokens("WHERE name = $1")),
      mark_(stored::select_marks("WHERE key = $1")),
      feed_(select_events(
          fmt::format("e.cursor > $1 ORDER BY e.cursor LIMIT {}", limits::kFeedAtOnce))),
      bounds_("SELECT oldest, head FROM state") {}

Statement& Reader::statement(const std::string& sql) {
    return statements_.try_emplace(sql, sql).first->second;
}

Result<AskPtr> Reader::find_ask(AskId id) {
    TRY(rows, connection_.run(ask_, id));
    return read_one_ask(std::move(rows));
}

Result<AskPtr> Reader::find_ask_by_key(SessionId session, std::string_view key) {
    TRY(rows, connection_.run(ask_by_key_, session, key));
    return read_one_ask(std::move(rows));
}

Result<AskPtr> Reader::find_ask_by_call(SessionId session, std::string_view call_id) {
    TRY(rows, connection_.run(ask_by_call_, session, call_id));
    return read_one_ask(std::move(rows));
}

Result<SessionPtr> Reader::find_session(SessionId id) {
    TRY(rows, connection_.run(session_, id));
    return read_one_session(std::move(rows));
}

Result<SessionPtr> Reader::find_live_session(std::string_view name) {
    TRY(rows, connection_.run(live_session_, name));
    return read_one_session(std::move(rows));
}

Result<TokenPtr> Reader::find_token(std::string_view name) {
    TRY(rows, connection_.run(token_, name));
    if (!rows.next()) return nullptr;
    return stored::read_token(rows);
}

Result<MarkPtr> Reader::find_mark(std::string_view key) {
    TRY(rows, connection_.run(mark_, key));
    if (!rows.next()) return nullptr;
    return stored::read_mark(rows);
}

Result<Reader::Bounds> Reader::bounds_in(Rows rows) {
    if (!rows.next()) return reject(ErrorCode::corrupt, "the store has lost its state");
    return Bounds{.oldest = rows.cursor(0), .head = rows.cursor(1)};
}

Result<Reader::Bounds> Reader::read_bounds() {
    TRY(rows, connection_.run(bounds_));
    return bounds_in(std::move(rows));
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
        rest.bytes = query.bytes - std::min(query.bytes, bytes);
        TRY(rows, list_candidates(rest, count));
        while (rows.next()) {
            page.has_more = looked_at++ == query.looks;
            if (page.has_more) return page;
            const bool is_one = rows.flag(kFits);
            const bool is_full = page.asks.size() == query.limit || bytes >= query.bytes;
            page.has_more = is_one && (is_full || rows.is_null(kSpec));
            if (page.has_more) return page;
            page.last = rows.id<AskId>(0);
            rest.after = page.last;
            if (!is_one) continue;
            TRY(ask, stored::read_ask(rows));
            bytes += weight_of(*ask);
            page.asks.push_back(std::move(ask));
        }
        if (static_cast<std::size_t>(rows.count()) < count) return page;
    }
}

Result<Rows> Reader::list_candidates(const AskQuery& query, std::size_t count) {
    if (query.order == ListOrder::last_settled_first) return list_settled(query, count);
    const Sequence sequence = sequence_of(query.order);
    std::string_view list = "true";
    if (query.session) {
        list =
            query.state == AskState::pending ? "a.session = $2 AND a.state = 0" : "a.session = $2";
    } else if (query.state == AskState::pending) {
        list = "a.state = 0";
    } else if (query.asker) {
        list = "a.asker = $3";
    } else if (query.state) {
        list = "a.state = $1";
    }
    const std::string sql =
        select_candidates("a.id", sequence.direction,
                          fmt::format("asks a WHERE {} AND a.id {} $4 ORDER BY a.id {} LIMIT $5",
                                      list, sequence.relation, sequence.direction));
    return connection_.run(statement(sql), as_number(query.state), query.session,
                           as_bytes(query.asker), query.after.value_or(edge_of<AskId>(query.order)),
                           std::uint64_t{count}, as_length(query.bytes));
}

Result<Rows> Reader::list_settled(const AskQuery& query, std::size_t count) {
    Cursor before{std::numeric_limits<std::int64_t>::max()};
    if (query.after) {
        TRY(after, connection_.run(settled_at_, *query.after));
        // What is pending, or is not there, was never in this list.
        if (after.next()) before = after.cursor(0);
    }
    const std::string sql = select_candidates(
        "f.cursor", "DESC",
        "(SELECT cursor, ask FROM settled WHERE cursor < $4 ORDER BY cursor DESC LIMIT $5) f "
        "JOIN asks a ON a.id = f.ask");
    return connection_.run(statement(sql), as_number(query.state), query.session,
                           as_bytes(query.asker), before, std::uint64_t{count},
                           as_length(query.bytes));
}

Result<SessionPage> Reader::list_sessions(const SessionQuery& query) {
    const Sequence sequence = sequence_of(query.order);
    const std::string_view state = !query.state ? ""
                                   : *query.state == SessionState::live
                                       ? "AND ended_ms IS NULL"
                                       : "AND ended_ms IS NOT NULL";
    const std::string sql = stored::select_sessions(fmt::format(
        "WHERE id {} $1 {} ORDER BY id {} LIMIT $2", sequence.relation, state, sequence.direction));
    TRY(rows, connection_.run(statement(sql), query.after.value_or(edge_of<SessionId>(query.order)),
                              probe(query.limit)));
    SessionPage page;
    while (rows.next()) {
        page.has_more = page.sessions.size() == query.limit;
        if (page.has_more) break;
        TRY(session, stored::read_session(rows));
        page.sessions.push_back(std::move(session));
    }
    return page;
}

Result<EventPage> Reader::list_events(const EventQuery& query) {
    const bool is_newest_first = query.order == ListOrder::newest_first;
    const bool is_from_the_end = is_newest_first && query.after == Cursor{};
    const Cursor from =
        is_from_the_end ? Cursor{std::numeric_limits<std::int64_t>::max()} : query.after;
    EventPage page;
    if (!is_newest_first) {
        TRY(bounds, read_bounds());
        page.oldest = bounds.oldest;
        page.has_gap = from < bounds.oldest || from > bounds.head;
        if (page.has_gap) return page;
    }
    TRY(span, measure_page(query, from));
    page.has_more = span.has_more;
    if (!span.first) return page;
    const std::string sql =
        select_events(fmt::format("e.cursor BETWEEN $1 AND $2 {} ORDER BY e.cursor {}",
                                  in_session(query), sequence_of(query.order).direction));
    TRY(rows, connection_.run(statement(sql), std::min(*span.first, span.last),
                              std::max(*span.first, span.last), query.session));
    TRY(events, read_events(std::move(rows), stored::EventsFor::page));
    std::size_t bytes = 0;
    for (EventPtr& event : events) {
        if (bytes >= query.bytes) {
            page.has_more = true;
            break;
        }
        bytes += weight_of(*event);
        page.events.push_back(std::move(event));
    }
    return page;
}

// libpq holds a whole result: what would be left out for its length must not be asked for.
Result<Reader::EventSpan> Reader::measure_page(const EventQuery& query, Cursor from) {
    const Sequence sequence = sequence_of(query.order);
    const std::string sql =
        fmt::format(kMeasureEvents, sequence.relation, in_session(query), sequence.direction);
    TRY(rows, connection_.run(statement(sql), from, probe(query.limit), query.session));
    EventSpan span;
    std::size_t bytes = 0;
    for (std::size_t count = 0; rows.next(); ++count) {
        span.has_more = count == query.limit || bytes >= query.bytes;
        if (span.has_more) break;
        span.last = rows.cursor(0);
        if (!span.first) span.first = span.last;
        bytes += static_cast<std::size_t>(rows.number(1));
    }
    return span;
}

Result<std::vector<EventPtr>> Reader::read_events(Rows rows, stored::EventsFor use) {
    std::vector<EventPtr> events;
    while (rows.next()) {
        TRY(event, stored::read_event(rows, use == stored::EventsFor::feed ? &recent_ : nullptr));
        TRY(whole, stored::as_it_stands(event, *this, use));
        events.push_back(std::move(whole));
    }
    return events;
}

// Where a few follow `from` without a hole, none was dropped and there are no more. Else the bounds
// tell, and are read last: what they say was not dropped was there to be read.
Result<FeedSlice> Reader::read_feed(Cursor from) {
    TRY(rows, connection_.run(feed_, from));
    TRY(events, read_events(std::move(rows)));
    const bool has_more = events.size() == limits::kFeedAtOnce;
    const bool is_whole =
        !events.empty() && events.back()->cursor.value == from.value + events.size();
    if (has_more || !is_whole) {
        TRY(bounds, read_bounds());
        if (from < bounds.oldest || from > bounds.head ||
            bounds.head.value - from.value > limits::kFeedBehindMax)
            return too_far_behind();
    }
    return FeedSlice{std::move(events), has_more};
}

Result<std::vector<EventPtr>> Reader::find_stored(Cursor after,
                                                  const std::vector<EventPtr>& offered) {
    if (offered.empty()) return offered;
    TRY(bounds, read_bounds());
    if (after < bounds.oldest) return offered;
    Array times = Array::of_numbers();
    for (const EventPtr& event : offered) times.add(event->at);
    TRY(rows,
        connection_.run(statement(select_events("e.cursor > $1 AND e.type IN (7, 10, 12, 14) AND "
                                                "e.at_ms = ANY($2) ORDER BY e.cursor")),
                        after, times));
    return read_events(std::move(rows));
}

}  // namespace parley::postgres
