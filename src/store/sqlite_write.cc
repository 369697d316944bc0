// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_write.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "base/overload.h"
#include "core/questions.h"
#include "core/record.h"
#include "core/settle.h"
#include "store/stored_changes.h"

namespace parley::sqlite {

using stored::as_view;
using stored::asker_of;
using stored::call_id_of;
using stored::settled_copy;

Writer::Writer(const Connection& connection, Reader& reader, const Snapshot& loaded, Filing filing)
    : connection_(connection),
      reader_(reader),
      filing_(std::move(filing)),
      head_(loaded.head),
      insert_event_(connection, "INSERT INTO events VALUES(?1, ?2, ?3, ?4, ?5, ?6)"),
      // No row comes of it if a name of the ask is taken.
      insert_ask_(connection,
                  "INSERT OR IGNORE INTO asks(opened, id, session, state, created_ms, deadline_ms, "
                  "key, call_id, spec, asker) VALUES(?1, ?2, ?3, 0, ?4, ?5, ?6, ?7, ?8, ?9)"),
      // The compare-and-set: only a pending ask has a row to update.
      settle_ask_(connection,
                  "UPDATE asks SET state = ?2, settled = ?3, settlement = ?4 "
                  "WHERE id = ?1 AND state = 0"),
      drop_drafts_(connection, "DELETE FROM drafts WHERE ask = ?1"),
      drop_snoozes_(connection, "DELETE FROM snoozes WHERE ask = ?1"),
      pending_session_(connection, "SELECT session FROM asks WHERE id = ?1 AND state = 0"),
      insert_session_(connection,
                      "INSERT INTO sessions(opened, id, name, record) VALUES(?1, ?2, ?3, ?4) "
                      "ON CONFLICT DO NOTHING"),
      update_session_(connection, "UPDATE sessions SET record = ?2 WHERE id = ?1"),
      end_session_(connection, "UPDATE sessions SET ended_ms = ?2, record = ?3 WHERE id = ?1"),
      // Ids ascend, so one that is not above what was taken was there before.
      insert_message_(connection,
                      "INSERT INTO messages SELECT ?1, ?2, ?3, ?4, ?5 FROM sessions "
                      "WHERE id = ?3 AND ended_ms IS NULL AND coalesce(taken, x'') < ?2 "
                      "ON CONFLICT DO NOTHING"),
      take_messages_(connection,
                     "UPDATE sessions SET taken = ?2 WHERE id = ?1 AND ended_ms IS NULL "
                     "AND coalesce(taken, x'') < ?2"),
      draft_(connection, "SELECT record FROM drafts WHERE ask = ?1 AND principal = ?2"),
      put_draft_(connection,
                 "INSERT INTO drafts VALUES(?1, ?2, ?3) ON CONFLICT DO UPDATE "
                 "SET record = excluded.record"),
      snooze_(connection, "SELECT until_ms FROM snoozes WHERE ask = ?1 AND principal = ?2"),
      put_snooze_(connection,
                  "INSERT INTO snoozes VALUES(?1, ?2, ?3) ON CONFLICT DO UPDATE "
                  "SET until_ms = excluded.until_ms"),
      drop_snooze_(connection, "DELETE FROM snoozes WHERE ask = ?1 AND principal = ?2"),
      insert_token_(connection,
                    "INSERT INTO tokens VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"),
      person_taken_(connection,
                    "SELECT 1 FROM tokens WHERE person = ?1 AND person <> '' AND principal <> ?2"),
      tokens_of_(connection, "SELECT name, person FROM tokens WHERE principal = ?1 ORDER BY name"),
      name_person_(connection, "UPDATE tokens SET person = ?2 WHERE name = ?1"),
      touch_token_(connection,
                   "UPDATE tokens SET used_ms = ?2 WHERE name = ?1 AND coalesce(used_ms, -1) < ?2"),
      drop_token_(connection, "DELETE FROM tokens WHERE name = ?1"),
      put_mark_(connection, "INSERT OR REPLACE INTO marks VALUES(?1, ?2, ?3, ?4)"),
      drop_mark_(connection, "DELETE FROM marks WHERE key = ?1"),
      blank_ask_(connection, "UPDATE asks SET spec = ?2, settlement = ?3 WHERE id = ?1") {
    for (const KeptDraft& draft : loaded.drafts) noted_.insert(draft.ask);
    for (const Snooze& snooze : loaded.snoozes) noted_.insert(snooze.ask);
    for (const SessionPtr& session : loaded.sessions) live_.insert(session->id);
}

Result<CommitReport> Writer::apply(std::span<const Change> changes) {
    report_ = {};
    report_.outcomes.reserve(changes.size());
    report_.events.reserve(changes.size());
    for (const Change& change : changes) {
        TRY(outcome, std::visit([this](const auto& one) { return apply_one(one); }, change));
        report_.outcomes.push_back(std::move(outcome));
    }
    CHECK_OK(filing_.keep_up_with(head_));
    return std::move(report_);
}

Result<ChangeOutcome> Writer::apply_one(const OpenAsk& change) {
    const Ask& ask = *change.ask;
    if (!is_live(ask.session)) return explain_refused_ask(ask);
    const std::string record = to_record(*ask.spec);
    TRY(inserted, insert_ask_.run(next(), ask.id, ask.session, ask.created_at, ask.deadline,
                                  as_view(ask.spec->key), call_id_of(*ask.spec),
                                  std::string_view(record), asker_of(*ask.spec)));
    if (inserted == 0) return explain_refused_ask(ask);
    filing_.on_opened(ask.id);
    CHECK_OK(add_event({.type = EventType::ask_opened,
                        .at = ask.created_at,
                        .session = ask.session,
                        .ask = ask.id},
                       AskOpened{change.ask}));
    return ChangeOutcome{Verdict::applied, change.ask};
}

Result<ChangeOutcome> Writer::explain_refused_ask(const Ask& ask) {
    TRY(standing, reader_.find_ask(ask.id));
    if (standing) return ChangeOutcome{Verdict::existing, standing};
    if (ask.spec->key) {
        TRY(found, reader_.find_ask_by_key(ask.session, *ask.spec->key));
        standing = found;
    }
    if (const auto call_id = call_id_of(*ask.spec); !standing && call_id) {
        TRY(found, reader_.find_ask_by_call(ask.session, *call_id));
        standing = found;
    }
    if (!standing) return ChangeOutcome{Verdict::missing};
    const bool is_same = asks_the_same(*standing->spec, *ask.spec);
    return ChangeOutcome{is_same ? Verdict::existing : Verdict::conflict, standing};
}

Result<ChangeOutcome> Writer::apply_one(const SettleAsk& change) {
    const Settlement& offered = *change.settlement;
    TRY(is_allowed, may_settle(change));
    bool is_first = false;
    if (is_allowed) {
        TRY(settled_now, mark_settled(change.ask, offered, to_record(offered)));
        is_first = settled_now;
    }
    if (!is_first) {
        TRY(standing, reader_.find_ask(change.ask));
        if (!standing) return ChangeOutcome{Verdict::missing};
        if (!standing->settlement) return ChangeOutcome{Verdict::refused, standing};
        const bool is_same = is_repeat(*standing->settlement, offered);
        return ChangeOutcome{is_same ? Verdict::existing : Verdict::conflict, standing};
    }
    AskPtr before = change.known;
    if (!before) {
        TRY(found, reader_.find_ask(change.ask));
        before = found;
    }
    AskPtr settled = settled_copy(*before, change.settlement);
    CHECK_OK(filing_.on_settled(settled->session, settled->id));
    const char state = static_cast<char>('0' + state_after(offered.outcome));
    CHECK_OK(add_event({.type = EventType::ask_settled,
                        .at = offered.at,
                        .session = settled->session,
                        .ask = settled->id,
                        .doc = std::string_view(&state, 1)},
                       AskSettled{settled}));
    return ChangeOutcome{Verdict::applied, settled};
}

Result<bool> Writer::may_settle(const SettleAsk& change) {
    if (!change.only_while) return true;
    TRY(standing, reader_.find_mark(change.only_while->key));
    return holds(*change.only_while, standing);
}

Result<bool> Writer::mark_settled(AskId id, const Settlement& settlement, std::string_view record) {
    TRY(updated, settle_ask_.run(id, state_after(settlement.outcome), next(), record));
    if (updated == 0) return false;
    if (noted_.erase(id) == 0) return true;
    CHECK_OK(drop_drafts_.run(id));
    CHECK_OK(drop_snoozes_.run(id));
    return true;
}

Result<void> Writer::add_event(const EventRow& row, EventBody body) {
    const Cursor cursor = next();
    const auto session = row.session.is_nil() ? std::nullopt : std::optional(row.session);
    CHECK_OK(
        insert_event_.run(cursor, static_cast<int>(row.type), row.at, session, row.ask, row.doc));
    head_ = cursor;
    if (session) filing_.on_event(*session, cursor);
    report_.events.push_back(
        std::make_shared<const Event>(Event{cursor, row.at, row.session, std::move(body)}));
    return {};
}

bool Writer::was_stored_before(Instant at, SessionId session, const EventBody& body) {
    return stored::take_recognised(recognised_, at, session, body);
}

}  // namespace parley::sqlite
