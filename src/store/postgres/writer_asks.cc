// SPDX-License-Identifier: Apache-2.0
// The changes of Writer that are sent together with others: asks, parts, notices, messages.
#include <memory>
#include <string>
#include <utility>

#include "core/questions.h"
#include "core/record.h"
#include "core/settle.h"
#include "store/postgres/writer.h"
#include "store/stored_changes.h"
#include "store/stored_rows.h"

namespace parley::postgres {

using stored::EventType;

namespace {

constexpr int kCount = 6;  // the column after those of an ask

ChangeOutcome found_by_name(const Ask& offered, AskPtr standing) {
    const bool is_same =
        standing->id == offered.id || asks_the_same(*standing->spec, *offered.spec);
    return {is_same ? Verdict::existing : Verdict::conflict, std::move(standing)};
}

}  // namespace

Result<void> Writer::send_change(const OpenAsk& change) {
    const Ask& ask = *change.ask;
    const std::string record = to_record(*ask.spec);
    return connection_.send(sql_.insert_ask, ask.id, ask.session, ask.created_at, ask.deadline,
                            stored::as_view(ask.spec->key), stored::call_id_of(*ask.spec),
                            std::string_view(record), stored::asker_of(*ask.spec));
}

ChangeOutcome Writer::take(const OpenAsk& change, const Rows& rows) {
    const Ask& ask = *change.ask;
    if (rows.affected() == 0) return {Verdict::missing};
    add_event({.type = EventType::ask_opened,
               .at = ask.created_at,
               .session = ask.session,
               .ask = ask.id},
              AskOpened{change.ask});
    reader_.recent_specs().remember(ask.id, ask.spec);
    return {Verdict::applied, change.ask};
}

// Its session has ended, or one of its names is taken.
Result<ChangeOutcome> Writer::explain_refused(const OpenAsk& change) {
    const Ask& ask = *change.ask;
    TRY(standing, reader_.find_ask(ask.id));
    if (!standing && ask.spec->key) {
        TRY(found, reader_.find_ask_by_key(ask.session, *ask.spec->key));
        standing = found;
    }
    if (const auto call_id = stored::call_id_of(*ask.spec); !standing && call_id) {
        TRY(found, reader_.find_ask_by_call(ask.session, *call_id));
        standing = found;
    }
    if (!standing) return ChangeOutcome{Verdict::missing};
    return found_by_name(ask, std::move(standing));
}

Result<void> Writer::send_change(const SettleAsk& change) {
    const std::string record = to_record(*change.settlement);
    // Read back whenever it was refused, and else unless the caller has it.
    const int up_to = change.known ? 0 : 1;
    const int state = stored::state_after(change.settlement->outcome);
    if (const MarkPtr& mark = change.only_while)
        return connection_.send(sql_.settle_ask_while, change.ask, state, std::string_view(record),
                                up_to, std::string_view(mark->key), std::string_view(mark->value));
    return connection_.send(sql_.settle_ask, change.ask, state, std::string_view(record), up_to);
}

Result<ChangeOutcome> Writer::take(const SettleAsk& change, Rows rows) {
    const Settlement& offered = *change.settlement;
    if (!rows.next()) return reject(ErrorCode::internal, "the store said nothing of an ask");
    const bool is_first = rows.number(kCount) > 0;
    AskPtr before = change.known;
    if (!is_first || !before) {
        if (rows.is_null(0)) return ChangeOutcome{Verdict::missing};
        TRY(found, stored::read_ask(rows));
        before = found;
    }
    if (change.only_while && !before->settlement && !rows.flag(kCount + 1))
        return ChangeOutcome{Verdict::refused, std::move(before)};
    if (!is_first) {
        const bool is_same = before->settlement && is_repeat(*before->settlement, offered);
        return ChangeOutcome{is_same ? Verdict::existing : Verdict::conflict, std::move(before)};
    }
    AskPtr settled = stored::settled_copy(*before, change.settlement);
    settled_.push_back(settled->id);
    reader_.recent_specs().take(settled->id);
    add_event({.type = EventType::ask_settled,
               .at = offered.at,
               .session = settled->session,
               .ask = settled->id},
              AskSettled{settled});
    return ChangeOutcome{Verdict::applied, std::move(settled)};
}

// Another node settled it while this one waited to.
Result<ChangeOutcome> Writer::explain_refused(const SettleAsk& change) {
    TRY(standing, reader_.find_ask(change.ask));
    if (!standing || !standing->settlement) return ChangeOutcome{Verdict::missing};
    const bool is_same = is_repeat(*standing->settlement, *change.settlement);
    return ChangeOutcome{is_same ? Verdict::existing : Verdict::conflict, std::move(standing)};
}

ChangeOutcome Writer::take(const AddPart& change, const Rows& rows) {
    if (rows.count() == 0) return {Verdict::missing};
    PartAdded body{change.part};
    if (was_stored_before(change.at, change.session, body)) return {Verdict::existing};
    add_event({.type = EventType::part_added,
               .at = change.at,
               .session = change.session,
               .doc = to_record(*change.part)},
              std::move(body));
    return {Verdict::applied};
}

ChangeOutcome Writer::take(const GiveNotice& change, bool is_live) {
    if (!is_live) return {Verdict::missing};
    if (was_stored_before(change.at, change.session, change.notice)) return {Verdict::existing};
    add_event({.type = EventType::notice_given,
               .at = change.at,
               .session = change.session,
               .doc = to_record(change.notice)},
              change.notice);
    return {Verdict::applied};
}

Result<void> Writer::send_change(const AddMessage& change) {
    const std::string record = to_record(change.message);
    return connection_.send(sql_.insert_message, change.message.id, change.session, change.at,
                            std::string_view(record));
}

ChangeOutcome Writer::take(const AddMessage& change, Rows rows) {
    if (!rows.next() || rows.number(1) == 0) return {Verdict::missing};
    if (rows.number(0) == 0) return {rows.number(2) > 0 ? Verdict::existing : Verdict::conflict};
    add_event({.type = EventType::message_added,
               .at = change.at,
               .session = change.session,
               .message = change.message.id},
              change.message);
    return {Verdict::applied};
}

Result<void> Writer::send_change(const TakeMessages& change) {
    return connection_.send(sql_.take_messages, change.session, change.up_to);
}

ChangeOutcome Writer::take(const TakeMessages& change, Rows rows) {
    if (!rows.next() || rows.number(0) == 0)
        return {rows.number(1) > 0 ? Verdict::existing : Verdict::missing};
    add_event({.type = EventType::messages_taken,
               .at = change.at,
               .session = change.session,
               .doc = change.up_to.str()},
              MessagesTaken{change.up_to});
    return {Verdict::applied};
}

}  // namespace parley::postgres
