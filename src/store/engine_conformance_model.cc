// SPDX-License-Identifier: Apache-2.0
#include "store/engine_conformance_model.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/content.h"
#include "core/questions.h"
#include "core/settle.h"

namespace parley {

namespace {

template <class T, class Get>
void sort_by(std::vector<T>& list, Get get) {
    std::sort(list.begin(), list.end(), [&](const T& a, const T& b) { return get(a) < get(b); });
}

template <class T, class Predicate>
T* find(std::vector<T>& list, Predicate predicate) {
    const auto found = std::find_if(list.begin(), list.end(), predicate);
    return found == list.end() ? nullptr : &*found;
}

bool has_name_of(const Ask& known, const Ask& ask) {
    if (known.session != ask.session) return false;
    if (ask.spec->key && known.spec->key == ask.spec->key) return true;
    return ask.spec->tool && known.spec->tool &&
           known.spec->tool->call_id == ask.spec->tool->call_id;
}

}  // namespace

std::vector<ChangeOutcome> StoreModel::commit(std::span<const Change> changes) {
    std::vector<ChangeOutcome> outcomes;
    told_.clear();
    for (const Change& change : changes)
        outcomes.push_back(std::visit([this](const auto& one) { return apply(one); }, change));
    return outcomes;
}

ChangeOutcome StoreModel::apply(const OpenAsk& change) {
    const Ask& ask = *change.ask;
    if (const AskPtr* same_id = this->ask(ask.id)) return {Verdict::existing, *same_id};
    const AskPtr* named =
        find(asks_, [&](const AskPtr& known) { return has_name_of(*known, ask); });
    if (named != nullptr) {
        const bool is_same = asks_the_same(*(*named)->spec, *ask.spec);
        return {is_same ? Verdict::existing : Verdict::conflict, *named};
    }
    if (!is_live(ask.session)) return {Verdict::missing};
    asks_.push_back(change.ask);
    add_event(ask.created_at, ask.session, AskOpened{change.ask});
    return {Verdict::applied, change.ask};
}

ChangeOutcome StoreModel::apply(const SettleAsk& change) {
    AskPtr* found = ask(change.ask);
    if (found == nullptr) return {Verdict::missing};
    if ((*found)->settlement) {
        const bool is_same = is_repeat(*(*found)->settlement, *change.settlement);
        return {is_same ? Verdict::existing : Verdict::conflict, *found};
    }
    if (change.only_while && find(marks_, [&](const MarkPtr& mark) {
                                 return mark->key == change.only_while->key &&
                                        mark->value == change.only_while->value;
                             }) == nullptr)
        return {Verdict::refused, *found};
    settle(*found, change.settlement);
    return {Verdict::applied, *found};
}

void StoreModel::settle(AskPtr& ask, std::shared_ptr<const Settlement> settlement) {
    auto settled = std::make_shared<Ask>(*ask);
    settled->settlement = std::move(settlement);
    ask = settled;
    std::erase_if(drafts_, [&](const KeptDraft& draft) { return draft.ask == ask->id; });
    std::erase_if(snoozes_, [&](const Snooze& snooze) { return snooze.ask == ask->id; });
    add_event(ask->settlement->at, ask->session, AskSettled{ask});
}

ChangeOutcome StoreModel::apply(const OpenSession& change) {
    const SessionPtr* standing = session(change.session->id);
    if (standing == nullptr && change.session->name) {
        standing = find(sessions_, [&](const SessionPtr& known) {
            const bool is_per_owner = known->name == "default";
            return !known->ended_at && known->name == change.session->name &&
                   (!is_per_owner || known->owner == change.session->owner);
        });
    }
    if (standing != nullptr) return {.verdict = Verdict::existing, .session = *standing};
    sessions_.push_back(change.session);
    add_event(change.session->created_at, change.session->id, SessionCreated{change.session});
    return {.verdict = Verdict::applied, .session = change.session};
}

ChangeOutcome StoreModel::apply(const ChangeSession& change) {
    if (!is_live(change.session)) return {Verdict::missing};
    SessionPtr& standing = *session(change.session);
    Session changed = *standing;
    changed.title = change.title ? change.title : changed.title;
    changed.ask_timeout = change.ask_timeout.value_or(changed.ask_timeout);
    changed.activity = change.activity.value_or(changed.activity);
    if (changed.owner.empty() && changed.name != "default")
        changed.owner = change.owner.value_or("");
    if (*standing == changed) return {.verdict = Verdict::existing, .session = standing};
    standing = std::make_shared<const Session>(std::move(changed));
    add_event(change.at, standing->id, SessionChanged{standing});
    return {.verdict = Verdict::applied, .session = standing};
}

ChangeOutcome StoreModel::apply(const EndSession& change) {
    SessionPtr* found = session(change.session);
    if (found == nullptr) return {Verdict::missing};
    if ((*found)->ended_at) return {.verdict = Verdict::existing, .session = *found};
    const auto is_of_other = [&](const AskPtr& ask) {
        return ask->session == change.session && ask->is_pending() && change.only_asker &&
               ask->spec->asker != *change.only_asker;
    };
    if (std::any_of(asks_.begin(), asks_.end(), is_of_other)) return {Verdict::conflict};
    sort_by(asks_, [](const AskPtr& ask) { return ask->id; });
    for (AskPtr& ask : asks_)
        if (ask->session == change.session && ask->is_pending()) settle(ask, change.withdrawal);
    auto ended = std::make_shared<Session>(**found);
    ended->ended_at = change.at;
    ended->activity = Activity::idle;
    *found = ended;
    add_event(change.at, change.session, SessionEnded{ended, change.reason});
    return {.verdict = Verdict::applied, .session = ended};
}

ChangeOutcome StoreModel::apply(const AddPart& change) {
    if (!is_live(change.session)) return {Verdict::missing};
    add_event(change.at, change.session, PartAdded{change.part});
    return {Verdict::applied};
}

ChangeOutcome StoreModel::apply(const AddMessage& change) {
    if (!is_live(change.session)) return {Verdict::missing};
    const bool is_known = was_taken(change.session, change.message.id) ||
                          find(messages_, [&](const MessageRow& row) {
                              return row.queued.message.id == change.message.id;
                          }) != nullptr;
    if (is_known) return {Verdict::existing};
    messages_.push_back({{change.session, change.at, change.message}});
    add_event(change.at, change.session, change.message);
    return {Verdict::applied};
}

ChangeOutcome StoreModel::apply(const TakeMessages& change) {
    if (!is_live(change.session)) return {Verdict::missing};
    if (was_taken(change.session, change.up_to)) return {Verdict::existing};
    taken_.emplace_back(change.session, change.up_to);
    for (MessageRow& row : messages_) {
        if (row.queued.session == change.session && row.queued.message.id <= change.up_to)
            row.is_taken = true;
    }
    add_event(change.at, change.session, MessagesTaken{change.up_to});
    return {Verdict::applied};
}

ChangeOutcome StoreModel::apply(const GiveNotice& change) {
    if (!change.session.is_nil() && !is_live(change.session)) return {Verdict::missing};
    add_event(change.at, change.session, change.notice);
    return {Verdict::applied};
}

ChangeOutcome StoreModel::apply(const PutDraft& change) {
    const AskPtr* found = ask(change.ask);
    if (found == nullptr || !(*found)->is_pending()) return {Verdict::missing};
    auto kept = std::ranges::find_if(drafts_, [&](const KeptDraft& draft) {
        return draft.ask == change.ask && draft.principal == change.principal;
    });
    const DraftPtr standing = kept == drafts_.end() ? nullptr : kept->draft;
    const DraftStep step = drafted_by(change, standing);
    if (step.verdict != Verdict::applied) return {.verdict = step.verdict, .draft = step.draft};
    if (standing) {
        kept->draft = step.draft;
    } else {
        drafts_.push_back({change.ask, change.principal, step.draft});
    }
    add_event(change.at, (*found)->session, DraftChanged{change.ask, change.principal, step.draft});
    return {.verdict = Verdict::applied, .draft = step.draft};
}

ChangeOutcome StoreModel::apply(const PutSnooze& change) {
    const AskPtr* found = ask(change.ask);
    if (found == nullptr || !(*found)->is_pending()) return {Verdict::missing};
    const auto is_standing = [&](const Snooze& snooze) {
        return snooze.ask == change.ask && snooze.principal == change.principal;
    };
    const Snooze* standing = find(snoozes_, is_standing);
    if (standing == nullptr ? !change.until : change.until == standing->until)
        return {Verdict::existing};
    std::erase_if(snoozes_, is_standing);
    if (change.until) snoozes_.push_back({change.ask, change.principal, *change.until});
    add_event(change.at, (*found)->session,
              SnoozeChanged{change.ask, change.principal, change.until});
    return {Verdict::applied};
}

ChangeOutcome StoreModel::apply(const PutToken& change) {
    const TokenPtr* known =
        find(tokens_, [&](const TokenPtr& token) { return token->name == change.token->name; });
    if (known != nullptr && (*known)->hash == change.token->hash) return {Verdict::existing};
    if (known != nullptr && !change.replaces) return {Verdict::conflict};
    if (is_person_taken(change.token->person, change.token->principal)) return {Verdict::conflict};
    std::erase_if(tokens_, [&](const TokenPtr& one) { return one->name == change.token->name; });
    tokens_.push_back(change.token);
    add_event(change.token->created_at, {}, TokenChanged{change.token->name, change.token});
    return {Verdict::applied};
}

bool StoreModel::is_person_taken(const std::string& person, const std::string& principal) {
    return !person.empty() && find(tokens_, [&](const TokenPtr& token) {
                                  return token->person == person && token->principal != principal;
                              }) != nullptr;
}

ChangeOutcome StoreModel::apply(const NamePerson& change) {
    if (is_person_taken(change.person, change.principal)) return {Verdict::conflict};
    bool is_there = false;
    bool is_new = false;
    sort_by(tokens_, [](const TokenPtr& token) { return token->name; });
    for (TokenPtr& token : tokens_) {
        if (token->principal != change.principal) continue;
        is_there = true;
        if (token->person == change.person) continue;
        is_new = true;
        Token named = *token;
        named.person = change.person;
        token = std::make_shared<const Token>(std::move(named));
        add_event(change.at, {}, TokenChanged{token->name, token});
    }
    return {!is_there ? Verdict::missing : is_new ? Verdict::applied : Verdict::existing};
}

ChangeOutcome StoreModel::apply(const TouchToken& change) {
    TokenPtr* known =
        find(tokens_, [&](const TokenPtr& token) { return token->name == change.name; });
    if (known == nullptr) return {Verdict::missing};
    if ((*known)->used_at && *(*known)->used_at >= change.used_at) return {Verdict::existing};
    Token used = **known;
    used.used_at = change.used_at;
    *known = std::make_shared<const Token>(std::move(used));
    add_event(change.used_at, {}, TokenChanged{change.name, *known});
    return {Verdict::applied};
}

ChangeOutcome StoreModel::apply(const DropToken& change) {
    const TokenPtr* known =
        find(tokens_, [&](const TokenPtr& token) { return token->name == change.name; });
    if (known == nullptr) return {Verdict::missing};
    const Token dropped = **known;
    std::erase_if(tokens_, [&](const TokenPtr& token) { return token->name == change.name; });
    add_event(change.at, {}, TokenChanged{change.name, nullptr});
    const bool has_more = find(tokens_, [&](const TokenPtr& token) {
                              return token->principal == dropped.principal;
                          }) != nullptr;
    if (!has_more && dropped.role == Role::agent && dropped.principal.starts_with("prn_"))
        add_event(change.at, {}, AgentRevoked{dropped.principal});
    return {Verdict::applied};
}

ChangeOutcome StoreModel::apply(const PutMark& change) {
    const MarkPtr* known =
        find(marks_, [&](const MarkPtr& mark) { return mark->key == change.key; });
    if (known == nullptr && !change.value) return {Verdict::missing};
    const std::string standing = known == nullptr ? "" : (*known)->value;
    if (known != nullptr && change.value == standing && change.expires_at == (*known)->expires_at)
        return {Verdict::existing};
    if (change.expected && *change.expected != standing) return {Verdict::conflict};
    std::erase_if(marks_, [&](const MarkPtr& mark) { return mark->key == change.key; });
    MarkPtr mark;
    if (change.value)
        mark = std::make_shared<const Mark>(
            Mark{change.key, *change.value, change.at, change.expires_at});
    if (mark) marks_.push_back(mark);
    add_event(change.at, {}, MarkChanged{change.key, mark});
    return {Verdict::applied};
}

ChangeOutcome StoreModel::apply(const DeleteContent& change) {
    AskPtr* found = ask(change.ask);
    if (found == nullptr) return {Verdict::missing};
    if ((*found)->is_pending()) return {Verdict::conflict, *found};
    if ((*found)->spec->content_deleted_at) return {Verdict::existing, *found};
    *found = without_content(**found, change.at);
    for (EventPtr& event : events_) event = without_content_of(event, change.ask, change.at);
    add_event(change.at, (*found)->session, ContentDeleted{change.ask, (*found)->spec->asker});
    return {Verdict::applied, *found};
}

AskPtr* StoreModel::ask(AskId id) {
    return find(asks_, [id](const AskPtr& ask) { return ask->id == id; });
}

SessionPtr* StoreModel::session(SessionId id) {
    return find(sessions_, [id](const SessionPtr& session) { return session->id == id; });
}

bool StoreModel::was_taken(SessionId session, MessageId message) {
    return find(taken_, [&](const auto& taken) {
               return taken.first == session && taken.second >= message;
           }) != nullptr;
}

bool StoreModel::is_live(SessionId id) {
    const SessionPtr* found = session(id);
    return found != nullptr && !(*found)->ended_at;
}

void StoreModel::add_event(Instant at, SessionId session, EventBody body) {
    const Cursor cursor{first_.value + events_.size() + 1};
    events_.push_back(std::make_shared<const Event>(Event{cursor, at, session, std::move(body)}));
    told_.push_back(events_.back());
}

Snapshot StoreModel::snapshot() const {
    Snapshot snapshot;
    snapshot.oldest = first_;
    snapshot.head = {first_.value + events_.size()};
    for (const AskPtr& ask : asks_) {
        if (ask->is_pending()) snapshot.pending.push_back(ask);
        snapshot.top_ask = std::max(snapshot.top_ask, ask->id);
    }
    for (const SessionPtr& session : sessions_) {
        snapshot.top_session = std::max(snapshot.top_session, session->id);
        if (session->ended_at) continue;
        snapshot.sessions.push_back(session);
        for (const MessageRow& row : messages_) {
            if (row.queued.session == session->id && !row.is_taken)
                snapshot.messages.push_back(row.queued);
        }
    }
    for (const MessageRow& row : messages_)
        snapshot.top_message = std::max(snapshot.top_message, row.queued.message.id);
    snapshot.drafts = drafts_;
    snapshot.snoozes = snoozes_;
    snapshot.tokens = tokens_;
    snapshot.marks = marks_;
    sort_by(snapshot.marks, [](const MarkPtr& mark) { return mark->key; });
    sort_by(snapshot.pending, [](const AskPtr& ask) { return ask->id; });
    sort_by(snapshot.sessions, [](const SessionPtr& session) { return session->id; });
    sort_by(snapshot.messages,
            [](const QueuedMessage& row) { return std::pair(row.session, row.message.id); });
    sort_by(snapshot.drafts,
            [](const KeptDraft& row) { return std::pair(row.ask, row.principal); });
    sort_by(snapshot.snoozes, [](const Snooze& row) { return std::pair(row.ask, row.principal); });
    sort_by(snapshot.tokens, [](const TokenPtr& token) { return token->name; });
    return snapshot;
}

std::vector<AskPtr> StoreModel::in_order(ListOrder order) const {
    std::vector<AskPtr> asks;
    if (order == ListOrder::last_settled_first) {
        for (const EventPtr& event : events_)
            if (const auto* settled = std::get_if<AskSettled>(&event->body))
                asks.push_back(settled->ask);
    } else {
        asks = asks_;
        sort_by(asks, [](const AskPtr& ask) { return ask->id; });
    }
    if (order != ListOrder::oldest_first) std::reverse(asks.begin(), asks.end());
    return asks;
}

AskPage StoreModel::asks(const AskQuery& query) const {
    AskPage page;
    for (const AskPtr& ask : in_order(query.order)) {
        // What comes up to the one that was named was listed before.
        const bool is_named = query.after == ask->id;
        if (is_named) page.asks.clear();
        if (is_named || (query.state && ask->state() != *query.state)) continue;
        if (query.session && ask->session != *query.session) continue;
        if (query.asker && ask->spec->asker != *query.asker) continue;
        page.asks.push_back(ask);
    }
    page.has_more = page.asks.size() > query.limit;
    if (page.has_more) page.asks.resize(query.limit);
    return page;
}

std::vector<SessionPtr> StoreModel::sessions() const {
    std::vector<SessionPtr> list = sessions_;
    sort_by(list, [](const SessionPtr& session) { return session->id; });
    return list;
}

}  // namespace parley
