// SPDX-License-Identifier: Apache-2.0
// The changes of Writer that look before they write: sessions, drafts, snoozes.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/record.h"
#include "core/viewer.h"
#include "store/postgres/writer.h"

namespace parley::postgres {

using stored::EventType;

Result<ChangeOutcome> Writer::apply_one(const OpenSession& change) {
    const Session& session = *change.session;
    std::string record = to_record(session);
    const std::string key = live_name(session);
    const auto name = session.name ? std::optional<std::string_view>(key) : std::nullopt;
    for (;;) {
        TRY(inserted,
            connection_.run(sql_.insert_session, session.id, name, std::string_view(record)));
        if (inserted.affected() > 0) break;
        TRY(standing, reader_.find_session(session.id));
        if (!standing && name) {
            TRY(found, reader_.find_live_session(*name));
            standing = found;
        }
        if (standing) return ChangeOutcome{.verdict = Verdict::existing, .session = standing};
        // Another node has ended the one of that name since: the name is free.
    }
    add_event({.type = EventType::session_created,
               .at = session.created_at,
               .session = session.id,
               .doc = std::move(record)},
              SessionCreated{change.session});
    return ChangeOutcome{.verdict = Verdict::applied, .session = change.session};
}

Result<ChangeOutcome> Writer::apply_one(const ChangeSession& change) {
    TRY(standing, reader_.find_session(change.session));
    if (!standing || standing->ended_at) return ChangeOutcome{Verdict::missing};
    const auto changed = std::make_shared<const Session>(changed_by(change, *standing));
    if (*changed == *standing)
        return ChangeOutcome{.verdict = Verdict::existing, .session = standing};
    std::string record = to_record(*changed);
    CHECK_OK(connection_.run(sql_.update_session, changed->id, std::string_view(record)));
    add_event({.type = EventType::session_changed,
               .at = change.at,
               .session = changed->id,
               .doc = std::move(record)},
              SessionChanged{changed});
    return ChangeOutcome{.verdict = Verdict::applied, .session = changed};
}

Result<ChangeOutcome> Writer::apply_one(const EndSession& change) {
    TRY(standing, reader_.find_session(change.session));
    if (!standing) return ChangeOutcome{Verdict::missing};
    if (standing->ended_at) return ChangeOutcome{.verdict = Verdict::existing, .session = standing};
    if (change.only_asker) {
        TRY(has_others, has_pending_of_others(change));
        if (has_others) return ChangeOutcome{Verdict::conflict};
    }
    CHECK_OK(withdraw_asks(change));
    auto ended = std::make_shared<Session>(*standing);
    ended->ended_at = change.at;
    ended->activity = Activity::idle;
    const std::string record = to_record(*ended);
    CHECK_OK(connection_.run(sql_.end_session, ended->id, change.at, std::string_view(record)));
    add_event({.type = EventType::session_ended,
               .at = change.at,
               .session = ended->id,
               .doc = change.reason},
              SessionEnded{ended, change.reason});
    return ChangeOutcome{.verdict = Verdict::applied, .session = ended};
}

Result<bool> Writer::has_pending_of_others(const EndSession& change) {
    AskQuery pending{.state = AskState::pending, .session = change.session};
    for (;;) {
        TRY(page, reader_.list_asks(pending));
        for (const AskPtr& ask : page.asks)
            if (ask->spec->asker != *change.only_asker) return true;
        if (!page.has_more) return false;
        pending.after = page.last;
    }
}

Result<void> Writer::withdraw_asks(const EndSession& change) {
    AskQuery pending{.state = AskState::pending, .session = change.session};
    for (;;) {
        TRY(page, reader_.list_asks(pending));
        std::vector<SettleAsk> withdrawals;
        for (const AskPtr& ask : page.asks)
            withdrawals.push_back({.ask = ask->id, .settlement = change.withdrawal, .known = ask});
        for (const SettleAsk& one : withdrawals) CHECK_OK(send_change(one));
        if (!withdrawals.empty()) CHECK_OK(connection_.sync());
        for (const SettleAsk& one : withdrawals) {
            TRY(rows, connection_.receive());
            CHECK_OK(take(one, std::move(rows)));
        }
        if (!page.has_more) return {};
        pending.after = page.last;
    }
}

Result<SessionId> Writer::session_of_pending(AskId id) {
    TRY(rows, connection_.run(sql_.pending_session, id));
    return rows.next() ? rows.id<SessionId>(0) : SessionId();
}

Result<ChangeOutcome> Writer::apply_one(const PutDraft& change) {
    TRY(session, session_of_pending(change.ask));
    if (session.is_nil()) return ChangeOutcome{Verdict::missing};
    const std::string_view principal = change.principal;
    TRY(rows, connection_.run(sql_.draft, change.ask, principal));
    DraftPtr standing;
    if (rows.next()) {
        TRY(draft, draft_from_record(rows.text(0)));
        standing = std::make_shared<const Draft>(std::move(draft));
    }
    DraftStep step = drafted_by(change, standing);
    if (step.verdict == Verdict::applied) {
        const std::string record = to_record(*step.draft);
        CHECK_OK(connection_.run(sql_.put_draft, change.ask, principal, std::string_view(record)));
        add_event({.type = EventType::draft_changed,
                   .at = change.at,
                   .session = session,
                   .ask = change.ask,
                   .doc = change.principal},
                  DraftChanged{change.ask, change.principal, step.draft});
    }
    return ChangeOutcome{.verdict = step.verdict, .draft = std::move(step.draft)};
}

Result<ChangeOutcome> Writer::apply_one(const PutSnooze& change) {
    TRY(session, session_of_pending(change.ask));
    if (session.is_nil()) return ChangeOutcome{Verdict::missing};
    const std::string_view principal = change.principal;
    TRY(rows, connection_.run(sql_.snooze, change.ask, principal));
    const auto standing = rows.next() ? std::optional(rows.instant(0)) : std::nullopt;
    if (standing == change.until) return ChangeOutcome{Verdict::existing};
    if (change.until) {
        CHECK_OK(connection_.run(sql_.put_snooze, change.ask, principal, *change.until));
    } else {
        CHECK_OK(connection_.run(sql_.drop_snooze, change.ask, principal));
    }
    SnoozeChanged body{change.ask, change.principal, change.until};
    std::string record = to_record(body);
    add_event({.type = EventType::snooze_changed,
               .at = change.at,
               .session = session,
               .ask = change.ask,
               .doc = std::move(record)},
              std::move(body));
    return ChangeOutcome{Verdict::applied};
}

}  // namespace parley::postgres
