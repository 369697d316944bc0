// SPDX-License-Identifier: Apache-2.0
// Tells a program of the owner of every ask that opens, that has waited long, and that is settled:
// one run each, with a JSON document on its standard input and the same in a few variables. Runs
// are bounded in number and time, those of one ask never overlap and keep their order, and the
// broker waits for none of them. What finds no room is counted and logged. Of several nodes on
// one store that have a program, one runs it for each event. Lives on the loop.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/serve/notify_options.h"
#include "app/serve/server_log.h"
#include "base/lifetime.h"
#include "client/follow.h"
#include "client/link.h"
#include "net/loop.h"
#include "net/program_run.h"

namespace parley::app {

class Notifier final : private FollowListener {
public:
    using Ended = UniqueFunction<void(Result<net::ProgramEnd>)>;
    using Claim = std::function<void(std::string_view event, AskId ask,
                                     UniqueFunction<void(bool is_ours)> done)>;

    struct Wiring {
        Link& link;  // of somebody who sees every ask
        Executor& home;
        const Clock& clock;
        ServerLog& told;
        std::function<std::string(AskId)> address;  // of an ask on the page
        std::function<void(net::ProgramRun, Ended)> run;
        // Whether this process is the one to tell of it, where others on the same store would too.
        Claim claim;
    };

    Notifier(Wiring wiring, NotifySettings settings)
        : wiring_(std::move(wiring)), settings_(std::move(settings)) {}

    void start();

private:
    struct Job {
        std::string_view event;
        AskPtr ask;
    };

    void on_frames(std::span<const Frame> frames) override;
    void on_state(State, const std::optional<Error>&) override {}
    void take(const Event& event);
    void watch(const AskPtr& ask);
    void forget(AskId id);
    void arm();
    void fire_due();
    void add(std::string_view event, AskPtr ask);
    void run_next();
    void run(Job job);
    void run_program(Job job);
    void ended(const Job& job, const Result<net::ProgramEnd>& end);
    net::ProgramRun program(const Job& job) const;

    Wiring wiring_;
    NotifySettings settings_;
    std::unique_ptr<Following> following_;

    std::deque<Job> queue_;
    std::set<AskId> running_;
    std::size_t dropped_ = 0;  // since the queue was full

    // Those that wait, also when it was told that they do.
    struct Waiting {
        AskPtr ask;
        Mono due;  // when it has waited long
    };
    std::map<AskId, Waiting> open_;
    std::set<std::pair<Mono, AskId>> due_;  // of these, who has yet to wait long
    std::set<AskId> unlisted_;              // after a reset: of these, who is not in the snapshot
    std::optional<Mono> armed_for_;

    Lifetime alive_;
};

// What the program reads. `address` is where the ask stands on the page.
std::string notification(std::string_view event, const Ask& ask, std::string_view address,
                         Instant now);

}  // namespace parley::app
