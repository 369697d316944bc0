// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_read.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "core/record.h"
#include "core/weight.h"
#include "store/sqlite_filing.h"
#include "store/sqlite_schema.h"

namespace parley::sqlite {

namespace {

// NOLINTBEGIN(readability-identifier-naming): numbers of columns, and used as such.
// The columns of an ask, the same and first in every query that reads one.
enum AskColumn { kAskId, kAskSession, kAskCreated, kAskDeadline, kAskSpec, kAskSettlement };
// What follows them in a query for events.
enum EventColumn { kCursor = 6, kType, kAt, kSession, kAsk, kDoc, kRecord };
// NOLINTEND(readability-identifier-naming)

constexpr std::string_view kAskColumns =
    "a.id, a.session, a.created_ms, a.deadline_ms, a.spec, a.settlement";

std::string select_asks(std::string_view rest) {
    return fmt::format("SELECT {} FROM asks a {}", kAskColumns, rest);
}

std::string select_sessions(std::string_view rest) {
    return fmt::format("SELECT record FROM sessions {}", rest);
}

std::string select_events(ListOrder order, std::string_view where) {
    const Sequence sequence = sequence_of(order);
    return fmt::format(
        "SELECT {}, e.cursor, e.type, e.at_ms, e.session, e.ask, e.doc, "
        "coalesce(s.record, m.record, d.record) FROM events e "
        "LEFT JOIN asks a ON e.type IN (1, 2) AND a.id = e.ask "
        "LEFT JOIN drafts d ON e.type = 3 AND d.ask = e.ask AND d.principal = e.doc "
        "LEFT JOIN sessions s ON e.type = 6 AND s.id = e.session "
        "LEFT JOIN messages m ON e.type = 8 AND m.added = e.cursor "
        "WHERE e.cursor {} ?1 {} ORDER BY e.cursor {} LIMIT ?2",
        kAskColumns, sequence.relation, where, sequence.direction);
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

Rejection damaged(const Error& error, std::string_view what) {
    return reject(ErrorCode::corrupt, "the store holds a damaged {}: {}", what, error.message);
}

template <class T>
Result<std::shared_ptr<const T>> share(Result<T> value, std::string_view what) {
    if (!value) return damaged(value.error(), what);
    return std::make_shared<const T>(std::move(*value));
}

enum class AsOf { now, opening };

Result<AskPtr> read_ask(const Rows& rows, AsOf as_of = AsOf::now) {
    auto ask = std::make_shared<Ask>();
    ask->id = rows.id<AskId>(kAskId);
    ask->session = rows.id<SessionId>(kAskSession);
    ask->created_at = rows.instant(kAskCreated);
    if (!rows.is_null(kAskDeadline)) ask->deadline = rows.instant(kAskDeadline);
    TRY(spec, share(spec_from_record(rows.text(kAskSpec)), "ask"));
    ask->spec = std::move(spec);
    if (as_of == AsOf::now && !rows.is_null(kAskSettlement)) {
        TRY(settlement, share(settlement_from_record(rows.text(kAskSettlement)), "settlement"));
        ask->settlement = std::move(settlement);
    }
    return ask;
}

Result<AskPtr> read_one_ask(Rows rows) {
    TRY(is_there, rows.next());
    if (!is_there) return nullptr;
    return read_ask(rows);
}

Result<SessionPtr> read_session(std::string_view record) {
    return share(session_from_record(record), "session");
}

Result<SessionPtr> read_one_session(Rows rows) {
    TRY(is_there, rows.next());
    if (!is_there) return nullptr;
    return read_session(rows.text(0));
}

Result<EventBody> read_event_body(const Rows& rows) {
    switch (static_cast<EventType>(rows.number(kType))) {
        case EventType::ask_opened: {
            TRY(ask, read_ask(rows, AsOf::opening));
            return AskOpened{std::move(ask)};
        }
        case EventType::ask_settled: {
            TRY(ask, read_ask(rows));
            return AskSettled{std::move(ask)};
        }
        case EventType::draft_changed: {
            DraftChanged change{rows.id<AskId>(kAsk), std::string(rows.text(kDoc)), nullptr};
            // The row went with its ask.
            if (rows.is_null(kRecord)) {
                change.draft = std::make_shared<const Draft>();
                return change;
            }
            TRY(draft, share(draft_from_record(rows.text(kRecord)), "draft"));
            change.draft = std::move(draft);
            return change;
        }
        case EventType::session_created: {
            TRY(session, read_session(rows.text(kDoc)));
            return SessionCreated{std::move(session)};
        }
        case EventType::session_changed: {
            TRY(session, read_session(rows.text(kDoc)));
            return SessionChanged{std::move(session)};
        }
        case EventType::session_ended: {
            TRY(session, read_session(rows.text(kRecord)));
            std::optional<std::string> reason;
            if (!rows.is_null(kDoc)) reason = rows.text(kDoc);
            return SessionEnded{std::move(session), std::move(reason)};
        }
        case EventType::part_added: {
            TRY(part, share(part_from_record(rows.text(kDoc)), "part"));
            return PartAdded{std::move(part)};
        }
        case EventType::message_added: {
            auto message = message_from_record(rows.text(kRecord));
            if (!message) return damaged(message.error(), "message");
            return std::move(*message);
        }
        case EventType::messages_taken: {
            const auto up_to = MessageId::parse(rows.text(kDoc));
            if (!up_to) return damaged({.message = "not a message id"}, "event");
            return MessagesTaken{*up_to};
        }
        case EventType::notice_given: {
            auto notice = notice_from_record(rows.text(kDoc));
            if (!notice) return damaged(notice.error(), "notice");
            return std::move(*notice);
        }
    }
    return damaged({.message = fmt::format("unknown type {}", rows.number(kType))}, "event");
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
        if (!ask) return damaged({.message = fmt::format("{} is not there", id.str())}, "list");
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
        TRY(session, read_session(rows.text(0)));
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
            TRY(body, read_event_body(rows));
            page.events.push_back(std::make_shared<const Event>(
                Event{rows.cursor(kCursor), rows.instant(kAt), rows.id<SessionId>(kSession),
                      std::move(body)}));
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

Result<Snapshot> Reader::load() {
    Snapshot snapshot;
    CHECK_OK(load_cursors(snapshot));
    CHECK_OK(load_asks(snapshot));
    CHECK_OK(load_sessions(snapshot));
    CHECK_OK(load_responders(snapshot));
    CHECK_OK(load_tokens(snapshot));
    return snapshot;
}

Result<void> Reader::load_cursors(Snapshot& snapshot) {
    Statement cursors(connection_,
                      "SELECT value, (SELECT min(cursor) FROM events), (SELECT max(cursor) FROM "
                      "events), (SELECT max(id) FROM asks), (SELECT max(id) FROM sessions), "
                      "(SELECT max(id) FROM messages) FROM meta WHERE name = 'origin'");
    Rows rows(cursors);
    TRY(is_there, rows.next());
    if (!is_there) return reject(ErrorCode::corrupt, "the store has lost its origin");
    snapshot.oldest = snapshot.head = rows.cursor(0);
    if (!rows.is_null(1)) {
        snapshot.oldest = {rows.cursor(1).value - 1};
        snapshot.head = rows.cursor(2);
    }
    snapshot.top_ask = rows.id<AskId>(3);
    snapshot.top_session = rows.id<SessionId>(4);
    snapshot.top_message = rows.id<MessageId>(5);
    return {};
}

// Not by a list, which would look up one by one what may be a million.
Result<void> Reader::load_asks(Snapshot& snapshot) {
    std::vector<AskPtr>& pending = snapshot.pending;
    for (const std::string_view from : {kFromFiledPending, kFromUnfiledPending}) {
        Statement asks(connection_, fmt::format("SELECT {} {}", kAskColumns, from));
        Rows rows(asks);
        for (;;) {
            TRY(is_there, rows.next());
            if (!is_there) break;
            TRY(ask, read_ask(rows));
            pending.push_back(std::move(ask));
        }
    }
    const auto by_id = [](const AskPtr& one, const AskPtr& other) { return one->id < other->id; };
    if (!std::ranges::is_sorted(pending, by_id)) std::ranges::sort(pending, by_id);
    return {};
}

Result<void> Reader::load_sessions(Snapshot& snapshot) {
    Statement live(connection_, select_sessions("WHERE ended_ms IS NULL ORDER BY id"));
    Rows sessions(live);
    for (;;) {
        TRY(is_there, sessions.next());
        if (!is_there) break;
        TRY(session, read_session(sessions.text(0)));
        snapshot.sessions.push_back(std::move(session));
    }
    Statement waiting(connection_,
                      "SELECT m.session, m.at_ms, m.record FROM sessions s JOIN messages m "
                      "ON m.session = s.id AND m.id > coalesce(s.taken, x'') "
                      "WHERE s.ended_ms IS NULL ORDER BY s.id, m.id");
    Rows messages(waiting);
    for (;;) {
        TRY(is_there, messages.next());
        if (!is_there) return {};
        auto message = message_from_record(messages.text(2));
        if (!message) return damaged(message.error(), "message");
        snapshot.messages.push_back(
            {messages.id<SessionId>(0), messages.instant(1), std::move(*message)});
    }
}

Result<void> Reader::load_responders(Snapshot& snapshot) {
    Statement all_drafts(connection_,
                         "SELECT ask, principal, record FROM drafts ORDER BY ask, principal");
    Rows drafts(all_drafts);
    for (;;) {
        TRY(is_there, drafts.next());
        if (!is_there) break;
        TRY(draft, share(draft_from_record(drafts.text(2)), "draft"));
        snapshot.drafts.push_back(
            {drafts.id<AskId>(0), std::string(drafts.text(1)), std::move(draft)});
    }
    Statement all_snoozes(connection_,
                          "SELECT ask, principal, until_ms FROM snoozes ORDER BY ask, principal");
    Rows snoozes(all_snoozes);
    for (;;) {
        TRY(is_there, snoozes.next());
        if (!is_there) return {};
        snapshot.snoozes.push_back(
            {snoozes.id<AskId>(0), std::string(snoozes.text(1)), snoozes.instant(2)});
    }
}

}  // namespace parley::sqlite
