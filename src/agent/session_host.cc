// SPDX-License-Identifier: Apache-2.0
#include "agent/session_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "base/overload.h"
#include "core/event.h"

namespace parley {

SessionHost::SessionHost(Wiring wiring, Agents& agents)
    : wiring_(std::move(wiring)), agents_(agents) {}

// Nobody else would tell them.
SessionHost::~SessionHost() {
    for (auto& [session, callers] : std::exchange(callers_, {}))
        for (Called& called : callers) called(false);
}

void SessionHost::start() {
    following_ = wiring_.watching.follow({}, *this);
}

void SessionHost::on_frames(std::span<const Frame> frames) {
    for (const Frame& frame : frames) {
        if (const auto* event = std::get_if<EventPtr>(&frame)) on_event(**event);
        // What happened before is in no event.
        if (std::holds_alternative<SnapshotEnd>(frame)) look_around(std::nullopt);
    }
}

void SessionHost::on_event(const Event& event) {
    const SessionId session = event.session;
    std::visit(
        Overload{
            [&](const MessageAdded&) { serve_if(session, &Agents::is_for); },
            [&](const AskSettled&) { answered(session); },
            [&](const MessagesTaken&) { left_.erase(session); },
            [&](const SessionEnded&) {
                left_.erase(session);
                strangers_.erase(session);
                std::erase_if(waiting_, [&](const SessionPtr& one) { return one->id == session; });
                tell_callers(session, false);
                agents_.ended(session);
            },
            [](const OneOf<AskOpened, DraftChanged, SnoozeChanged, SessionCreated, SessionChanged,
                           PartAdded, NoticeGiven, AgentRevoked, TokenChanged, MarkChanged,
                           ContentDeleted> auto&) {},
        },
        event.body);
}

// One that made room may have left it open.
void SessionHost::answered(SessionId session) {
    const auto served = served_.find(session);
    if (served == served_.end()) return serve_if(session, &Agents::is_own);
    served->second->is_answered = true;
}

void SessionHost::look_around(std::optional<SessionId> after) {
    wiring_.watching.list_sessions({.state = SessionState::live, .after = after},
                                   alive_.guard([this](const Result<SessionPage>& page) {
                                       if (!page) return wiring_.failed(page.error());
                                       for (const SessionPtr& session : page->sessions)
                                           if (agents_.is_for(*session)) look_at(session);
                                       if (page->has_more) look_around(page->sessions.back()->id);
                                   }));
}

// A turn that was cut off, an answer that is still to come or came meanwhile, a message that nobody
// has taken.
void SessionHost::look_at(const SessionPtr& session) {
    serve_if_spoken_in(session);
    if (!agents_.is_own(*session)) return;
    if (session->activity == Activity::working || agents_.is_unfinished(*session)) serve(session);
}

void SessionHost::serve_if_spoken_in(const SessionPtr& session) {
    wiring_.watching.list_messages(session->id.str(),
                                   alive_.guard([this, session](const auto& messages) {
                                       if (messages && !messages->empty()) return serve(session);
                                       if (!served_.contains(session->id))
                                           tell_callers(session->id, false);
                                   }));
}

// Its event brings the message here too, before this or after.
void SessionHost::call(SessionId session, Called called) {
    if (strangers_.contains(session)) return called(false);
    callers_[session].push_back(std::move(called));
    if (const auto served = served_.find(session); served != served_.end()) {
        if (served->second->driver && !served->second->is_leaving) tell_callers(session, true);
        return;
    }
    wiring_.watching.find_session(
        session.str(), alive_.guard([this, session](const Result<SessionPtr>& found) {
            const bool is_full = served_.size() >= wiring_.most && !is_waiting(session) &&
                                 waiting_.size() >= limits::kHostedWaitingMax;
            if (!found || (*found)->ended_at || !agents_.is_for(**found) || is_full)
                return tell_callers(session, false);
            serve(*found);
        }));
}

void SessionHost::tell_callers(SessionId session, bool is_served) {
    auto callers = callers_.extract(session);
    if (!callers) return;
    for (Called& called : callers.mapped()) called(is_served);
}

void SessionHost::serve_if(SessionId session, bool (Agents::*is_wanted)(const Session&) const) {
    // Its driver hears it.
    if (served_.contains(session) || strangers_.contains(session)) return;
    wiring_.watching.find_session(
        session.str(), alive_.guard([this, is_wanted](const Result<SessionPtr>& found) {
            if (found && !(*found)->ended_at && (agents_.*is_wanted)(**found)) serve(*found);
        }));
}

void SessionHost::serve(const SessionPtr& session) {
    const SessionId id = session->id;
    if (served_.contains(id)) return;
    if (served_.size() >= wiring_.most) return wait_for_room(session);
    served_.emplace(id, std::make_unique<Served>(*this, session));
    agents_.check(*session, alive_.guard([this, id](bool is_free) { checked(id, is_free); }));
}

void SessionHost::checked(SessionId session, bool is_free) {
    if (!is_free) {
        strangers_.insert(session);
        return drop(session);
    }
    if (!wiring_.claim) return claimed(session, true);
    wiring_.claim(session,
                  alive_.guard([this, session](bool is_ours) { claimed(session, is_ours); }));
}

void SessionHost::claimed(SessionId session, bool is_ours) {
    if (!is_ours) {
        left_.insert(session);
        tell_callers(session, true);
        return drop(session);
    }
    Served& served = *served_.at(session);
    served.following =
        wiring_.acting.follow({.session = std::string(session.str()), .is_agent = true}, served);
}

void SessionHost::agent_left(SessionId session) {
    if (left_.erase(session) > 0) serve_if(session, &Agents::is_for);
}

void SessionHost::Served::on_state(State state, const std::optional<Error>& why) {
    if (state == State::connected) return host.entered(session->id);
    if (state == State::ended && why) host.refuse(session->id, *why);
}

// It listens for nothing but the right to: the driver hears for itself.
void SessionHost::entered(SessionId session) {
    Served& served = *served_.at(session);
    if (served.driver) return;
    served.following->pause();
    auto made = agents_.make(
        *served.session, served,
        alive_.guard([this, session](const Driver::Ending& ending) { finished(session, ending); }));
    if (!made) return refuse(session, made.error());
    served.driver = std::move(*made);
    served.driver->start();
    tell_callers(session, true);
}

// Whoever tells it is dropped outside its own call.
void SessionHost::finished(SessionId session, const Driver::Ending& ending) {
    using Kind = Driver::Ending::Kind;
    if (ending.kind == Kind::failed) wiring_.failed({ErrorCode::unavailable, ending.why});
    const bool may_go_on = ending.kind == Kind::done || ending.kind == Kind::stopped;
    wiring_.home.post(alive_.guard([this, session, may_go_on] {
        const auto left = served_.extract(session);
        use_room();
        if (!may_go_on || !left) return tell_callers(session, false);
        // What was said or answered as it left reached nobody; one that waits for answers would
        // not have taken what is said.
        const Served& served = *left.mapped();
        if (served.is_leaving && served.is_answered) serve_if(session, &Agents::is_own);
        if (!served.is_leaving || !served.is_in_turn) return serve_if_spoken_in(served.session);
        tell_callers(session, false);
    }));
}

void SessionHost::refuse(SessionId session, const Error& why) {
    wiring_.failed(why);
    tell(session, fmt::format("No agent could begin here: {}", why.message));
    drop(session);
}

void SessionHost::drop(SessionId session) {
    wiring_.home.post(alive_.guard([this, session] {
        served_.erase(session);
        tell_callers(session, false);
        use_room();
    }));
}

bool SessionHost::is_waiting(SessionId session) const {
    return std::ranges::find(waiting_, session, [](const SessionPtr& one) { return one->id; }) !=
           waiting_.end();
}

void SessionHost::wait_for_room(const SessionPtr& session) {
    const bool is_first = !is_waiting(session->id);
    if (is_first && waiting_.size() >= limits::kHostedWaitingMax) {
        tell_callers(session->id, false);
        return tell(session->id, fmt::format("{} sessions are served here at once and {} wait; say "
                                             "it again in a while",
                                             wiring_.most, waiting_.size()));
    }
    if (is_first) waiting_.push_back(session);
    if (make_room()) return;
    tell_callers(session->id, false);
    if (is_first)
        tell(session->id, fmt::format("{} sessions are served here at once, and all of them are in "
                                      "a turn; this one begins when one of those has ended",
                                      wiring_.most));
}

// Of those that only listen, the one that has done so for longest leaves; where all are in a turn,
// of those that wait for answers.
bool SessionHost::make_room() {
    Served* longest = nullptr;
    std::size_t leaving = 0;
    for (const auto& [id, served] : served_) {
        if (served->is_leaving) ++leaving;
        const bool may_leave = served->idle_since && !served->is_leaving;
        const auto rank = [](const Served& one) {
            return std::pair(one.is_in_turn, *one.idle_since);
        };
        if (may_leave && (longest == nullptr || rank(*served) < rank(*longest)))
            longest = served.get();
    }
    if (leaving >= waiting_.size()) return true;
    if (longest == nullptr) return false;
    longest->is_leaving = true;
    longest->driver->quit();
    return true;
}

void SessionHost::use_room() {
    while (!waiting_.empty() && served_.size() < wiring_.most) {
        const SessionPtr next = std::move(waiting_.front());
        waiting_.pop_front();
        serve(next);
    }
}

void SessionHost::Served::show_idle(bool is_idle) {
    idle_since.reset();
    if (is_idle) rests(false);
}

void SessionHost::Served::show_waiting() {
    rests(true);
}

void SessionHost::Served::rests(bool is_inside_turn) {
    idle_since = ++host.idle_count_;
    is_in_turn = is_inside_turn;
    is_answered = false;
    // Not inside its own call.
    if (!host.waiting_.empty())
        host.wiring_.home.post(host.alive_.guard([&its_host = host] { its_host.make_room(); }));
}

// What goes wrong is for whoever runs the server, too.
void SessionHost::Served::show_notice(const NoticeGiven& notice) {
    if (notice.level != NoticeGiven::Level::error) return;
    host.wiring_.failed(
        {ErrorCode::unavailable, fmt::format("{}: {}", session->id.str(), notice.text)});
}

void SessionHost::tell(SessionId session, std::string text) {
    wiring_.watching.give_notice(session.str(),
                                 {.text = std::move(text), .level = NoticeGiven::Level::warning},
                                 [](Result<void>) {});
}

}  // namespace parley
