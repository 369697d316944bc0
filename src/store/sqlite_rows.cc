// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_rows.h"

#include <memory>
#include <optional>
#include <utility>

#include "core/record.h"
#include "store/sqlite_damage.h"
#include "store/sqlite_schema.h"
#include "text/limits.h"

namespace parley::sqlite {

namespace {

// NOLINTBEGIN(readability-identifier-naming): numbers of columns, and used as such.
enum AskColumn { kAskId, kAskSession, kAskCreated, kAskDeadline, kAskSpec, kAskSettlement };
enum EventColumn { kCursor = 6, kType, kAt, kSession, kAsk, kDoc, kRecord };
// NOLINTEND(readability-identifier-naming)

enum class AsOf { now, opening };

Result<AskPtr> read_ask_as_of(const Rows& rows, AsOf as_of) {
    auto ask = std::make_shared<Ask>();
    ask->id = rows.id<AskId>(kAskId);
    ask->session = rows.id<SessionId>(kAskSession);
    const auto name = [&] { return RowName{"ask", "asks", ask->id.str()}; };
    TRY(created, read_instant(rows, kAskCreated, name));
    ask->created_at = created;
    if (!rows.is_null(kAskDeadline)) {
        TRY(deadline, read_instant(rows, kAskDeadline, name));
        if (deadline - created > limits::kTimeoutMax)
            return damaged(name(), "its deadline lies further away than any that was given");
        ask->deadline = deadline;
    }
    TRY(spec, share(spec_from_record(rows.text(kAskSpec)), name));
    ask->spec = std::move(spec);
    if (as_of == AsOf::now && !rows.is_null(kAskSettlement)) {
        TRY(settlement, share(settlement_from_record(rows.text(kAskSettlement)),
                              [&] { return RowName{"settlement", "asks", ask->id.str()}; }));
        ask->settlement = std::move(settlement);
    }
    return ask;
}

RowName event_name(const Rows& rows) {
    return {"event", "events", std::to_string(rows.cursor(kCursor).value)};
}

// An ask as an event tells of it.
Result<AskPtr> read_told_ask(const Rows& rows, AsOf as_of) {
    if (rows.is_null(kAskId))
        return damaged(event_name(rows),
                       fmt::format("its ask {} is not in table asks", rows.id<AskId>(kAsk).str()));
    TRY(ask, read_ask_as_of(rows, as_of));
    if (as_of == AsOf::now && !ask->settlement)
        return damaged(event_name(rows), fmt::format("its ask {} is not settled", ask->id.str()));
    return ask;
}

Result<DraftPtr> read_told_draft(const Rows& rows) {
    // The row went with its ask.
    if (rows.is_null(kRecord)) return std::make_shared<const Draft>();
    return share(draft_from_record(rows.text(kRecord)), [&] { return event_name(rows); });
}

Result<SnoozeChanged> read_told_snooze(const Rows& rows) {
    auto snooze = snooze_from_record(rows.text(kDoc));
    if (!snooze) return damaged(event_name(rows), snooze.error().message);
    snooze->ask = rows.id<AskId>(kAsk);
    return snooze;
}

Result<EventBody> read_event_body(const Rows& rows) {
    const auto name = [&] { return event_name(rows); };
    switch (static_cast<EventType>(rows.number(kType))) {
        case EventType::ask_opened: {
            TRY(ask, read_told_ask(rows, AsOf::opening));
            return AskOpened{std::move(ask)};
        }
        case EventType::ask_settled: {
            TRY(ask, read_told_ask(rows, AsOf::now));
            return AskSettled{std::move(ask)};
        }
        case EventType::draft_changed: {
            TRY(draft, read_told_draft(rows));
            return DraftChanged{rows.id<AskId>(kAsk), std::string(rows.text(kDoc)),
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
            std::optional<std::string> reason;
            if (!rows.is_null(kDoc)) reason = rows.text(kDoc);
            return SessionEnded{std::move(session), std::move(reason)};
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
    }
    return damaged(name(), fmt::format("unknown type {}", rows.number(kType)));
}

}  // namespace

Result<AskPtr> read_ask(const Rows& rows) {
    return read_ask_as_of(rows, AsOf::now);
}

Result<SessionPtr> read_session(const Rows& rows) {
    const auto id = rows.id<SessionId>(0);
    const auto name = [&] { return RowName{"session", "sessions", id.str()}; };
    TRY(session, share(session_from_record(rows.text(1)), name));
    if (session->id != id) return damaged(name(), "its record is of another session");
    return session;
}

Result<EventPtr> read_event(const Rows& rows) {
    TRY(at, read_instant(rows, kAt, [&] { return event_name(rows); }));
    TRY(body, read_event_body(rows));
    return std::make_shared<const Event>(
        Event{rows.cursor(kCursor), at, rows.id<SessionId>(kSession), std::move(body)});
}

}  // namespace parley::sqlite
