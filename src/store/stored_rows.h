// SPDX-License-Identifier: Apache-2.0
// Rows of a store on disk as values: asks, sessions, events, tokens, whichever engine read them.
// What cannot be read is named, by its table and its row, and refused: nothing is skipped as if it
// had never been there. Internal to the engines.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "core/event.h"
#include "core/mark.h"
#include "core/record.h"
#include "core/snapshot.h"
#include "core/token.h"
#include "parley/values.h"
#include "store/recent_specs.h"
#include "store/stored_numbers.h"
#include "text/limits.h"

namespace parley::stored {

// The columns of an ask, the same and first in every query that reads one.
inline constexpr std::string_view kAskColumns =
    "a.id, a.session, a.created_ms, a.deadline_ms, a.spec, a.settlement";

inline std::string select_sessions(std::string_view rest) {
    return fmt::format("SELECT id, record FROM sessions {}", rest);
}

inline std::string select_tokens(std::string_view rest) {
    return fmt::format(
        "SELECT name, role, hash, created_ms, expires_ms, principal, person, device, used_ms, "
        "session FROM tokens {}",
        rest);
}

inline std::string select_marks(std::string_view rest) {
    return fmt::format("SELECT key, value, at_ms, expires_ms FROM marks {}", rest);
}

struct RowName {
    std::string_view what;  // "ask"
    std::string_view table;
    std::string row;  // what finds it: an id, a cursor, a name
};

inline Rejection damaged(const RowName& name, std::string_view why) {
    return reject(ErrorCode::corrupt,
                  "the store holds a damaged {} (table {}, row {}): {}. To fix it: restore a "
                  "backup, or mend or delete that row while no broker runs",
                  name.what, name.table, name.row, why);
}

// `name` is called only where it is needed.
template <class T, class Name>
Result<std::shared_ptr<const T>> share(Result<T> value, const Name& name) {
    if (!value) return damaged(name(), value.error().message);
    return std::make_shared<const T>(std::move(*value));
}

// A time that a clock could have said: what lies beyond would overflow wherever it is counted with.
template <class Rows, class Name>
Result<Instant> read_instant(const Rows& rows, int column, const Name& name) {
    constexpr std::int64_t kEndOfTimeMs = 253'402'300'800'000;  // the year 10000
    const std::int64_t ms = rows.number(column);
    if (ms > -kEndOfTimeMs && ms < kEndOfTimeMs) return Instant(Millis(ms));
    return damaged(name(), fmt::format("{} is no time", ms));
}

// NOLINTBEGIN(readability-identifier-naming): numbers of columns, and used as such.
enum AskColumn { kAskId, kAskSession, kAskCreated, kAskDeadline, kAskSpec, kAskSettlement };
enum EventColumn { kCursor = 6, kType, kAt, kSession, kAsk, kDoc, kRecord };
// NOLINTEND(readability-identifier-naming)

enum class AsOf { now, opening };

template <class Rows>
std::optional<std::string> optional_text(const Rows& rows, int column) {
    return rows.is_null(column) ? std::nullopt : std::optional<std::string>(rows.text(column));
}

// `known` is what it says, or null where it is to be read.
template <class Rows>
Result<AskPtr> read_ask_as_of(const Rows& rows, AsOf as_of, SharedSpec known = {}) {
    auto ask = std::make_shared<Ask>();
    ask->id = rows.template id<AskId>(kAskId);
    ask->session = rows.template id<SessionId>(kAskSession);
    const auto name = [&] { return RowName{"ask", "asks", ask->id.str()}; };
    TRY(created, read_instant(rows, kAskCreated, name));
    ask->created_at = created;
    if (!rows.is_null(kAskDeadline)) {
        TRY(deadline, read_instant(rows, kAskDeadline, name));
        if (deadline - created > limits::kTimeoutMax)
            return damaged(name(), "its deadline lies further away than any that was given");
        ask->deadline = deadline;
    }
    ask->spec = std::move(known);
    if (!ask->spec) {
        TRY(spec, share(spec_from_record(rows.text(kAskSpec)), name));
        ask->spec = std::move(spec);
    }
    if (as_of == AsOf::now && !rows.is_null(kAskSettlement)) {
        TRY(settlement, share(settlement_from_record(rows.text(kAskSettlement)),
                              [&] { return RowName{"settlement", "asks", ask->id.str()}; }));
        ask->settlement = std::move(settlement);
    }
    return ask;
}

template <class Rows>
RowName event_name(const Rows& rows) {
    return {"event", "events", std::to_string(rows.cursor(kCursor).value)};
}

// An ask as an event tells of it.
template <class Rows>
Result<AskPtr> read_told_ask(const Rows& rows, AsOf as_of, RecentSpecs* recent) {
    if (rows.is_null(kAskId))
        return damaged(event_name(rows), fmt::format("its ask {} is not in table asks",
                                                     rows.template id<AskId>(kAsk).str()));
    const bool is_over = recent != nullptr && as_of == AsOf::now;
    SharedSpec known = is_over ? recent->take(rows.template id<AskId>(kAskId)) : SharedSpec();
    TRY(ask, read_ask_as_of(rows, as_of, std::move(known)));
    if (recent != nullptr && as_of == AsOf::opening) recent->remember(ask->id, ask->spec);
    if (as_of == AsOf::now && !ask->settlement)
        return damaged(event_name(rows), fmt::format("its ask {} is not settled", ask->id.str()));
    return ask;
}

template <class Rows>
Result<DraftPtr> read_told_draft(const Rows& rows) {
    // The row went with its ask.
    if (rows.is_null(kRecord)) return std::make_shared<const Draft>();
    return share(draft_from_record(rows.text(kRecord)), [&] { return event_name(rows); });
}

template <class Rows>
Result<SnoozeChanged> read_told_snooze(const Rows& rows) {
    auto snooze = snooze_from_record(rows.text(kDoc));
    if (!snooze) return damaged(event_name(rows), snooze.error().message);
    snooze->ask = rows.template id<AskId>(kAsk);
    return snooze;
}

// Its ask may have gone since.
template <class Rows>
ContentDeleted read_told_deletion(const Rows& rows) {
    return {rows.template id<AskId>(kAsk), std::string(rows.text(kDoc))};
}

template <class Rows>
Result<EventBody> read_event_body(const Rows& rows, RecentSpecs* recent) {
    const auto name = [&] { return event_name(rows); };
    switch (static_cast<EventType>(rows.number(kType))) {
        case EventType::ask_opened: {
            TRY(ask, read_told_ask(rows, AsOf::opening, recent));
            return AskOpened{std::move(ask)};
        }
        case EventType::ask_settled: {
            TRY(ask, read_told_ask(rows, AsOf::now, recent));
            return AskSettled{std::move(ask)};
        }
        case EventType::draft_changed: {
            TRY(draft, read_told_draft(rows));
            return DraftChanged{rows.template id<AskId>(kAsk), std::string(rows.text(kDoc)),
                                std::move(draft)};
        }
        case EventType::snooze_changed: {
            TRY(snooze, read_told_snooze(rows));
            return snooze;
        }
        case EventType::session_created: {
            TRY(session, share(session_from_record(rows.text(kDoc)), name));
            return SessionCreated{std::move(session)};
        }
        case EventType::session_changed: {
            TRY(session, share(session_from_record(rows.text(kDoc)), name));
            return SessionChanged{std::move(session)};
        }
        case EventType::session_ended: {
            TRY(session, share(session_from_record(rows.text(kRecord)), name));
            return SessionEnded{std::move(session), optional_text(rows, kDoc)};
        }
        case EventType::part_added: {
            TRY(part, share(part_from_record(rows.text(kDoc)), name));
            return PartAdded{std::move(part)};
        }
        case EventType::message_added: {
            auto message = message_from_record(rows.text(kRecord));
            if (!message) return damaged(name(), message.error().message);
            return std::move(*message);
        }
        case EventType::messages_taken: {
            const auto up_to = MessageId::parse(rows.text(kDoc));
            if (!up_to) return damaged(name(), "it names no message");
            return MessagesTaken{*up_to};
        }
        case EventType::notice_given: {
            auto notice = notice_from_record(rows.text(kDoc));
            if (!notice) return damaged(name(), notice.error().message);
            return std::move(*notice);
        }
        case EventType::agent_revoked: return AgentRevoked{std::string(rows.text(kDoc))};
        // Only its name: the reader looks it up.
        case EventType::token_changed: return TokenChanged{std::string(rows.text(kDoc)), nullptr};
        case EventType::mark_changed: return MarkChanged{std::string(rows.text(kDoc)), nullptr};
        case EventType::content_deleted: return read_told_deletion(rows);
    }
    return damaged(name(), fmt::format("unknown type {}", rows.number(kType)));
}

template <class Rows>
Result<AskPtr> read_ask(const Rows& rows) {
    return read_ask_as_of(rows, AsOf::now);
}

template <class Rows>
Result<SessionPtr> read_session(const Rows& rows) {
    const auto id = rows.template id<SessionId>(0);
    const auto name = [&] { return RowName{"session", "sessions", id.str()}; };
    TRY(session, share(session_from_record(rows.text(1)), name));
    if (session->id != id) return damaged(name(), "its record is of another session");
    return session;
}

// With `recent`, what follows from event to event is read once.
template <class Rows>
Result<EventPtr> read_event(const Rows& rows, RecentSpecs* recent = nullptr) {
    TRY(at, read_instant(rows, kAt, [&] { return event_name(rows); }));
    TRY(body, read_event_body(rows, recent));
    return std::make_shared<const Event>(
        Event{rows.cursor(kCursor), at, rows.template id<SessionId>(kSession), std::move(body)});
}

template <class Rows>
Result<TokenPtr> read_token(const Rows& rows) {
    const auto name = [&] { return RowName{"token", "tokens", std::string(rows.text(0))}; };
    const auto role = rows.number(1);
    if (role < 0 || role > static_cast<int>(Role::owner)) return damaged(name(), "unknown role");
    auto token = std::make_shared<Token>();
    token->name = rows.text(0);
    token->role = static_cast<Role>(role);
    token->hash = rows.text(2);
    TRY(created, read_instant(rows, 3, name));
    token->created_at = created;
    if (!rows.is_null(4)) {
        TRY(expires, read_instant(rows, 4, name));
        token->expires_at = expires;
    }
    token->principal = rows.text(5);
    token->person = rows.text(6);
    token->device = rows.text(7);
    if (!rows.is_null(8)) {
        TRY(used, read_instant(rows, 8, name));
        token->used_at = used;
    }
    if (!rows.is_null(9)) token->session = rows.template id<SessionId>(9);
    return token;
}

// Of a row that begins with an ask and a principal.
template <class Rows>
RowName responder_row(std::string_view what, std::string_view table, const Rows& rows) {
    return {what, table, fmt::format("{} {}", rows.template id<AskId>(0).str(), rows.text(1))};
}

// ask, principal, record
template <class Rows>
Result<KeptDraft> read_kept_draft(const Rows& rows) {
    TRY(draft, share(draft_from_record(rows.text(2)),
                     [&] { return responder_row("draft", "drafts", rows); }));
    return KeptDraft{rows.template id<AskId>(0), std::string(rows.text(1)), std::move(draft)};
}

// ask, principal, until_ms
template <class Rows>
Result<Snooze> read_snooze(const Rows& rows) {
    TRY(until, read_instant(rows, 2, [&] { return responder_row("snooze", "snoozes", rows); }));
    return Snooze{rows.template id<AskId>(0), std::string(rows.text(1)), until};
}

// session, at_ms, record, id
template <class Rows>
Result<QueuedMessage> read_message(const Rows& rows) {
    const auto id = rows.template id<MessageId>(3);
    const auto name = [&] { return RowName{"message", "messages", id.str()}; };
    auto message = message_from_record(rows.text(2));
    if (!message) return damaged(name(), message.error().message);
    if (message->id != id) return damaged(name(), "its record is of another message");
    TRY(at, read_instant(rows, 1, name));
    return QueuedMessage{rows.template id<SessionId>(0), at, std::move(*message)};
}

template <class Rows>
Result<MarkPtr> read_mark(const Rows& rows) {
    const auto name = [&] { return RowName{"mark", "marks", std::string(rows.text(0))}; };
    auto mark = std::make_shared<Mark>();
    mark->key = rows.text(0);
    mark->value = rows.text(1);
    TRY(at, read_instant(rows, 2, name));
    mark->at = at;
    if (!rows.is_null(3)) {
        TRY(expires, read_instant(rows, 3, name));
        mark->expires_at = expires;
    }
    return mark;
}

// Nobody could withdraw an ask whose session is not there, and no front could show it.
inline Result<void> check_sessions_of_asks(const Snapshot& snapshot) {
    for (const AskPtr& ask : snapshot.pending) {
        const bool is_there = std::ranges::binary_search(
            snapshot.sessions, ask->session, {}, [](const auto& session) { return session->id; });
        if (!is_there)
            return damaged({"ask", "asks", ask->id.str()},
                           fmt::format("its session {} is not in table sessions, or has ended",
                                       ask->session.str()));
    }
    return {};
}

}  // namespace parley::stored
