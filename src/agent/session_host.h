// SPDX-License-Identifier: Apache-2.0
// Agents that run inside a server: a driver for each session that a person speaks in and that has
// no agent. One at a time in each, also where nodes that share a store have a host each, and so
// many in all: then one whose agent only listens, or else waits for answers, makes room, and is
// driven again when it is spoken to or answered. What was in the middle of something when the
// process ended goes on when the next one starts. Lives on its links' executor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "agent/driver.h"
#include "agent/limits.h"
#include "base/executor.h"
#include "base/lifetime.h"
#include "base/unique_function.h"
#include "client/follow.h"
#include "client/link.h"

namespace parley {

class SessionHost final : private FollowListener {
public:
    // Which sessions are for them, and who runs one.
    class Agents {
    public:
        virtual ~Agents() = default;
        // Of a live session that a person has spoken in.
        virtual bool is_for(const Session& session) const = 0;
        // Theirs already: it goes on, whoever speaks.
        virtual bool is_own(const Session&) const { return false; }
        // One of their own that has something to do or to wait for, as they know it.
        virtual bool is_unfinished(const Session&) const { return false; }
        // What cannot be seen on the session alone.
        virtual void check(const Session&, UniqueFunction<void(bool is_free)> done) { done(true); }
        [[nodiscard]] virtual Result<std::unique_ptr<Driver>> make(const Session& session,
                                                                   Driver::Onlooker& onlooker,
                                                                   Driver::Finished finished) = 0;
        virtual void ended(SessionId) {}
    };

    // Gives the right to be the agent of a session, where others may want it.
    using Claim = std::function<void(SessionId, UniqueFunction<void(bool is_ours)>)>;

    struct Wiring {
        Executor& home;  // the links'
        Link& watching;  // sees all sessions
        Link& acting;    // the agents' own
        // Without one, this is the only host.
        Claim claim = {};
        // What whoever runs the server is told.
        std::function<void(const Error&)> failed = [](const Error&) {};
        std::size_t most = limits::kHostedMax;
    };

    SessionHost(Wiring wiring, Agents& agents);
    ~SessionHost() override;

    void start();
    // Begins in this one, unasked.
    void serve(const SessionPtr& session);
    // Of a session that may be another's so far.
    void agent_left(SessionId session);
    // A person has spoken in this one: whether an agent has it, told when that is known.
    using Called = UniqueFunction<void(bool is_served)>;
    void call(SessionId session, Called called);

private:
    // One session that is being served, and the right to be its agent meanwhile.
    struct Served final : FollowListener, Driver::Onlooker {
        Served(SessionHost& its_host, SessionPtr its_session)
            : host(its_host), session(std::move(its_session)) {}

        void on_frames(std::span<const Frame>) override {}
        void on_state(State state, const std::optional<Error>& why) override;
        void show(const StreamItem&) override {}
        void show_frame(const Frame&) override {}
        void show_asked(const AskRequest&) override {}
        void show_notice(const NoticeGiven& notice) override;
        void show_idle(bool is_idle) override;
        void show_waiting() override;
        void rests(bool is_inside_turn);

        SessionHost& host;
        SessionPtr session;
        std::unique_ptr<Following> following;
        std::unique_ptr<Driver> driver;
        std::optional<std::uint64_t> idle_since;  // in the order in which they became idle
        bool is_in_turn = false;                  // idle since it waits for answers
        bool is_answered = false;                 // since then: it may not have heard it
        bool is_leaving = false;
    };

    void on_frames(std::span<const Frame> frames) override;
    void on_state(State, const std::optional<Error>&) override {}
    void on_event(const Event& event);
    void answered(SessionId session);
    void look_around(std::optional<SessionId> after);
    void look_at(const SessionPtr& session);
    void serve_if_spoken_in(const SessionPtr& session);
    void serve_if(SessionId session, bool (Agents::*is_wanted)(const Session&) const);
    void checked(SessionId session, bool is_free);
    void claimed(SessionId session, bool is_ours);
    void entered(SessionId session);
    void finished(SessionId session, const Driver::Ending& ending);
    void refuse(SessionId session, const Error& why);
    void drop(SessionId session);
    void tell_callers(SessionId session, bool is_served);
    bool is_waiting(SessionId session) const;
    void wait_for_room(const SessionPtr& session);
    bool make_room();
    void use_room();
    void tell(SessionId session, std::string text);

    Wiring wiring_;
    Agents& agents_;
    std::set<SessionId> strangers_;   // that are not free
    std::set<SessionId> left_;        // to another, unless that one leaves
    std::deque<SessionPtr> waiting_;  // for room
    std::map<SessionId, std::vector<Called>> callers_;
    std::uint64_t idle_count_ = 0;
    std::map<SessionId, std::unique_ptr<Served>> served_;
    std::unique_ptr<Following> following_;
    Lifetime alive_;
};

}  // namespace parley
