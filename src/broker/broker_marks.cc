// SPDX-License-Identifier: Apache-2.0
// Marks: what the nodes on one store keep for each other.
#include <utility>

#include "broker/broker.h"
#include "broker/limits.h"
#include "broker/mark_keys.h"

namespace parley {

namespace {

// The session that a mark of this kind is about.
std::optional<SessionId> session_of(std::string_view key, std::string_view kind) {
    if (!key.starts_with(kind)) return std::nullopt;
    return SessionId::parse(key.substr(kind.size()));
}

}  // namespace

void LoopBroker::put_mark(PutMark change, Done<Verdict> done) {
    if (change.expires_at) drop_expired_marks();
    wiring_.store.commit(std::move(change), [done = std::move(done)](auto outcomes) mutable {
        if (!outcomes) return done(reject(std::move(outcomes).error()));
        done(outcomes->front().verdict);
    });
}

void LoopBroker::drop_expired_marks() {
    const Instant now = wiring_.clock.wall();
    std::vector<Change> changes;
    for (const auto& [kind, expiring] : ledger_.expiring()) {
        for (const auto& [at, key] : expiring) {
            if (at > now || changes.size() == limits::kMarksDroppedAtOnce) break;
            changes.emplace_back(
                PutMark{.key = key, .at = now, .expected = ledger_.find_mark(key)->value});
        }
    }
    if (!changes.empty()) wiring_.store.commit(std::move(changes), [](auto) {});
}

// Of sessions that ended as their node died, and, where this broker has the store for itself, of
// the nodes that it was shared with before it was copied.
void LoopBroker::drop_stale_marks() {
    const Instant now = wiring_.clock.wall();
    std::vector<Change> changes;
    for (const auto& [key, mark] : ledger_.marks()) {
        auto session = session_of(key, marks::kSeat);
        if (!session) session = session_of(key, marks::kAgent);
        const bool is_over = session && ledger_.find_session(*session) == nullptr;
        const bool is_of_node = key.starts_with(marks::kNode) || key.starts_with(marks::kAgent);
        if (is_over || (is_of_node && !is_shared()))
            changes.emplace_back(PutMark{.key = key, .at = now, .expected = mark->value});
    }
    if (!changes.empty()) wiring_.store.commit(std::move(changes), [](auto) {});
}

void LoopBroker::tell_of_mark(const std::string& key, const MarkPtr& mark) const {
    for (const auto& [kind, told] : told_of_marks_)
        if (key.starts_with(kind)) told(key, mark);
}

// Every node does it that hears of the end: the first one drops them.
void LoopBroker::drop_marks_of(SessionId ended) {
    for (std::string key : {marks::seat(ended), marks::agent(ended)})
        if (find_mark(key))
            put_mark({.key = std::move(key), .at = wiring_.clock.wall()}, [](Result<Verdict>) {});
}

void LoopBroker::leave_orphaned(SessionId session, PutMark change, NoticeGiven notice) {
    const Instant now = wiring_.clock.wall();
    std::vector<Change> changes;
    changes.emplace_back(std::move(change));
    if (const auto* entry = ledger_.find_session(session)) {
        if (entry->session->activity == Activity::working)
            changes.emplace_back(
                ChangeSession{.session = session, .at = now, .activity = Activity::idle});
        changes.emplace_back(GiveNotice{session, now, std::move(notice)});
    }
    wiring_.store.commit(std::move(changes), [](auto) {});
}

}  // namespace parley
