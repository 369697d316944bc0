// SPDX-License-Identifier: Apache-2.0
// Who may see and who may act: every read, wait and act of the broker comes by here. The rules
// themselves are in core/viewer.h.
#include <algorithm>
#include <utility>

#include "broker/broker.h"
#include "core/limits.h"

namespace parley {

namespace {

// The same words for what never was and for what is not shown.
Error no_ask(AskId id) {
    return {ErrorCode::not_found, "there is no ask " + id.str()};
}

}  // namespace

AskPtr LoopBroker::find_pending(AskId id, const Viewer& viewer) const {
    AskPtr ask = ledger_.find_pending(id);
    return ask && may_see(viewer, *ask) ? ask : nullptr;
}

std::vector<AskPtr> LoopBroker::pending_in(SessionId session, const Viewer& viewer) const {
    std::vector<AskPtr> asks;
    const auto* entry = ledger_.find_session(session);
    if (entry == nullptr) return asks;
    for (const AskId id : entry->pending)
        if (AskPtr ask = find_pending(id, viewer)) asks.push_back(std::move(ask));
    return asks;
}

Done<AskPtr> LoopBroker::shown_to(const Viewer& viewer, AskId id, Done<AskPtr> done) const {
    return [viewer, id, done = std::move(done)](Result<AskPtr> found) mutable {
        const bool is_hidden = found && (!*found || !may_see(viewer, **found));
        done(is_hidden ? reject(no_ask(id)) : std::move(found));
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
            return reject(ErrorCode::session_of_another,
                          "the session {} is another agent's; use one of your own",
                          session.name.value_or(session.id.str()));
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
    if (!session) return reject(ErrorCode::not_found, "there is no live session {}", id.str());
    CHECK_OK(enter(*session, viewer));
    return id;
}

const Ledger::SessionEntry* LoopBroker::find_live(std::string_view ref,
                                                  const Viewer& viewer) const {
    const auto id = resolve(ref, viewer);
    const SessionPtr session = id ? find_entered(*id) : nullptr;
    return session && may_see(viewer, *session) ? ledger_.find_session(*id) : nullptr;
}

// Whose asks wait in it may be more than one's.
Result<void> LoopBroker::check_may_stop(const Ledger::SessionEntry& entry,
                                        const Viewer& viewer) const {
    const bool sees_all = std::ranges::all_of(
        entry.pending, [&](AskId id) { return find_pending(id, viewer) != nullptr; });
    if (sees_all) return {};
    return reject(ErrorCode::denied, "asks of other agents wait in this session");
}

}  // namespace parley
