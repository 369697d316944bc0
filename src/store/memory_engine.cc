// SPDX-License-Identifier: Apache-2.0
#include "store/memory_engine.h"

#include <algorithm>
#include <variant>

#include "base/assert.h"
#include "core/questions.h"
#include "core/settle.h"
#include "core/viewer.h"
#include "core/weight.h"
#include "store/limits.h"

namespace parley {

MemoryEngine::MemoryEngine(const Clock& clock) : clock_(clock) {}

Result<Snapshot> MemoryEngine::open() {
    if (head_ == Cursor{}) head_ = oldest_ = first_cursor(clock_.wall());
    Snapshot snapshot;
    for (const auto& [id, ask] : asks_)
        if (ask->is_pending()) snapshot.pending.push_back(ask);
    for (const auto& [id, row] : sessions_) {
        if (row.session->ended_at) continue;
        snapshot.sessions.push_back(row.session);
        snapshot.messages.insert(snapshot.messages.end(), row.messages.begin(), row.messages.end());
    }
    for (const auto& [key, draft] : drafts_)
        snapshot.drafts.push_back({key.first, key.second, draft});
    for (const auto& [key, until] : snoozes_)
        snapshot.snoozes.push_back({key.first, key.second, until});
    for (const auto& [name, token] : tokens_) snapshot.tokens.push_back(token);
    for (const auto& [key, mark] : marks_) snapshot.marks.push_back(mark);
    snapshot.head = head_;
    snapshot.oldest = oldest_;
    snapshot.top_ask = top_ask_;
    snapshot.top_session = top_session_;
    snapshot.top_message = top_message_;
    return snapshot;
}

Result<CommitReport> MemoryEngine::commit(std::span<const Change> changes) {
    report_ = {};
    report_.outcomes.reserve(changes.size());
    report_.events.reserve(changes.size());
    for (const Change& change : changes) {
        report_.outcomes.push_back(
            std::visit([this](const auto& one) { return apply(one); }, change));
    }
    return std::move(report_);
}

ChangeOutcome MemoryEngine::apply(const OpenAsk& change) {
    const Ask& ask = *change.ask;
    // Ids ascend: only one that comes again is looked for.
    if (ask.id <= top_ask_) {
        if (const auto known = asks_.find(ask.id); known != asks_.end())
            return {Verdict::existing, known->second};
    }
    if (const AskPtr before = named_before(ask)) {
        const bool is_same = asks_the_same(*before->spec, *ask.spec);
        return {is_same ? Verdict::existing : Verdict::conflict, before};
    }
    SessionRow* row = live_session(ask.session);
    if (row == nullptr) return {Verdict::missing};
    asks_.emplace_hint(asks_.end(), ask.id, change.ask);
    ++row->pending;
    top_ask_ = std::max(top_ask_, ask.id);
    if (ask.spec->key) by_key_.emplace(Name(ask.session, *ask.spec->key), ask.id);
    if (ask.spec->tool) by_call_.emplace(Name(ask.session, ask.spec->tool->call_id), ask.id);
    add_event(ask.created_at, ask.session, AskOpened{change.ask});
    return {Verdict::applied, change.ask};
}

AskPtr MemoryEngine::named_before(const Ask& ask) const {
    const auto look_up = [&](const std::map<Name, AskId>& names,
                             const std::string& name) -> AskPtr {
        const auto found = names.find(Name(ask.session, name));
        return found == names.end() ? nullptr : asks_.at(found->second);
    };
    AskPtr before;
    if (ask.spec->key) before = look_up(by_key_, *ask.spec->key);
    if (!before && ask.spec->tool) before = look_up(by_call_, ask.spec->tool->call_id);
    return before;
}

ChangeOutcome MemoryEngine::apply(const SettleAsk& change) {
    const auto found = asks_.find(change.ask);
    if (found == asks_.end()) return {Verdict::missing};
    if (const Ask& standing = *found->second; standing.settlement) {
        const bool is_same = is_repeat(*standing.settlement, *change.settlement);
        return {is_same ? Verdict::existing : Verdict::conflict, found->second};
    }
    if (change.only_while && !holds(*change.only_while, find_mark(change.only_while->key)))
        return {Verdict::refused, found->second};
    settle(found, change.settlement);
    ChangeOutcome outcome{Verdict::applied, found->second};
    forget_settled();
    return outcome;
}

void MemoryEngine::settle(Asks::iterator row, const std::shared_ptr<const Settlement>& settlement) {
    auto settled = make_shared_block<Ask>(*row->second);
    settled->settlement = settlement;
    const AskId id = settled->id;
    const SessionId session = settled->session;
    row->second = std::move(settled);
    --sessions_.at(session).pending;
    settled_order_.push_back({row, weight_of(*row->second)});
    settled_bytes_ += settled_order_.back().bytes;
    const auto drop_from = [id](auto& rows) {
        auto row = rows.lower_bound({id, std::string()});
        while (row != rows.end() && row->first.first == id) row = rows.erase(row);
    };
    drop_from(drafts_);
    drop_from(snoozes_);
    add_event(settlement->at, session, AskSettled{row->second});
}

void MemoryEngine::forget_settled() {
    while (settled_order_.size() > limits::kMemorySettledKept ||
           settled_bytes_ > limits::kMemoryKeptBytes)
        forget_oldest_settled();
}

void MemoryEngine::forget_oldest_settled() {
    const auto [oldest, bytes] = settled_order_.front();
    settled_order_.pop_front();
    settled_bytes_ -= bytes;
    const Ask& ask = *oldest->second;
    if (ask.spec->key) by_key_.erase(Name(ask.session, *ask.spec->key));
    if (ask.spec->tool) by_call_.erase(Name(ask.session, ask.spec->tool->call_id));
    asks_.erase(oldest);
}

MemoryEngine::SessionRow* MemoryEngine::live_session(SessionId id) {
    const auto found = sessions_.find(id);
    if (found == sessions_.end() || found->second.session->ended_at) return nullptr;
    return &found->second;
}

ChangeOutcome MemoryEngine::apply(const OpenSession& change) {
    const Session& session = *change.session;
    if (const auto known = sessions_.find(session.id); known != sessions_.end())
        return {.verdict = Verdict::existing, .session = known->second.session};
    if (session.name) {
        const auto [entry, is_new] = live_names_.emplace(live_name(session), session.id);
        if (!is_new) {
            return {.verdict = Verdict::existing, .session = sessions_.at(entry->second).session};
        }
    }
    sessions_.emplace(session.id, SessionRow{.session = change.session});
    top_session_ = std::max(top_session_, session.id);
    add_event(session.created_at, session.id, SessionCreated{change.session});
    return {.verdict = Verdict::applied, .session = change.session};
}

ChangeOutcome MemoryEngine::apply(const ChangeSession& change) {
    SessionRow* row = live_session(change.session);
    if (row == nullptr) return {Verdict::missing};
    Session changed = changed_by(change, *row->session);
    if (changed == *row->session) return {.verdict = Verdict::existing, .session = row->session};
    row->session = std::make_shared<const Session>(std::move(changed));
    add_event(change.at, change.session, SessionChanged{row->session});
    return {.verdict = Verdict::applied, .session = row->session};
}

bool MemoryEngine::has_pending_of_others(const EndSession& change) const {
    return std::any_of(asks_.begin(), asks_.end(), [&](const auto& row) {
        const Ask& ask = *row.second;
        return ask.session == change.session && ask.is_pending() &&
               ask.spec->asker != *change.only_asker;
    });
}

ChangeOutcome MemoryEngine::apply(const EndSession& change) {
    const auto found = sessions_.find(change.session);
    if (found == sessions_.end()) return {Verdict::missing};
    SessionRow& row = found->second;
    if (row.session->ended_at) return {.verdict = Verdict::existing, .session = row.session};
    if (row.pending > 0) {
        if (change.only_asker && has_pending_of_others(change)) return {Verdict::conflict};
        for (auto ask = asks_.begin(); ask != asks_.end(); ++ask) {
            if (ask->second->session == change.session && ask->second->is_pending())
                settle(ask, change.withdrawal);
        }
        forget_settled();
    }
    auto ended = std::make_shared<Session>(*row.session);
    ended->ended_at = change.at;
    ended->activity = Activity::idle;
    row.session = std::move(ended);
    row.messages.clear();
    if (row.session->name) live_names_.erase(live_name(*row.session));
    add_event(change.at, change.session, SessionEnded{row.session, change.reason});
    ChangeOutcome outcome{.verdict = Verdict::applied, .session = row.session};
    ended_order_.push_back(change.session);
    if (ended_order_.size() > limits::kMemoryEndedKept) {
        sessions_.erase(ended_order_.front());
        ended_order_.pop_front();
    }
    return outcome;
}

ChangeOutcome MemoryEngine::apply(const AddPart& change) {
    if (live_session(change.session) == nullptr) return {Verdict::missing};
    add_event(change.at, change.session, PartAdded{change.part});
    return {Verdict::applied};
}

ChangeOutcome MemoryEngine::apply(const AddMessage& change) {
    SessionRow* row = live_session(change.session);
    if (row == nullptr) return {Verdict::missing};
    const MessageId id = change.message.id;
    const bool is_known = id <= row->taken_up_to ||
                          std::any_of(row->messages.begin(), row->messages.end(),
                                      [id](const auto& known) { return known.message.id == id; });
    if (is_known) return {Verdict::existing};
    row->messages.push_back({change.session, change.at, change.message});
    top_message_ = std::max(top_message_, id);
    add_event(change.at, change.session, change.message);
    return {Verdict::applied};
}

ChangeOutcome MemoryEngine::apply(const TakeMessages& change) {
    SessionRow* row = live_session(change.session);
    if (row == nullptr) return {Verdict::missing};
    if (change.up_to <= row->taken_up_to) return {Verdict::existing};
    row->taken_up_to = change.up_to;
    while (!row->messages.empty() && row->messages.front().message.id <= change.up_to)
        row->messages.pop_front();
    add_event(change.at, change.session, MessagesTaken{change.up_to});
    return {Verdict::applied};
}

ChangeOutcome MemoryEngine::apply(const GiveNotice& change) {
    if (!change.session.is_nil() && live_session(change.session) == nullptr)
        return {Verdict::missing};
    add_event(change.at, change.session, change.notice);
    return {Verdict::applied};
}

ChangeOutcome MemoryEngine::apply(const PutDraft& change) {
    const auto found = asks_.find(change.ask);
    if (found == asks_.end() || !found->second->is_pending()) return {Verdict::missing};
    const auto kept = drafts_.find(std::pair(change.ask, change.principal));
    DraftStep step = drafted_by(change, kept == drafts_.end() ? nullptr : kept->second);
    if (step.verdict == Verdict::applied) {
        drafts_[std::pair(change.ask, change.principal)] = step.draft;
        add_event(change.at, found->second->session,
                  DraftChanged{change.ask, change.principal, step.draft});
    }
    return {.verdict = step.verdict, .ask = found->second, .draft = std::move(step.draft)};
}

ChangeOutcome MemoryEngine::apply(const PutSnooze& change) {
    const auto found = asks_.find(change.ask);
    if (found == asks_.end() || !found->second->is_pending()) return {Verdict::missing};
    const std::pair key(change.ask, change.principal);
    const auto kept = snoozes_.find(key);
    const auto standing = kept == snoozes_.end() ? std::nullopt : std::optional(kept->second);
    if (standing == change.until) return {Verdict::existing, found->second};
    if (change.until) {
        snoozes_[key] = *change.until;
    } else {
        snoozes_.erase(kept);
    }
    add_event(change.at, found->second->session,
              SnoozeChanged{change.ask, change.principal, change.until});
    return {Verdict::applied, found->second};
}

void MemoryEngine::add_event(Instant at, SessionId session, EventBody body) {
    ++head_.value;
    auto event = make_shared_block<const Event>(Event{head_, at, session, std::move(body)});
    events_.push_back({event, weight_of(*event)});
    events_bytes_ += events_.back().bytes;
    report_.events.push_back(std::move(event));
    forget_events();
}

void MemoryEngine::forget_events() {
    while (events_.size() > limits::kMemoryEventsKept || events_bytes_ > limits::kMemoryKeptBytes)
        forget_oldest_event();
}

void MemoryEngine::forget_oldest_event() {
    events_bytes_ -= events_.front().bytes;
    events_.pop_front();
    ++oldest_.value;
}

Result<AskPtr> MemoryEngine::find_ask(AskId id) {
    const auto found = asks_.find(id);
    return found == asks_.end() ? nullptr : found->second;
}

Result<AskPtr> MemoryEngine::find_ask_by_call(SessionId session, std::string_view call_id) {
    const auto found = by_call_.find(Name(session, std::string(call_id)));
    return found == by_call_.end() ? nullptr : asks_.at(found->second);
}

Result<SessionPtr> MemoryEngine::find_session(SessionId id) {
    const auto found = sessions_.find(id);
    return found == sessions_.end() ? nullptr : found->second.session;
}

Result<AskPage> MemoryEngine::list_asks(const AskQuery& query) {
    AskPage page;
    std::size_t bytes = 0;
    // All are at hand: no page needs to end for what was looked at.
    const auto is_enough = [&](const AskPtr& ask) {
        if (query.state && ask->state() != *query.state) return false;
        if (query.session && ask->session != *query.session) return false;
        if (query.asker && ask->spec->asker != *query.asker) return false;
        page.has_more = page.asks.size() == query.limit || bytes >= query.bytes;
        if (page.has_more) return true;
        page.asks.push_back(ask);
        page.last = ask->id;
        bytes += weight_of(*ask);
        return false;
    };
    const auto read = [&](auto row, auto end) {
        while (row != end && !is_enough(row->second)) ++row;
    };
    if (query.order == ListOrder::oldest_first) {
        read(query.after ? asks_.upper_bound(*query.after) : asks_.begin(), asks_.end());
    } else if (query.order == ListOrder::last_settled_first) {
        const auto has_id = [&](const SettledAsk& each) { return each.row->first == query.after; };
        auto last = std::find_if(settled_order_.rbegin(), settled_order_.rend(), has_id);
        last = last == settled_order_.rend() ? settled_order_.rbegin() : std::next(last);
        while (last != settled_order_.rend() && !is_enough(last->row->second)) ++last;
    } else {
        const auto before = query.after ? asks_.lower_bound(*query.after) : asks_.end();
        read(std::make_reverse_iterator(before), asks_.rend());
    }
    return page;
}

Result<SessionPage> MemoryEngine::list_sessions(const SessionQuery& query) {
    SessionPage page;
    const auto read = [&](auto row, auto end) {
        for (; row != end; ++row) {
            const SessionPtr& session = row->second.session;
            const auto state = session->ended_at ? SessionState::ended : SessionState::live;
            if (query.state && *query.state != state) continue;
            page.has_more = page.sessions.size() == query.limit;
            if (page.has_more) return;
            page.sessions.push_back(session);
        }
    };
    if (query.order == ListOrder::newest_first) {
        const auto before = query.after ? sessions_.lower_bound(*query.after) : sessions_.end();
        read(std::make_reverse_iterator(before), sessions_.rend());
    } else {
        read(query.after ? sessions_.upper_bound(*query.after) : sessions_.begin(),
             sessions_.end());
    }
    return page;
}

Result<EventPage> MemoryEngine::list_events(const EventQuery& query) {
    EventPage page;
    page.oldest = oldest_;
    std::size_t bytes = 0;
    const auto read = [&](auto row, auto end) {
        for (; row != end; ++row) {
            const auto& [event, event_bytes] = *row;
            if (query.session && event->session != *query.session) continue;
            page.has_more = page.events.size() == query.limit || bytes >= query.bytes;
            if (page.has_more) return;
            page.events.push_back(event);
            bytes += event_bytes;
        }
    };
    if (query.order == ListOrder::newest_first) {
        const bool is_inside = query.after > oldest_ && query.after <= head_;
        const auto newer = is_inside ? head_.value - query.after.value + 1 : 0;
        if (is_inside || query.after == Cursor{} || query.after > head_)
            read(events_.rbegin() + static_cast<std::ptrdiff_t>(newer), events_.rend());
        return page;
    }
    page.has_gap = query.after < oldest_ || query.after > head_;
    if (!page.has_gap)
        read(events_.begin() + static_cast<std::ptrdiff_t>(query.after.value - oldest_.value),
             events_.end());
    return page;
}

}  // namespace parley
