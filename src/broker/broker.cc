// SPDX-License-Identifier: Apache-2.0
// Life of the broker: loading, the feed, deadlines, subscribers.
#include "broker/broker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "base/assert.h"
#include "base/overload.h"
#include "broker/limits.h"
#include "broker/mark_keys.h"
#include "broker/reader.h"
#include "core/event.h"
#include "store/limits.h"
#include "text/limits.h"

namespace parley {

namespace {

// Whether the session's turn is over with this settlement: where a session stops when a person
// declines or does not come, the last of its asks ends the turn, at whichever door that was said.
bool is_stopped_by(const Ask& settled, const Ledger& ledger) {
    const Outcome outcome = settled.settlement->outcome;
    if (outcome != Outcome::dismissed && outcome != Outcome::timed_out) return false;
    const auto* entry = ledger.find_session(settled.session);
    return entry != nullptr && entry->session->on_dismiss == OnDismiss::stop &&
           entry->pending.empty() && entry->session->activity == Activity::working;
}

// Only who writes to a store beside its broker can make this.
Error unknown_session(Cursor at) {
    return {ErrorCode::corrupt,
            fmt::format("what the store tells up to {} is of a session that it does not have",
                        at.value)};
}

}  // namespace

LoopBroker::LoopBroker(Wiring wiring)
    : wiring_{wiring.home, wiring.clock, wiring.store, nullptr, wiring.ledger_bytes, wiring.quota},
      ids_(std::move(wiring.random)) {}

LoopBroker::~LoopBroker() {
    for (Subscription::Reader* reader : readers_) reader->detach();
    // One who waits may own its Wait, which looks for itself here when it goes.
    const auto waiters = std::exchange(waiters_, {});
}

void LoopBroker::start(Done<void> done) {
    wiring_.store.open(
        *this, alive_.guard([this, done = std::move(done)](Result<Snapshot> snapshot) mutable {
            if (!snapshot) {
                done(reject(std::move(snapshot).error()));
                return;
            }
            load(*snapshot);
            drop_stale_marks();
            const Instant now = wiring_.clock.wall();
            for (const AskPtr& ask : snapshot->pending) {
                // Only here does the stored wall-clock instant count: nothing else is known of the
                // time in which no process measured.
                if (ask->deadline) schedule_deadline(*ask, *ask->deadline - now);
            }
            // What was due while nobody ran is settled before anything is served.
            settle_due([this, done = std::move(done)](Result<void> result) mutable {
                is_ready_ = result.has_value();
                arm_timer();
                done(std::move(result));
            });
        }));
}

void LoopBroker::stop(UniqueFunction<void()> done) {
    is_ready_ = false;
    wiring_.store.close(std::move(done));
}

void LoopBroker::load(const Snapshot& snapshot) {
    if (!ledger_.reset(snapshot)) on_damaged(unknown_session(snapshot.head));
    live_.reset(snapshot.head);
    is_store_shared_ = snapshot.is_shared;
    ids_.raise_above(snapshot.top_ask);
    ids_.raise_above(snapshot.top_session);
    ids_.raise_above(snapshot.top_message);
    opening_.clear();
    claims_.clear();
    touching_.clear();
    for (const auto& [name, token] : ledger_.tokens()) watch_expiry(*token);
}

void LoopBroker::on_committed(std::span<const EventPtr> events) {
    const LiveLog::Position from = live_.end();
    bool is_revoked = false;
    std::vector<AskPtr> settled_after;
    for (const EventPtr& event : events) {
        is_revoked |= ledger_.is_revoked_by(*event);
        if (!ledger_.apply(*event)) on_damaged(unknown_session(event->cursor));
        live_.add(event);
        follow_up(*event);
        if (AskPtr settled = settled_in(*event)) {
            if (!is_revoked) wake(settled);
            if (is_revoked) settled_after.push_back(std::move(settled));
        }
    }
    if (!is_revoked) return wake_readers(from);
    tell_of_revoked();
    // Who is told of it cuts them off in a task of its own, which comes before this one: what was
    // settled after a right ended is not for who waited by it.
    for (const AskPtr& ask : settled_after)
        wiring_.home.post(alive_.guard([this, ask] { wake(ask); }));
}

// What an event means beside what the ledger remembers of it.
void LoopBroker::follow_up(const Event& event) {
    std::visit(
        Overload{
            [this](const AskOpened& opened) {
                const Ask& ask = *opened.ask;
                ids_.raise_above(ask.id);
                openings_.end_ask(ask.id);
                end_message(ask.session);
                if (ask.deadline) schedule_deadline(ask, time_left(ask, *ask.deadline));
            },
            [&](const AskSettled& settled) {
                if (settled.ask->deadline)
                    deadlines_.settled(
                        [this](AskId id) { return ledger_.find_pending(id) != nullptr; });
                if (is_stopped_by(*settled.ask, ledger_)) {
                    wiring_.store.commit(
                        ChangeSession{
                            .session = event.session, .at = event.at, .activity = Activity::idle},
                        [](auto) {});
                }
            },
            [this](const SessionCreated& created) {
                ids_.raise_above(created.session->id);
                if (created.session->name) opening_.erase(live_name(*created.session));
                openings_.end_session(created.session->id);
            },
            [this](const SessionChanged& changed) {
                if (!changed.session->owner.empty()) openings_.end_session(changed.session->id);
            },
            [this](const SessionEnded& ended) {
                end_stream(ended.session->id);
                drop_marks_of(ended.session->id);
            },
            [this](const MarkChanged& changed) { tell_of_mark(changed.key, changed.mark); },
            [&](const MessagesTaken&) { end_message(event.session); },
            [this](const MessageAdded& message) { ids_.raise_above(message.id); },
            [&](const PartAdded& added) { close_elsewhere(event.session, *added.part); },
            [&](const ContentDeleted& deleted) { live_.delete_content(deleted.ask, event.at); },
            [this](const TokenChanged& changed) {
                if (changed.token) watch_expiry(*changed.token);
            },
            [](const OneOf<DraftChanged, SnoozeChanged, NoticeGiven, AgentRevoked> auto&) {},
        },
        event.body);
}

// Whoever reads looks whether its token still counts, and can say why it leaves.
void LoopBroker::tell_of_revoked() {
    wake_readers(live_.end());
    if (told_of_revoked_) told_of_revoked_();
}

// A right that ends by itself ends what rests on it, as one that is taken away does. No event tells
// of it. Only the first to come is watched for, and then the next is looked for among all: a
// token's use is told often, and costs nothing here.
void LoopBroker::watch_expiry(const Token& token) {
    const Instant now = wiring_.clock.wall();
    const auto& expires = token.expires_at;
    if (!expires || *expires <= now || (watched_expiry_ && *watched_expiry_ <= *expires)) return;
    watched_expiry_ = expires;
    // One that expires in a thousand years is looked for again before.
    const Millis wait = std::min<Millis>(*expires - now, limits::kTimeoutMax);
    wiring_.home.post_at(wiring_.clock.mono() + wait, alive_.guard([this, at = *expires] {
        if (watched_expiry_ != at) return;
        watched_expiry_.reset();
        tell_of_revoked();
        for (const auto& [name, next] : ledger_.tokens()) watch_expiry(*next);
    }));
}

void LoopBroker::wake_readers(LiveLog::Position from) {
    if (readers_.empty()) return;
    const SessionSpans told(live_, from);
    // A reader may leave or join while it is told: the list is walked by index, and a place that
    // was left is skipped.
    is_telling_ = true;
    for (std::size_t i = 0; i < readers_.size(); ++i)
        if (readers_[i] != nullptr && !readers_[i]->pass_over(from, told)) readers_[i]->wake();
    is_telling_ = false;
    std::erase(readers_, nullptr);
}

void LoopBroker::on_lost(const Error& error) {
    is_ready_ = false;
    // While it stays away it is looked for again and again: what has not changed is not told again.
    if (std::exchange(lost_because_, error.message) == error.message) return;
    if (told_of_store_) told_of_store_(StoreNews::lost, error.message);
    // Nothing comes, and whoever reads can say so.
    wake_readers(live_.end());
}

void LoopBroker::on_damaged(const Error& error) {
    has_damage_ = true;
    if (told_of_store_) told_of_store_(StoreNews::damaged, error.message);
}

void LoopBroker::on_reopened(Snapshot snapshot) {
    has_damage_ = false;
    load(snapshot);
    is_ready_ = true;
    lost_because_.clear();
    if (told_of_store_) told_of_store_(StoreNews::back, {});
    keep_deadlines(snapshot);
    // The failed transaction may have been written after all: whoever waits for an ask that is no
    // longer pending is told what the store says.
    for (const auto& [id, waiters] : waiters_) {
        if (ledger_.find_pending(id)) continue;
        for (const Waiter& waiter : waiters) wait_from_store(id, waiter.viewer, waiter.number);
    }
    for (Subscription::Reader* reader : readers_) reader->rejoin();
    for (const auto& [key, mark] : ledger_.marks()) tell_of_mark(key, mark);
    tell_of_revoked();
}

// The process has been measuring all along: what it measured stays. An ask that it did not know of
// was opened by the transaction whose outcome was unknown.
void LoopBroker::keep_deadlines(const Snapshot& snapshot) {
    const auto measured = deadlines_.take_all();
    for (const AskPtr& ask : snapshot.pending) {
        if (!ask->deadline) continue;
        const auto known = measured.find(ask->id);
        if (known != measured.end()) {
            deadlines_.push(known->second, ask->id);
        } else {
            schedule_deadline(*ask, time_left(*ask, *ask->deadline));
        }
    }
    arm_timer();
}

// Of an ask that is heard of: all that it was given, from now on. But where several nodes share a
// clock, one may hear late of what another opened, and that one may be gone.
Millis LoopBroker::time_left(const Ask& ask, Instant deadline) const {
    const Millis left = deadline - wiring_.clock.wall();
    const Millis given = ask.spec->timeout.value_or(left);
    const bool is_old = is_store_shared_ && given - left > limits::kHeardLate;
    return is_old ? left : given;
}

void LoopBroker::schedule_deadline(const Ask& ask, Millis remaining) {
    deadlines_.push(wiring_.clock.mono() + std::min<Millis>(remaining, limits::kTimeoutMax),
                    ask.id);
    arm_timer();
}

void LoopBroker::arm_timer() {
    const auto earliest = deadlines_.earliest();
    if (!is_ready_ || !earliest || (timer_armed_for_ && *timer_armed_for_ <= *earliest)) return;
    timer_armed_for_ = *earliest;
    wiring_.home.post_at(*earliest, alive_.guard([this, when = *earliest] {
        if (timer_armed_for_ != when) return;
        timer_armed_for_.reset();
        if (is_ready_) settle_due([this](Result<void>) { arm_timer(); });
    }));
}

void LoopBroker::settle_due(Done<void> done) {
    std::vector<Change> changes;
    const Mono now = wiring_.clock.mono();
    while (changes.size() < limits::kCommitBatchMax) {
        const auto id = deadlines_.pop_due(now);
        if (!id) break;
        const AskPtr ask = ledger_.find_pending(*id);
        if (!ask) continue;
        changes.emplace_back(SettleAsk{
            *id, std::make_shared<const Settlement>(make_timeout(*ask, wiring_.clock.wall())),
            ask});
        // Should this not be written, the deadline comes up again.
        deadlines_.push(now + limits::kDeadlineRetry, *id);
    }
    if (changes.empty()) {
        done({});
        return;
    }
    wiring_.store.commit(std::move(changes),
                         alive_.guard([this, done = std::move(done)](
                                          Result<std::span<const ChangeOutcome>> outcomes) mutable {
                             if (!outcomes) {
                                 done(reject(std::move(outcomes).error()));
                             } else {
                                 settle_due(std::move(done));
                             }
                         }));
}

Result<Subscription> LoopBroker::subscribe(SubscribeRequest request, UniqueFunction<void()> ready) {
    if (readers_.size() >= limits::kSubscribersMax) {
        return reject(ErrorCode::overloaded, "there are {} subscribers already", readers_.size());
    }
    // One that has ended was found by who may see it.
    if (const SessionPtr live = request.session ? find_entered(*request.session) : nullptr)
        CHECK_OK(enter(*live, request.viewer));
    auto reader =
        std::make_shared<Subscription::Reader>(*this, std::move(request), std::move(ready));
    reader->start();
    readers_.push_back(reader.get());
    if (const auto session = reader->agent_of(); session && told_of_agent_)
        told_of_agent_(*session, true);
    wiring_.home.post([weak = std::weak_ptr(reader)] {
        const auto strong = weak.lock();
        if (strong && strong->broker() != nullptr) strong->wake();
    });
    return Subscription(std::move(reader));
}

std::size_t LoopBroker::subscriber_count() const {
    return static_cast<std::size_t>(std::count_if(
        readers_.begin(), readers_.end(),
        [](const auto* reader) { return reader != nullptr && !reader->is_internal(); }));
}

bool LoopBroker::has_agent(SessionId session) const {
    const bool is_here = std::any_of(readers_.begin(), readers_.end(), [session](const auto* one) {
        return one != nullptr && one->agent_of() == session;
    });
    return is_here || find_mark(marks::agent(session)) != nullptr;
}

std::vector<SessionId> LoopBroker::agents_here() const {
    std::vector<SessionId> sessions;
    for (const auto* reader : readers_)
        if (const auto session = reader ? reader->agent_of() : std::nullopt)
            sessions.push_back(*session);
    return sessions;
}

void LoopBroker::drop_reader(const Subscription::Reader* reader) {
    const auto place = std::find(readers_.begin(), readers_.end(), reader);
    if (place == readers_.end()) return;
    if (is_telling_) {
        *place = nullptr;
    } else {
        readers_.erase(place);
    }
    const auto session = reader->agent_of();
    if (!session || !told_of_agent_) return;
    const auto here = agents_here();
    if (std::find(here.begin(), here.end(), *session) == here.end())
        told_of_agent_(*session, false);
}

}  // namespace parley
