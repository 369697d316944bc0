// SPDX-License-Identifier: Apache-2.0
// The changes of Writer that are not about opening and settling asks.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/record.h"
#include "core/viewer.h"
#include "store/sqlite_write.h"

namespace parley::sqlite {

Result<ChangeOutcome> Writer::apply_one(const OpenSession& change) {
    const Session& session = *change.session;
    const std::string record = to_record(session);
    const std::string key = live_name(session);
    const auto name = session.name ? std::optional<std::string_view>(key) : std::nullopt;
    TRY(inserted, insert_session_.run(next(), session.id, name, std::string_view(record)));
    if (inserted == 0) {
        TRY(standing, reader_.find_session(session.id));
        if (!standing && name) {
            TRY(found, reader_.find_live_session(*name));
            standing = found;
        }
        return ChangeOutcome{.verdict = Verdict::existing, .session = standing};
    }
    live_.insert(session.id);
    CHECK_OK(add_event({.type = EventType::session_created,
                        .at = session.created_at,
                        .session = session.id,
                        .doc = record},
                       SessionCreated{change.session}));
    return ChangeOutcome{.verdict = Verdict::applied, .session = change.session};
}

Result<ChangeOutcome> Writer::apply_one(const ChangeSession& change) {
    TRY(standing, reader_.find_session(change.session));
    if (!standing || standing->ended_at) return ChangeOutcome{Verdict::missing};
    const auto changed = std::make_shared<const Session>(changed_by(change, *standing));
    if (*changed == *standing)
        return ChangeOutcome{.verdict = Verdict::existing, .session = standing};
    const std::string record = to_record(*changed);
    CHECK_OK(update_session_.run(changed->id, std::string_view(record)));
    CHECK_OK(add_event({.type = EventType::session_changed,
                        .at = change.at,
                        .session = changed->id,
                        .doc = record},
                       SessionChanged{changed}));
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
    CHECK_OK(end_session_.run(ended->id, change.at, std::string_view(record)));
    live_.erase(ended->id);
    const auto reason =
        change.reason ? std::optional<std::string_view>(*change.reason) : std::nullopt;
    CHECK_OK(add_event(
        {.type = EventType::session_ended, .at = change.at, .session = ended->id, .doc = reason},
        SessionEnded{ended, change.reason}));
    return ChangeOutcome{.verdict = Verdict::applied, .session = ended};
}

Result<bool> Writer::has_pending_of_others(const EndSession& change) {
    AskQuery pending{.state = AskState::pending, .session = change.session};
    for (;;) {
        TRY(page, reader_.list_asks(pending));
        for (const AskPtr& ask : page.asks)
            if (ask->spec->asker != *change.only_asker) return true;
        if (!page.has_more) return false;
        pending.after = page.asks.back()->id;
    }
}

Result<void> Writer::withdraw_asks(const EndSession& change) {
    AskQuery pending{.state = AskState::pending, .session = change.session};
    const SettleAsk withdrawal{.ask = {}, .settlement = change.withdrawal};
    for (;;) {
        TRY(page, reader_.list_asks(pending));
        for (const AskPtr& ask : page.asks) {
            SettleAsk one = withdrawal;
            one.ask = ask->id;
            one.known = ask;
            CHECK_OK(apply_one(one));
        }
        if (!page.has_more) return {};
        pending.after = page.asks.back()->id;
    }
}

Result<ChangeOutcome> Writer::apply_one(const AddPart& change) {
    if (!is_live(change.session)) return ChangeOutcome{Verdict::missing};
    PartAdded body{change.part};
    if (was_stored_before(change.at, change.session, body)) return ChangeOutcome{Verdict::existing};
    const std::string record = to_record(*change.part);
    CHECK_OK(add_event(
        {.type = EventType::part_added, .at = change.at, .session = change.session, .doc = record},
        std::move(body)));
    return ChangeOutcome{Verdict::applied};
}

Result<ChangeOutcome> Writer::apply_one(const GiveNotice& change) {
    if (!change.session.is_nil() && !is_live(change.session))
        return ChangeOutcome{Verdict::missing};
    if (was_stored_before(change.at, change.session, change.notice))
        return ChangeOutcome{Verdict::existing};
    const std::string record = to_record(change.notice);
    CHECK_OK(add_event({.type = EventType::notice_given,
                        .at = change.at,
                        .session = change.session,
                        .doc = record},
                       change.notice));
    return ChangeOutcome{Verdict::applied};
}

Result<ChangeOutcome> Writer::apply_one(const AddMessage& change) {
    const std::string record = to_record(change.message);
    TRY(inserted, insert_message_.run(next(), change.message.id, change.session, change.at,
                                      std::string_view(record)));
    if (inserted == 0)
        return ChangeOutcome{is_live(change.session) ? Verdict::existing : Verdict::missing};
    CHECK_OK(
        add_event({.type = EventType::message_added, .at = change.at, .session = change.session},
                  change.message));
    return ChangeOutcome{Verdict::applied};
}

Result<ChangeOutcome> Writer::apply_one(const TakeMessages& change) {
    TRY(updated, take_messages_.run(change.session, change.up_to));
    if (updated == 0)
        return ChangeOutcome{is_live(change.session) ? Verdict::existing : Verdict::missing};
    const std::string up_to = change.up_to.str();
    CHECK_OK(add_event({.type = EventType::messages_taken,
                        .at = change.at,
                        .session = change.session,
                        .doc = up_to},
                       MessagesTaken{change.up_to}));
    return ChangeOutcome{Verdict::applied};
}

Result<SessionId> Writer::session_of_pending(AskId id) {
    Rows rows(pending_session_, id);
    TRY(is_there, rows.next());
    return is_there ? rows.id<SessionId>(0) : SessionId();
}

Result<DraftPtr> Writer::find_draft(AskId ask, std::string_view principal) {
    Rows rows(draft_, ask, principal);
    TRY(is_there, rows.next());
    if (!is_there) return nullptr;
    TRY(draft, draft_from_record(rows.text(0)));
    return std::make_shared<const Draft>(std::move(draft));
}

Result<ChangeOutcome> Writer::apply_one(const PutDraft& change) {
    TRY(session, session_of_pending(change.ask));
    if (session.is_nil()) return ChangeOutcome{Verdict::missing};
    const std::string_view principal = change.principal;
    TRY(standing, find_draft(change.ask, principal));
    DraftStep step = drafted_by(change, standing);
    if (step.verdict == Verdict::applied) {
        noted_.insert(change.ask);
        const std::string record = to_record(*step.draft);
        CHECK_OK(put_draft_.run(change.ask, principal, std::string_view(record)));
        CHECK_OK(add_event({.type = EventType::draft_changed,
                            .at = change.at,
                            .session = session,
                            .ask = change.ask,
                            .doc = principal},
                           DraftChanged{change.ask, change.principal, step.draft}));
    }
    return ChangeOutcome{.verdict = step.verdict, .draft = std::move(step.draft)};
}

Result<std::optional<Instant>> Writer::find_snooze(AskId ask, std::string_view principal) {
    Rows rows(snooze_, ask, principal);
    TRY(is_there, rows.next());
    if (!is_there) return std::nullopt;
    return Instant(Millis(rows.number(0)));
}

Result<ChangeOutcome> Writer::apply_one(const PutSnooze& change) {
    TRY(session, session_of_pending(change.ask));
    if (session.is_nil()) return ChangeOutcome{Verdict::missing};
    const std::string_view principal = change.principal;
    TRY(standing, find_snooze(change.ask, principal));
    if (standing == change.until) return ChangeOutcome{Verdict::existing};
    if (change.until) {
        noted_.insert(change.ask);
        CHECK_OK(put_snooze_.run(change.ask, principal, *change.until));
    } else {
        CHECK_OK(drop_snooze_.run(change.ask, principal));
    }
    SnoozeChanged body{change.ask, change.principal, change.until};
    const std::string record = to_record(body);
    CHECK_OK(add_event({.type = EventType::snooze_changed,
                        .at = change.at,
                        .session = session,
                        .ask = change.ask,
                        .doc = record},
                       std::move(body)));
    return ChangeOutcome{Verdict::applied};
}

}  // namespace parley::sqlite
