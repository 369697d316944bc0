// SPDX-License-Identifier: Apache-2.0
// What is found for a viewer, and who may act where. What a viewer may see, visible.h decides.
#include <algorithm>
#include <utility>

#include "broker/broker.h"
#include "broker/visible.h"
#include "core/limits.h"

namespace parley {

namespace {

// The same words for what never was and for what is not shown.
Error no_ask(AskId id) {
    return {ErrorCode::not_found, "there is no ask " + id.str()};
}

}  // namespace

AskPtr LoopBroker::find_pending(AskId id, const Viewer& viewer) const {
    return shown(ledger_.find_pending(id), viewer);
}

std::vector<AskPtr> LoopBroker::pending_in(SessionId session, const Viewer& viewer) const {
    std::vector<AskPtr> asks;
    const auto* entry = ledger_.find_session(session);
    if (entry == nullptr) return asks;
    for (const AskId id : entry->pending)
        if (AskPtr ask = find_pending(id, viewer)) asks.push_back(std::move(ask));
    return asks;
}

Error LoopBroker::missing(std::string none) const {
    if (is_store_shared_ && !lost_because_.empty()) return {ErrorCode::unavailable, lost_because_};
    return {ErrorCode::not_found, std::move(none)};
}

std::size_t LoopBroker::pending_count(SessionId session, const Viewer& viewer) const {
    const auto* entry = ledger_.find_session(session);
    if (entry == nullptr) return 0;
    if (!only_asker(viewer, session)) return entry->pending.size();
    const auto count = std::ranges::count_if(
        entry->pending, [&](AskId id) { return find_pending(id, viewer) != nullptr; });
    return static_cast<std::size_t>(count);
}

bool LoopBroker::is_busy(SessionId session, const Viewer& viewer) const {
    const auto* entry = ledger_.find_session(session);
    if (entry == nullptr) return false;
    return entry->session->activity == Activity::working || pending_count(session, viewer) > 0;
}

Done<AskPtr> LoopBroker::shown_to(const Viewer& viewer, AskId id, Done<AskPtr> done) const {
    return [viewer, id, done = std::move(done)](Result<AskPtr> found) mutable {
        if (found && !shown(*found, viewer)) return done(reject(no_ask(id)));
        done(std::move(found));
    };
}

// Who acts right after another, before that is stored, finds what the other made of it.
SessionPtr LoopBroker::find_entered(SessionId id) const {
    const auto* entry = ledger_.find_session(id);
    if (entry == nullptr) return nullptr;
    const auto claim = claims_.find(id);
    if (claim == claims_.end() || !entry->session->owner.empty()) return entry->session;
    auto claimed = std::make_shared<Session>(*entry->session);
    claimed->owner = claim->second;
    return claimed;
}

SessionPtr LoopBroker::find_entered(const std::string& live_name) const {
    if (const auto* known = ledger_.find_session(std::string_view(live_name)))
        return find_entered(known->session->id);
    const auto opening = opening_.find(live_name);
    return opening == opening_.end() ? nullptr : opening->second;
}

Result<void> LoopBroker::enter(const Session& session, const Viewer& viewer) {
    switch (standing_of(viewer, session)) {
        case Standing::own: return {};
        case Standing::foreign:
            // Who knows its name learns no id, and who knows its id no name.
            return reject(ErrorCode::session_of_another,
                          "this session is another agent's; use one of your own");
        case Standing::free: break;
    }
    CHECK_OK(check_session_quota(viewer));
    claims_[session.id] = viewer.principal;
    openings_.add_session(session.id, viewer.principal);
    wiring_.store.commit(
        ChangeSession{.session = session.id, .at = wiring_.clock.wall(), .owner = viewer.principal},
        alive_.guard([this, id = session.id](const auto&) {
            claims_.erase(id);
            openings_.end_session(id);
        }));
    return {};
}

Result<SessionId> LoopBroker::enter_live(std::string_view ref, const Viewer& viewer) {
    TRY(id, resolve(ref, viewer));
    const SessionPtr session = find_entered(id);
    if (!session) return reject(missing("there is no live session " + id.str()));
    CHECK_OK(enter(*session, viewer));
    return id;
}

const Ledger::SessionEntry* LoopBroker::find_live(std::string_view ref,
                                                  const Viewer& viewer) const {
    const auto id = resolve(ref, viewer);
    return id ? find_live(*id, viewer) : nullptr;
}

const Ledger::SessionEntry* LoopBroker::find_live(SessionId id, const Viewer& viewer) const {
    return shown(find_entered(id), viewer) ? ledger_.find_session(id) : nullptr;
}

// Whose asks wait in it may be more than one's.
Result<void> LoopBroker::check_may_stop(const Ledger::SessionEntry& entry,
                                        const Viewer& viewer) const {
    if (pending_count(entry.session->id, viewer) == entry.pending.size()) return {};
    return reject(ErrorCode::denied, "asks of other agents wait in this session");
}

}  // namespace parley
