// SPDX-License-Identifier: Apache-2.0
// What `serve --agent llm` runs: a model behind an API as the agent of each session that a person
// speaks in and that no agent has been in. The session then belongs to this node, which has the
// conversation: killed at any step, the next process goes on with it. Lives on the loop.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "agent/limits.h"
#include "agent/llm/journal_folder.h"
#include "agent/llm/model_call.h"
#include "agent/session_host.h"
#include "base/lifetime.h"
#include "client/link.h"
#include "net/loop.h"

namespace parley {

class LlmHost final : private SessionHost::Agents {
public:
    struct Settings {
        llm::ModelProfile profile;
        ModelServer::Options server;
        JournalFolder journals;
    };
    struct Wiring {
        net::Loop& loop;  // the links' executor
        Link& watching;   // sees all sessions
        Link& acting;     // as the principal of the journals
        SessionHost::Claim claim = {};
        // What whoever runs the server is told.
        std::function<void(const Error&)> failed = [](const Error&) {};
        std::size_t most = limits::kHostedMax;
    };

    LlmHost(Wiring wiring, Settings settings);

    void start() { host_.start(); }
    void agent_left(SessionId session) { host_.agent_left(session); }
    void call(SessionId session, SessionHost::Called called) {
        host_.call(session, std::move(called));
    }

private:
    // SessionHost::Agents
    bool is_for(const Session& session) const override;
    bool is_own(const Session& session) const override;
    bool is_unfinished(const Session& session) const override;
    void check(const Session& session, UniqueFunction<void(bool is_free)> done) override;
    [[nodiscard]] Result<std::unique_ptr<Driver>> make(const Session& session,
                                                       Driver::Onlooker& onlooker,
                                                       Driver::Finished finished) override;
    void ended(SessionId session) override;

    net::Loop& loop_;
    Link& watching_;
    Link& acting_;
    Settings settings_;
    std::map<SessionId, Error> faults_;  // why one that is free cannot be begun
    SessionHost host_;
    Lifetime alive_;
};

}  // namespace parley
