// SPDX-License-Identifier: Apache-2.0
#include "store/random_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace parley {

Change RandomChanges::next() {
    switch (pick(18)) {
        case 0: return open_session();
        case 1: return change_session();
        case 2: return pick(4) == 0 ? Change(make_.end(session())) : open_session();
        case 3: return message();
        case 4: return TakeMessages{session(), make_.tick(), a_message()};
        case 5: return make_.part(session(), text());
        case 6: return make_.notice(pick(3) == 0 ? SessionId() : session(), text());
        case 7: return draft();
        case 8: return snooze();
        case 9: return token();
        case 16: return mark();
        case 17: return DeleteContent{ask()->id, make_.tick()};
        case 10:
        case 11:
        case 12: return settle();
        default: return open_ask();
    }
}

std::vector<Change> RandomChanges::batch(std::size_t size_max) {
    std::vector<Change> changes(1 + pick(size_max));
    for (Change& change : changes) change = next();
    return changes;
}

SessionId RandomChanges::session() {
    return sessions_.empty() || pick(12) == 0 ? make_.session_id() : one_of(sessions_)->id;
}

std::string RandomChanges::text() {
    return fmt::format("text {:x}", make_.random());
}

AskPtr RandomChanges::ask() {
    // Mostly the newest: only those are likely to be pending.
    if (asks_.empty() || pick(20) == 0) return make_.ask(session());
    const std::size_t newest = std::min<std::size_t>(asks_.size(), 12);
    return asks_[asks_.size() - 1 - pick(newest)];
}

MessageId RandomChanges::a_message() {
    return messages_.empty() ? MessageId(IdBits{1, 1}) : one_of(messages_).message.id;
}

Change RandomChanges::open_session() {
    if (!sessions_.empty() && pick(6) == 0) return OpenSession{one_of(sessions_)};
    auto name = pick(2) == 0 ? std::optional(fmt::format("name-{}", pick(3))) : std::nullopt;
    auto session = std::make_shared<Session>(*make_.session(std::move(name)));
    // Of all names, "default" is one for each owner.
    if (pick(4) == 0) session->name = "default";
    if (pick(3) == 0) session->owner = principal();
    sessions_.push_back(std::move(session));
    if (sessions_.size() > 6) sessions_.erase(sessions_.begin());
    return OpenSession{sessions_.back()};
}

Change RandomChanges::change_session() {
    const SessionPtr before = sessions_.empty() ? make_.session() : one_of(sessions_);
    ChangeSession change{before->id, make_.tick()};
    if (pick(2) == 0) change.title = fmt::format("title {}", pick(2));
    if (pick(3) == 0) change.owner = principal();
    if (pick(2) == 0) change.activity = pick(2) == 0 ? Activity::idle : Activity::working;
    return change;
}

Change RandomChanges::open_ask() {
    if (!asks_.empty() && pick(10) == 0) return OpenAsk{one_of(asks_)};
    AskNames names{.asker = principal()};
    if (pick(3) == 0) names.key = fmt::format("key-{}", pick(5));
    // Never both: which of two asks a pair of names means is not promised.
    if (!names.key && pick(3) == 0) names.call_id = fmt::format("call-{}", pick(5));
    asks_.push_back(make_.ask(session(), names, pick(5) == 0 ? "Which colour?" : "Which one?"));
    return OpenAsk{asks_.back()};
}

Change RandomChanges::settle() {
    const AskPtr settled = ask();
    auto settlement = make_.settlement(static_cast<Outcome>(pick(4)), principal());
    if (last_settlement_ && pick(4) == 0) settlement = last_settlement_;
    last_settlement_ = settlement;
    SettleAsk change{settled->id, settlement, pick(2) == 0 ? settled : nullptr};
    if (pick(6) == 0) change.only_while = marked_by(put_mark());
    return change;
}

Change RandomChanges::draft() {
    if (pick(4) == 0) return PutDraft{ask()->id, make_.tick(), principal(), {}};
    PutDraft put = make_.draft(ask()->id, text(), principal());
    if (pick(2) == 0) put.draft.seen = pick(4);
    return put;
}

Change RandomChanges::snooze() {
    const auto until = pick(3) == 0 ? std::nullopt : std::optional(make_.tick());
    const Instant at = make_.tick();
    return PutSnooze{ask()->id, at, principal(), until};
}

Change RandomChanges::message() {
    if (!messages_.empty() && pick(6) == 0) return one_of(messages_);
    messages_.push_back(make_.message(session(), text()));
    return messages_.back();
}

PutMark RandomChanges::put_mark() {
    return {.key = fmt::format("seat/{}", pick(2)),
            .at = make_.tick(),
            .value = fmt::format("value {}", pick(2))};
}

Change RandomChanges::mark() {
    PutMark put = put_mark();
    if (pick(3) == 0) put.expires_at = make_.tick();
    if (pick(3) == 0) put.expected = pick(2) == 0 ? "" : fmt::format("value {}", pick(2));
    if (pick(4) == 0) put.value.reset();
    return put;
}

Change RandomChanges::token() {
    const std::string name = fmt::format("token-{}", pick(3));
    const auto person = fmt::format("person-{}", pick(3));
    switch (pick(6)) {
        case 0:
        case 1: return DropToken{name, make_.tick()};
        case 2: return NamePerson{fmt::format("prn_{}", pick(3)), make_.tick(), person};
        case 3: return TouchToken{name, make_.tick()};
        default: break;
    }
    auto token = std::make_shared<Token>(*make_.token(name, fmt::format("hash-{}", pick(2))));
    token->principal = fmt::format("prn_{}", pick(3));
    if (pick(2) == 0) token->role = Role::agent;
    if (pick(2) == 0) token->person = person;
    return PutToken{std::move(token), pick(4) == 0};
}

}  // namespace parley
