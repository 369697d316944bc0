// SPDX-License-Identifier: Apache-2.0
// The nodes on one store: each says now and then that it is there, which sessions' agents listen at
// it, and whose node is gone. No clock is compared with another's: a node is taken for gone when
// this one has said several times that it is there, each time heard all that was written before,
// and heard nothing of the other. A node that was only stopped finds that it was given up, and says
// anew that it is there. Where nobody shares the store, none of this happens. Lives on the broker's
// executor.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "base/lifetime.h"
#include "broker/broker.h"

namespace parley {

class Nodes {
public:
    struct Wiring {
        Executor& home;
        const Clock& clock;
        LoopBroker& broker;
        std::string id;    // of this run of this node; nobody else has it
        std::string name;  // that people are told
        // How long a node may be silent.
        Millis timeout;
        // What whoever runs this node is told.
        std::function<void(std::string text)> tell = {};
    };

    explicit Nodes(Wiring wiring);

    // Once the broker has started.
    void start();
    // This node leaves, and says so.
    void stop(Task done);

    // The right to be the agent of a session on all nodes: true for the first that wants it, unless
    // one listens already, until its agent listens no longer.
    void claim_agent(SessionId session, UniqueFunction<void(bool is_ours)> done);
    // What one of several nodes is to do: true for the first that wants to, until `life` is over,
    // and where nobody can say.
    void claim(std::string key, Millis life, UniqueFunction<void(bool is_ours)> done);
    // Told when the agent of a session listens nowhere any more.
    void on_agent_left(std::function<void(SessionId)> left);

private:
    struct Other {
        std::string value;  // of its mark, when this one was there last
        int silence = 0;    // for how many times
    };

    void beat();
    void beaten(const Result<Verdict>& verdict);
    bool was_given_up();
    void rejoin();
    void count_silence();
    void give_up(const std::string& key, const std::string& value);
    void find_orphans();
    void adopt(const std::string& key, const std::string& value);
    void agent_changed(SessionId session, bool is_there);
    void listens_here(SessionId session, std::optional<std::string> expected,
                      UniqueFunction<void(Result<Verdict>)> done);

    Millis period() const;
    std::string own_key() const;
    std::string own_value() const;
    std::string agent_value() const;

    Wiring wiring_;
    std::uint64_t beats_ = 0;
    std::string beaten_value_;             // that this node's mark has
    std::map<std::string, Other> others_;  // by key
    std::map<std::string, Other> orphans_;
    std::vector<std::function<void(SessionId)>> told_of_left_;
    bool has_stopped_ = false;
    Lifetime alive_;
};

}  // namespace parley
