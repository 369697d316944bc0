// SPDX-License-Identifier: Apache-2.0
// Sessions: found by id or by the client's own name, opened on first use, ended with their asks.
#include <utility>

#include "base/limits.h"
#include "broker/broker.h"
#include "core/text_rules.h"

namespace parley {

namespace {

constexpr std::string_view kDefaultSession = "default";

Result<void> check_name(std::string_view name, const json::Path& at) {
    Faults faults;
    check_text(name, name_rule("session name"), at, faults);
    // They would be other paths.
    if (name == "." || name == "..")
        faults.add(at, "\".\" and \"..\" are no session names; choose another");
    if (!faults.empty()) return std::move(faults).reject();
    return {};
}

// The session of a request that may name none.
std::string name_of(const std::string& ref, const std::optional<std::string>& agent) {
    return ref.empty() ? agent.value_or(std::string(kDefaultSession)) : ref;
}

}  // namespace

// What its session gives an ask that brings no timeout of its own.
std::optional<Millis> LoopBroker::ask_timeout_in(const std::string& ref,
                                                 const std::optional<std::string>& agent) const {
    const auto id = resolve(name_of(ref, agent));
    const auto* entry = id ? ledger_.find_session(*id) : nullptr;
    return entry == nullptr ? std::nullopt : entry->session->ask_timeout;
}

Result<LoopBroker::SessionPlan> LoopBroker::plan_session(const std::string& ref,
                                                         const std::optional<std::string>& agent) {
    if (const auto id = SessionId::parse(ref)) {
        if (ledger_.find_session(*id) == nullptr)
            return reject(ErrorCode::not_found, "there is no live session {}", ref);
        return SessionPlan{*id, nullptr};
    }
    std::string name = name_of(ref, agent);
    if (const auto* known = ledger_.find_session(std::string_view(name)))
        return SessionPlan{known->session->id, nullptr};
    if (const auto opening = opening_names_.find(name); opening != opening_names_.end())
        return SessionPlan{opening->second, nullptr};
    CHECK_OK(check_name(name, json::Path() / "session"));

    const Instant now = wiring_.clock.wall();
    Session session{.id = ids_.next<SessionKind>(now), .name = name, .agent = agent};
    session.created_at = now;
    opening_names_.emplace(std::move(name), session.id);
    return SessionPlan{session.id, std::make_shared<const Session>(std::move(session))};
}

void LoopBroker::open_session(SessionRequest request, Done<SessionPtr> done) {
    if (request.name) {
        if (auto checked = check_name(*request.name, json::Path() / "name"); !checked)
            return fail(done, std::move(checked).error());
    }
    if (request.directory) {
        Faults faults;
        check_text(*request.directory, directory_rule(), json::Path() / "directory", faults);
        if (!faults.empty()) return fail(done, std::move(faults).reject().value());
    }
    if (request.parent && ledger_.find_session(*request.parent) == nullptr) {
        Error error{ErrorCode::not_found, "there is no live session " + request.parent->str()};
        error.faults.push_back({"/parent", error.message});
        return fail(done, std::move(error));
    }
    if (auto room = check_room(); !room) return fail(done, std::move(room).error());
    const Instant now = wiring_.clock.wall();
    const auto session =
        std::make_shared<const Session>(Session{.id = ids_.next<SessionKind>(now),
                                                .name = std::move(request.name),
                                                .title = std::move(request.title),
                                                .parent = request.parent,
                                                .agent = std::move(request.agent),
                                                .directory = std::move(request.directory),
                                                .on_dismiss = request.on_dismiss,
                                                .activity = Activity::idle,
                                                .ask_timeout = request.ask_timeout,
                                                .created_at = now});
    // Who uses the name before it is stored means this session.
    if (session->name && ledger_.find_session(std::string_view(*session->name)) == nullptr)
        opening_names_.emplace(*session->name, session->id);
    wiring_.store.commit(OpenSession{session}, [this, alive = std::weak_ptr(alive_), session,
                                                done = std::move(done)](auto outcomes) mutable {
        if (outcomes) return done(outcomes->front().session);
        if (!alive.expired()) forget_opening(*session);
        done(reject(std::move(outcomes).error()));
    });
}

void LoopBroker::forget_opening(const Session& session) {
    if (!session.name) return;
    const auto opening = opening_names_.find(*session.name);
    if (opening != opening_names_.end() && opening->second == session.id)
        opening_names_.erase(opening);
}

Result<SessionId> LoopBroker::resolve(std::string_view ref) const {
    if (const auto id = SessionId::parse(ref)) return *id;
    if (const auto* known = ledger_.find_session(ref)) return known->session->id;
    return reject(ErrorCode::not_found, "there is no live session named {}", ref);
}

void LoopBroker::find_session(std::string_view ref, Done<SessionPtr> done) {
    const auto id = resolve(ref);
    if (!id) return fail(done, id.error());
    if (const auto* known = ledger_.find_session(*id)) {
        wiring_.home.post([done = std::move(done), session = known->session]() mutable {
            done(std::move(session));
        });
        return;
    }
    wiring_.store.find_session(*id, [id = *id, done = std::move(done)](auto found) mutable {
        if (found && !*found) {
            done(reject(ErrorCode::not_found, "there is no session {}", id.str()));
        } else {
            done(std::move(found));
        }
    });
}

void LoopBroker::find_or_open_session(std::string_view ref, Done<SessionPtr> done) {
    if (SessionId::parse(ref) || ledger_.find_session(ref) != nullptr)
        return find_session(ref, std::move(done));
    open_session({.name = std::string(ref)}, std::move(done));
}

void LoopBroker::list_sessions(SessionQuery query, Done<SessionPage> done) {
    query.limit = std::min(query.limit, limits::kListPageMax);
    wiring_.store.list_sessions(query, std::move(done));
}

void LoopBroker::list_events(EventQuery query, Done<EventPage> done) {
    query.limit = std::min(query.limit, limits::kEventsPageMax);
    wiring_.store.list_events(query, std::move(done));
}

void LoopBroker::end_session(std::string_view ref, std::optional<std::string> reason,
                             const Actor& actor, Done<SessionPtr> done) {
    const auto id = resolve(ref);
    if (!id) return fail(done, id.error());
    const Instant now = wiring_.clock.wall();
    auto withdrawal = make_withdrawal(WithdrawalRule::session_ended, reason, actor, now);
    if (!withdrawal) return fail(done, std::move(withdrawal).error());
    wiring_.store.commit(
        EndSession{*id, now, std::move(reason),
                   std::make_shared<const Settlement>(std::move(*withdrawal)),
                   actor.sees_all ? std::nullopt : std::optional(actor.principal)},
        [id = *id, done = std::move(done)](auto outcomes) mutable {
            if (!outcomes) return done(reject(std::move(outcomes).error()));
            if (outcomes->front().verdict == Verdict::missing)
                return done(reject(ErrorCode::not_found, "there is no session {}", id.str()));
            // Decided where it is written: such an ask may have been on its way before.
            if (outcomes->front().verdict == Verdict::conflict)
                return done(reject(ErrorCode::denied, "asks of other agents wait in this session"));
            done(outcomes->front().session);
        });
}

void LoopBroker::set_title(SessionId id, std::string title, Done<SessionPtr> done) {
    change_session({.session = id, .at = wiring_.clock.wall(), .title = std::move(title)},
                   std::move(done));
}

void LoopBroker::set_ask_timeout(SessionId id, std::optional<Millis> timeout,
                                 Done<SessionPtr> done) {
    change_session({.session = id, .at = wiring_.clock.wall(), .ask_timeout = timeout},
                   std::move(done));
}

void LoopBroker::change_session(ChangeSession change, Done<SessionPtr> done) {
    if (ledger_.find_session(change.session) == nullptr) {
        return fail(done,
                    {ErrorCode::not_found, "there is no live session " + change.session.str()});
    }
    wiring_.store.commit(std::move(change), [done = std::move(done)](auto outcomes) mutable {
        if (!outcomes) return done(reject(std::move(outcomes).error()));
        if (!outcomes->front().session)
            return done(reject(ErrorCode::conflict, "the session has ended"));
        done(outcomes->front().session);
    });
}

void LoopBroker::abort(std::string_view ref, const Actor& actor, Done<SessionPtr> done) {
    const auto id = resolve(ref);
    if (!id) return fail(done, id.error());
    const auto* entry = ledger_.find_session(*id);
    if (entry == nullptr)
        return fail(done, {ErrorCode::not_found, "there is no live session " + id->str()});
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
