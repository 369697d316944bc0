// SPDX-License-Identifier: Apache-2.0
// What `serve --agent demo` runs: the demo agent for every session that has no agent and that a
// person speaks to. One interview at a time in each. Lives on its link's executor.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "agent/demo_agent.h"
#include "base/lifetime.h"
#include "client/follow.h"
#include "client/link.h"

namespace parley {

class DemoHost final : private FollowListener {
public:
    using Spoken = std::function<void(std::string_view)>;

    DemoHost(Link& link, Spoken spoken);
    ~DemoHost() override;

    void start();

private:
    // One session that is being served, and the right to be its agent meanwhile.
    struct Served final : FollowListener {
        void on_frames(std::span<const Frame>) override {}
        void on_state(State, const std::optional<Error>&) override {}

        std::unique_ptr<Following> following;
        std::unique_ptr<DemoAgent> agent;
    };

    void on_frames(std::span<const Frame> frames) override;
    void on_state(State, const std::optional<Error>&) override {}
    void spoken_to(SessionId session, MessageId message);
    void serve(SessionId session, MessageId message);

    Link& link_;
    Spoken spoken_;
    std::map<SessionId, std::unique_ptr<Served>> served_;
    std::unique_ptr<Following> following_;
    Lifetime alive_;
};

}  // namespace parley
