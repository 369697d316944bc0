// SPDX-License-Identifier: Apache-2.0
// Asking and waiting.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/block_cache.h"
#include "base/sizes.h"
#include "broker/broker.h"
#include "broker/limits.h"
#include "broker/visible.h"
#include "core/limits.h"
#include "core/questions.h"
#include "core/weight.h"

namespace parley {

Result<void> LoopBroker::check_room() const {
    if (is_short_of_memory_)
        return reject(ErrorCode::overloaded,
                      "the broker is short of memory; settle asks or end sessions, or give it more "
                      "with --memory-max");
    if (ledger_.bytes() < wiring_.ledger_bytes) return {};
    return reject(ErrorCode::overloaded,
                  "the broker holds {} MiB of asks, drafts, sessions and messages; settle asks or "
                  "end sessions first",
                  ledger_.bytes() / limits::kMiB);
}

Result<void> LoopBroker::check_quota(const Viewer& viewer) const {
    if (!is_agent(viewer)) return {};
    const Ledger::Usage usage = usage_of(viewer.principal);
    if (usage.asks >= wiring_.quota.asks)
        return reject(ErrorCode::over_quota,
                      "you have {} asks pending, which is all that one agent may have; wait for "
                      "answers or withdraw some, or let the owner raise --quota-asks",
                      usage.asks);
    if (usage.bytes >= wiring_.quota.bytes)
        return reject(ErrorCode::over_quota,
                      "your pending asks hold {} MiB, which is all that one agent may have; wait "
                      "for answers or withdraw some, or let the owner raise --quota-bytes",
                      usage.bytes / limits::kMiB);
    return {};
}

Ledger::Usage LoopBroker::usage_of(std::string_view principal) const {
    Ledger::Usage usage = ledger_.usage_of(principal);
    const Ledger::Usage opening = openings_.usage_of(principal);
    usage.asks += opening.asks;
    usage.bytes += opening.bytes;
    usage.sessions += opening.sessions;
    return usage;
}

AskPtr LoopBroker::new_ask(SessionId session, SharedSpec spec) {
    const Instant now = wiring_.clock.wall();
    auto ask = make_shared_block<Ask>();
    ask->id = ids_.next<AskKind>(now);
    ask->session = session;
    ask->created_at = now;
    if (spec->timeout) ask->deadline = now + *spec->timeout;
    ask->spec = std::move(spec);
    return ask;
}

void LoopBroker::ask(AskRequest request, const Profile& profile, const Actor& actor,
                     Done<OpenedAsk> done) {
    const auto named = is_store_shared_ ? SessionId::parse(request.session) : std::nullopt;
    if (named && !find_entered(*named))  // another node may have opened it just now
        return catch_up([this, id = *named, request = std::move(request), profile, actor,
                         done = std::move(done)]() mutable {
            if (find_entered(id)) return ask(std::move(request), profile, actor, std::move(done));
            fail(done, missing("there is no live session " + id.str()));
        });
    auto spec = make_shared_block<AskSpec>(std::move(request.spec));
    const Viewer viewer = actor.viewer();
    const SessionWish wish{request.session, spec->agent, viewer};
    // What its session gives an ask that brings no timeout of its own.
    const SessionPtr standing = find_wished(wish);
    if (standing && !spec->timeout) spec->timeout = standing->ask_timeout;
    Faults faults;
    check_spec(*spec, profile, faults);
    if (!faults.empty()) return fail(done, std::move(faults).reject().value());
    if (auto room = check_room(); !room) return fail(done, std::move(room).error());
    if (auto quota = check_quota(viewer); !quota) return fail(done, std::move(quota).error());
    spec->asker = actor.principal;
    auto plan = plan_session(wish, standing);
    if (!plan) return fail(done, std::move(plan).error());

    AskPtr ask = new_ask(plan->id, std::move(spec));
    if (is_agent(viewer)) openings_.add_ask(ask->id, viewer.principal, weight_of(*ask));
    if (ledger_.find_session(plan->id) != nullptr) {
        const AskId id = ask->id;
        wiring_.store.commit(
            OpenAsk{std::move(ask)},
            alive_.guard(
                [this, asker = Asker{viewer, opened_by_door_[actor.door]}, id,
                 done = std::move(done)](Result<std::span<const ChangeOutcome>> outcomes) mutable {
                    openings_.end_ask(id);
                    opened(std::move(outcomes), asker, done);
                }));
        return;
    }
    // Its session is on its way to the store, with this ask or with one before it.
    std::vector<Change> changes;
    if (plan->to_open) changes.emplace_back(OpenSession{plan->to_open});
    changes.emplace_back(OpenAsk{ask});
    auto told = [this, actor, profile, session = std::move(request.session), ask,
                 to_open = plan->to_open,
                 done = std::move(done)](Result<std::span<const ChangeOutcome>> outcomes) mutable {
        openings_.end_ask(ask->id);
        end_opening(to_open);
        if (outcomes && outcomes->back().verdict == Verdict::missing &&
            was_opened_elsewhere({session, ask->spec->agent, actor.viewer()}, ask->session))
            return this->ask({*ask->spec, std::move(session)}, profile, actor, std::move(done));
        opened(std::move(outcomes), Asker{actor.viewer(), opened_by_door_[actor.door]}, done);
    };
    wiring_.store.commit(std::move(changes), alive_.guard(std::move(told)));
}

void LoopBroker::opened(Result<std::span<const ChangeOutcome>> outcomes, const Asker& asker,
                        Done<OpenedAsk>& done) {
    if (!outcomes) {
        done(reject(std::move(outcomes).error()));
        return;
    }
    const ChangeOutcome& outcome = outcomes->back();
    // A key that was guessed must not show an agent what another was told, nor that ask's id.
    if (outcome.verdict != Verdict::applied && outcome.ask && !is_shown(*outcome.ask, asker.viewer))
        return done(reject(ErrorCode::key_conflict, "the same key was used by another agent"));
    switch (outcome.verdict) {
        case Verdict::applied:
            ++asker.opened;
            done(OpenedAsk{outcome.ask, true});
            return;
        case Verdict::existing: done(OpenedAsk{outcome.ask, false}); return;
        case Verdict::conflict:
            done(reject(ErrorCode::key_conflict,
                        "the same key was used for other questions, by ask {}",
                        outcome.ask->id.str()));
            return;
        case Verdict::refused:
        case Verdict::missing:
            done(reject(ErrorCode::conflict, "the session has ended; ask in a new one"));
            return;
    }
}

Wait LoopBroker::wait(AskId id, const Viewer& viewer, Done<AskPtr> settled) {
    const Ask* pending = ledger_.see_pending(id);
    if (pending != nullptr && !is_shown(*pending, viewer)) {
        fail(settled, {ErrorCode::not_found, "there is no ask " + id.str()});
        return {};
    }
    auto& waiters = waiters_[id];
    if (waiters.size() >= limits::kWaitersPerAskMax) {
        fail(settled, {ErrorCode::overloaded, "too many wait for this ask already"});
        return {};
    }
    const std::uint64_t number = next_waiter_++;
    waiters.push_back({number, viewer, std::move(settled)});
    if (pending == nullptr) wait_from_store(id, viewer, number);
    return Wait(this, id, number);
}

// Of an ask that is settled or was never there. One that was opened while the question was on its
// way to the store and back is waited for like any other.
void LoopBroker::wait_from_store(AskId id, const Viewer& viewer, std::uint64_t number) {
    wiring_.store.find_ask(id, alive_.guard([this, id, viewer, number](Result<AskPtr> found) {
        const bool is_away =
            !found && is_store_shared_ && found.error().code == ErrorCode::unavailable;
        if (is_away) return wait_on(id, viewer, number);
        const AskPtr ask = found ? shown(*found, viewer) : nullptr;
        if (ask && ask->is_pending()) return;
        if (auto told = take_waiter(id, number))
            shown_to(viewer, id, std::move(*told))(std::move(found));
    }));
}

// A shared store is away for a while, or was too slow: who waits is kept.
void LoopBroker::wait_on(AskId id, const Viewer& viewer, std::uint64_t number) {
    const Mono again = wiring_.clock.mono() + limits::kReadAgain;
    wiring_.home.post_at(again, alive_.guard([this, id, viewer, number] {
        const auto found = waiters_.find(id);
        const bool is_waiting =
            found != waiters_.end() && std::ranges::any_of(found->second, [&](const Waiter& one) {
                return one.number == number;
            });
        if (is_waiting) wait_from_store(id, viewer, number);
    }));
}

std::optional<Done<AskPtr>> LoopBroker::take_waiter(AskId ask, std::uint64_t number) {
    const auto found = waiters_.find(ask);
    if (found == waiters_.end()) return std::nullopt;
    auto& waiters = found->second;
    const auto waiter = std::find_if(waiters.begin(), waiters.end(),
                                     [number](const Waiter& one) { return one.number == number; });
    if (waiter == waiters.end()) return std::nullopt;
    std::optional<Done<AskPtr>> settled = std::move(waiter->settled);
    waiters.erase(waiter);
    if (waiters.empty()) waiters_.erase(found);
    return settled;
}

void LoopBroker::wake(const AskPtr& settled) {
    auto node = waiters_.extract(settled->id);
    if (node.empty()) return;
    for (Waiter& waiter : node.mapped()) waiter.settled(settled);
}

Wait& Wait::operator=(Wait&& other) noexcept {
    if (this == &other) return *this;
    cancel();
    broker_ = std::exchange(other.broker_, nullptr);
    ask_ = other.ask_;
    number_ = other.number_;
    return *this;
}

void Wait::cancel() {
    if (broker_ != nullptr) (void)std::exchange(broker_, nullptr)->take_waiter(ask_, number_);
}

void LoopBroker::find_ask(AskId id, const Viewer& viewer, Done<AskPtr> done) {
    auto told = shown_to(viewer, id, std::move(done));
    if (AskPtr pending = ledger_.find_pending(id)) {
        wiring_.home.post([told = std::move(told), pending = std::move(pending)]() mutable {
            told(std::move(pending));
        });
        return;
    }
    wiring_.store.find_ask(id, std::move(told));
}

void LoopBroker::find_ask_by_call(SessionId session, std::string call_id, const Viewer& viewer,
                                  Done<AskPtr> done) {
    wiring_.store.find_ask_by_call(session, std::move(call_id),
                                   [viewer, done = std::move(done)](Result<AskPtr> found) mutable {
                                       if (found) *found = shown(std::move(*found), viewer);
                                       done(std::move(found));
                                   });
}

// One person's drafts are listed in one answer.
Result<void> LoopBroker::check_draft_room(AskId id, const std::string& principal,
                                          const Answers& answers) const {
    const DraftPtr before = ledger_.find_draft(id, principal);
    const std::size_t others = ledger_.draft_bytes(principal) - (before ? weight_of(*before) : 0);
    if (others + weight_of(answers) <= limits::kDraftBytesMax) return {};
    return reject(ErrorCode::too_large,
                  "your drafts would hold more than {} MiB; send or drop some of them first",
                  limits::kDraftBytesMax / limits::kMiB);
}

// Another node may have opened the ask just now.
void LoopBroker::put_draft(AskId id, const Viewer& viewer, DraftRequest draft,
                           Done<DraftReply> done) {
    if (!is_store_shared_ || find_pending(id, viewer))
        return put_known_draft(id, viewer, std::move(draft), std::move(done));
    catch_up([this, id, viewer, draft = std::move(draft), done = std::move(done)]() mutable {
        put_known_draft(id, viewer, std::move(draft), std::move(done));
    });
}

void LoopBroker::put_known_draft(AskId id, const Viewer& viewer, DraftRequest draft,
                                 Done<DraftReply> done) {
    const std::string& principal = viewer.principal;
    const AskPtr ask = find_pending(id, viewer);
    if (!ask) {
        return fail(done, missing("there is no pending ask " + id.str()));
    }
    if (draft.seen && *draft.seen > limits::kDraftVersionAhead) {
        const DraftPtr stands = ledger_.find_draft(id, principal);
        if (!stands || stands->version < *draft.seen)
            return fail(done, reject_field("/version",
                                           fmt::format("no draft had this version yet; one that "
                                                       "is not known may be {} at most",
                                                       limits::kDraftVersionAhead))
                                  .value());
    }
    if (!draft.answers.empty()) {
        if (auto room = check_room(); !room) return fail(done, std::move(room).error());
        auto checked = check_draft(ask->spec->questions, std::move(draft.answers));
        if (!checked) return fail(done, std::move(checked).error());
        draft.answers = std::move(*checked);
        if (auto room = check_draft_room(id, principal, draft.answers); !room)
            return fail(done, std::move(room).error());
    }
    commit_beside(PutDraft{id, wiring_.clock.wall(), principal, std::move(draft)}, id,
                  [done = std::move(done)](Result<ChangeOutcome> stored) mutable {
                      if (!stored) return done(reject(std::move(stored).error()));
                      DraftPtr stands = stored->draft ? stored->draft : std::make_shared<Draft>();
                      done(DraftReply{std::move(stands), stored->verdict != Verdict::conflict});
                  });
}

void LoopBroker::snooze(AskId id, const Viewer& viewer, std::optional<Instant> until,
                        Done<void> done) {
    if (!find_pending(id, viewer))
        return fail(done, missing("there is no pending ask " + id.str()));
    commit_beside(PutSnooze{id, wiring_.clock.wall(), viewer.principal, until}, id,
                  [done = std::move(done)](Result<ChangeOutcome> stored) mutable {
                      if (!stored) return done(reject(std::move(stored).error()));
                      done({});
                  });
}

void LoopBroker::commit_beside(Change change, AskId id, Done<ChangeOutcome> done) {
    wiring_.store.commit(
        std::move(change),
        [id, done = std::move(done)](Result<std::span<const ChangeOutcome>> outcomes) mutable {
            if (!outcomes) {
                done(reject(std::move(outcomes).error()));
            } else if (outcomes->front().verdict == Verdict::missing) {
                done(reject(ErrorCode::not_found, "there is no pending ask {}", id.str()));
            } else {
                done(outcomes->front());
            }
        });
}

}  // namespace parley
