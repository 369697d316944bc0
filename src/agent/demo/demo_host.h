// SPDX-License-Identifier: Apache-2.0
// What `serve --demo` and `serve --agent demo` run: the demo agent in a session of its own, and for
// sessions that a person speaks to. Lives on its link's executor.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "agent/session_host.h"
#include "base/lifetime.h"
#include "client/link.h"

namespace parley {

class DemoHost final : private SessionHost::Agents {
public:
    using Spoken = std::function<void(std::string_view)>;
    using Failed = std::function<void(const Error&)>;

    // Which sessions it serves when a person speaks to them.
    enum class Scope : std::uint8_t {
        own,         // the one that it opened itself
        unattended,  // and those without an agent
    };
    struct Wiring {
        Executor& home;  // the link's
        Link& link;
        Spoken spoken;
        Failed failed;
        SessionHost::Claim claim = {};
    };

    DemoHost(Wiring wiring, Scope scope);

    void start() { host_.start(); }
    // Opens the demo's own session, and begins there unasked.
    void begin_own();
    void agent_left(SessionId session) { host_.agent_left(session); }
    void call(SessionId session, SessionHost::Called called) {
        host_.call(session, std::move(called));
    }

private:
    // SessionHost::Agents
    bool is_for(const Session& session) const override;
    [[nodiscard]] Result<std::unique_ptr<Driver>> make(const Session& session,
                                                       Driver::Onlooker& onlooker,
                                                       Driver::Finished finished) override;

    Link& link_;
    Spoken spoken_;
    Failed failed_;
    Scope scope_;
    std::optional<SessionId> own_;
    SessionHost host_;
    Lifetime alive_;
};

}  // namespace parley
