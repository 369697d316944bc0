// SPDX-License-Identifier: Apache-2.0
// Sessions: found by id or by the client's own name, opened on first use, ended with their asks.
#include <fmt/format.h>

#include <utility>

#include "broker/broker.h"
#include "broker/visible.h"
#include "core/limits.h"
#include "core/text_rules.h"
#include "core/viewer.h"

namespace parley {

namespace {

Result<void> check_name(std::string_view name, const json::Path& at) {
    Faults faults;
    check_text(name, name_rule("session name"), at, faults);
    // They would be other paths.
    if (name == "." || name == "..")
        faults.add(at, "\".\" and \"..\" are no session names; choose another");
    if (!faults.empty()) return std::move(faults).reject();
    return {};
}

// In the words of who asks: what is not shown is like what never was.
std::string no_session(std::string_view ref) {
    if (SessionId::parse(ref)) return fmt::format("there is no session {}", ref);
    return fmt::format("there is no live session named {}", ref);
}

// What waits in it is looked at where that is written: more may have been on its way before.
void write_end(Store& store, EndSession change, const Viewer& viewer, Done<SessionPtr> done) {
    const SessionId id = change.session;
    store.commit(std::move(change), [id, viewer, done = std::move(done)](auto outcomes) mutable {
        if (!outcomes) return done(reject(std::move(outcomes).error()));
        const SessionPtr& ended = outcomes->front().session;
        if (outcomes->front().verdict == Verdict::missing || (ended && !is_shown(*ended, viewer)))
            return done(reject(ErrorCode::not_found, "there is no session {}", id.str()));
        if (outcomes->front().verdict == Verdict::conflict)
            return done(reject(ErrorCode::denied, "asks of other agents wait in this session"));
        done(ended);
    });
}

}  // namespace

// The name of a session that the request may leave out. An agent that names none gets one of its
// own, also where the name that it has for itself is somebody else's session.
std::string_view LoopBroker::name_of(const SessionWish& wish) const {
    if (!wish.ref.empty()) return wish.ref;
    if (!wish.agent) return kDefaultSession;
    const SessionPtr known = find_entered(live_name_for(wish.viewer, *wish.agent));
    const bool is_own = !known || standing_of(wish.viewer, *known) == Standing::own;
    return is_own ? std::string_view(*wish.agent) : kDefaultSession;
}

SessionPtr LoopBroker::find_wished(const SessionWish& wish) const {
    if (wish.ref.empty() && wish.viewer.only_session)
        return find_entered(*wish.viewer.only_session);
    if (const auto id = SessionId::parse(wish.ref)) return find_entered(*id);
    return find_entered(live_name_for(wish.viewer, name_of(wish)));
}

bool LoopBroker::was_opened_elsewhere(const SessionWish& wish, SessionId tried) const {
    const SessionPtr standing = find_wished(wish);
    return standing && standing->id != tried;
}

Result<LoopBroker::SessionPlan> LoopBroker::plan_session(const SessionWish& wish,
                                                         const SessionPtr& standing) {
    if (standing) {
        CHECK_OK(enter(*standing, wish.viewer));
        return SessionPlan{standing->id, nullptr};
    }
    if (SessionId::parse(wish.ref))
        return reject(missing(fmt::format("there is no live session {}", wish.ref)));
    std::string name(name_of(wish));
    CHECK_OK(check_name(name, json::Path() / "session"));
    CHECK_OK(check_session_quota(wish.viewer));
    SessionPtr session = new_session({.name = std::move(name), .agent = wish.agent}, wish.viewer);
    const SessionId id = session->id;
    return SessionPlan{id, std::move(session)};
}

Result<void> LoopBroker::check_session_quota(const Viewer& viewer) const {
    if (!is_agent(viewer)) return {};
    const std::size_t sessions = usage_of(viewer.principal).sessions;
    if (sessions < wiring_.quota.sessions) return {};
    return reject(ErrorCode::over_quota,
                  "you have {} sessions open, which is all that one agent may have; end some, or "
                  "let the owner raise --quota-sessions",
                  sessions);
}

SessionPtr LoopBroker::new_session(SessionRequest request, const Viewer& viewer) {
    const Instant now = wiring_.clock.wall();
    auto session =
        std::make_shared<const Session>(Session{.id = ids_.next<SessionKind>(now),
                                                .name = std::move(request.name),
                                                .title = std::move(request.title),
                                                .parent = request.parent,
                                                .owner = is_agent(viewer) ? viewer.principal : "",
                                                .agent = std::move(request.agent),
                                                .directory = std::move(request.directory),
                                                .on_dismiss = request.on_dismiss,
                                                .activity = Activity::idle,
                                                .ask_timeout = request.ask_timeout,
                                                .created_at = now});
    // Who uses the name before it is stored means this session.
    if (session->name) opening_.emplace(live_name(*session), session);
    if (!session->owner.empty()) openings_.add_session(session->id, session->owner);
    return session;
}

void LoopBroker::open_session(SessionRequest request, const Viewer& viewer, Done<SessionPtr> done) {
    if (request.name) {
        if (auto checked = check_name(*request.name, json::Path() / "name"); !checked)
            return fail(done, std::move(checked).error());
    }
    if (request.directory) {
        Faults faults;
        check_text(*request.directory, directory_rule(), json::Path() / "directory", faults);
        if (!faults.empty()) return fail(done, std::move(faults).reject().value());
    }
    if (request.parent && find_live(request.parent->str(), viewer) == nullptr) {
        Error error = missing("there is no live session " + request.parent->str());
        error.faults.push_back({"/parent", error.message});
        return fail(done, std::move(error));
    }
    if (auto room = check_room(); !room) return fail(done, std::move(room).error());
    const SessionPtr known =
        request.name ? find_entered(live_name_for(viewer, *request.name)) : nullptr;
    const auto allowed = known ? enter(*known, viewer) : check_session_quota(viewer);
    if (!allowed) return fail(done, allowed.error());
    const SessionPtr session = known ? known : new_session(std::move(request), viewer);
    wiring_.store.commit(OpenSession{session}, [this, end = alive_.watch(), session,
                                                done = std::move(done)](auto outcomes) mutable {
        if (!end.expired()) end_opening(session);
        if (outcomes) return done(outcomes->front().session);
        done(reject(std::move(outcomes).error()));
    });
}

void LoopBroker::end_opening(const SessionPtr& to_open) {
    if (!to_open) return;
    openings_.end_session(to_open->id);
    if (!to_open->name) return;
    const auto opening = opening_.find(live_name(*to_open));
    if (opening != opening_.end() && opening->second->id == to_open->id) opening_.erase(opening);
}

Result<SessionId> LoopBroker::resolve(std::string_view ref, const Viewer& viewer) const {
    if (const auto id = SessionId::parse(ref)) return *id;
    if (const auto* known = ledger_.find_session(live_name_for(viewer, ref)))
        return known->session->id;
    return reject(missing(no_session(ref)));
}

Result<SessionId> LoopBroker::resolve_shown(std::string_view ref, const Viewer& viewer) const {
    TRY(id, resolve(ref, viewer));
    const SessionPtr live = find_entered(id);
    if (live && !SessionId::parse(ref) && !shown(live, viewer))
        return reject(missing(no_session(ref)));
    return id;
}

void LoopBroker::find_session(std::string_view ref, const Viewer& viewer, Done<SessionPtr> done) {
    const auto id = resolve(ref, viewer);
    if (!id) return fail(done, id.error());
    auto told = [viewer, ref = std::string(ref),
                 done = std::move(done)](Result<SessionPtr> found) mutable {
        if (found && !shown(*found, viewer))
            return done(reject(ErrorCode::not_found, "{}", no_session(ref)));
        done(std::move(found));
    };
    if (SessionPtr known = find_entered(*id)) {
        wiring_.home.post([told = std::move(told), known = std::move(known)]() mutable {
            told(std::move(known));
        });
        return;
    }
    wiring_.store.find_session(*id, std::move(told));
}

void LoopBroker::enter_session(std::string_view ref, const Viewer& viewer, Done<SessionPtr> done) {
    const auto id = SessionId::parse(ref);
    if (!id) return open_session({.name = std::string(ref)}, viewer, std::move(done));
    const SessionPtr live = find_entered(*id);
    if (const auto entered = live ? enter(*live, viewer) : Result<void>(); !entered)
        return fail(done, entered.error());
    find_session(ref, viewer, std::move(done));
}

void LoopBroker::end_session(std::string_view ref, std::optional<std::string> reason,
                             const Actor& actor, Done<SessionPtr> done) {
    const Viewer viewer = actor.viewer();
    const auto id = resolve(ref, viewer);
    if (!id) return fail(done, id.error());
    const Instant now = wiring_.clock.wall();
    auto withdrawal = make_withdrawal(WithdrawalRule::session_ended, reason, actor, now);
    if (!withdrawal) return fail(done, std::move(withdrawal).error());
    EndSession change{*id, now, std::move(reason),
                      std::make_shared<const Settlement>(std::move(*withdrawal)),
                      only_asker(viewer, *id)};
    if (const auto* live = ledger_.find_session(*id)) {
        if (auto entered = enter_live(ref, viewer); !entered) return fail(done, entered.error());
        if (auto allowed = check_may_stop(*live, viewer); !allowed)
            return fail(done, allowed.error());
        return write_end(wiring_.store, std::move(change), viewer, std::move(done));
    }
    // It has ended, or another node opened it and this one has not heard of it, which lasts as long
    // as the store is away: whose it is, only the store can say.
    wiring_.store.find_session(
        *id, alive_.guard([this, viewer, change = std::move(change),
                           done = std::move(done)](Result<SessionPtr> found) mutable {
            if (!found) return done(std::move(found));
            const SessionPtr live = find_entered(change.session);
            const SessionPtr session = live ? live : *found;
            if (!session)
                return done(reject(ErrorCode::not_found, "{}", no_session(change.session.str())));
            const auto entered = session->ended_at ? Result<void>() : enter(*session, viewer);
            if (!entered) return done(reject(entered.error()));
            write_end(wiring_.store, std::move(change), viewer, std::move(done));
        }));
}

void LoopBroker::set_title(SessionId id, std::string title, const Viewer& viewer,
                           Done<SessionPtr> done) {
    change_session({.session = id, .at = wiring_.clock.wall(), .title = std::move(title)}, viewer,
                   std::move(done));
}

void LoopBroker::set_ask_timeout(SessionId id, std::optional<Millis> timeout, const Viewer& viewer,
                                 Done<SessionPtr> done) {
    change_session({.session = id, .at = wiring_.clock.wall(), .ask_timeout = timeout}, viewer,
                   std::move(done));
}

void LoopBroker::change_session(ChangeSession change, const Viewer& viewer, Done<SessionPtr> done) {
    if (!shown(find_entered(change.session), viewer)) {
        return fail(done, missing("there is no live session " + change.session.str()));
    }
    wiring_.store.commit(std::move(change), [done = std::move(done)](auto outcomes) mutable {
        if (!outcomes) return done(reject(std::move(outcomes).error()));
        if (!outcomes->front().session)
            return done(reject(ErrorCode::conflict, "the session has ended"));
        done(outcomes->front().session);
    });
}

// What was asked at another node just now is a part of the turn. It is the session that has the
// name now that is stopped, and no later one.
void LoopBroker::abort(std::string_view ref, const Actor& actor, Done<SessionPtr> done) {
    const auto id = enter_live(ref, actor.viewer());
    if (!id) return fail(done, id.error());
    if (!is_store_shared_) return stop_turn(id->str(), actor, std::move(done));
    catch_up([this, ref = id->str(), actor, done = std::move(done)]() mutable {
        stop_turn(ref, actor, std::move(done));
    });
}

void LoopBroker::stop_turn(std::string_view ref, const Actor& actor, Done<SessionPtr> done) {
    const auto id = enter_live(ref, actor.viewer());
    if (!id) return fail(done, id.error());
    const auto* entry = ledger_.find_session(*id);
    if (auto allowed = check_may_stop(*entry, actor.viewer()); !allowed)
        return fail(done, allowed.error());
    const Instant now = wiring_.clock.wall();
    auto withdrawal = make_withdrawal(WithdrawalRule::turn_stopped, std::nullopt, actor, now);
    if (!withdrawal) return fail(done, std::move(withdrawal).error());
    const auto shared = std::make_shared<const Settlement>(std::move(*withdrawal));
    std::vector<Change> changes;
    for (const AskId ask : entry->pending)
        changes.emplace_back(SettleAsk{ask, shared, ledger_.find_pending(ask)});
    changes.emplace_back(ChangeSession{.session = *id, .at = now, .activity = Activity::idle});
    wiring_.store.commit(std::move(changes), [done = std::move(done)](auto outcomes) mutable {
        if (!outcomes) return done(reject(std::move(outcomes).error()));
        if (!outcomes->back().session)
            return done(reject(ErrorCode::conflict, "the session has ended"));
        done(outcomes->back().session);
    });
}

}  // namespace parley
