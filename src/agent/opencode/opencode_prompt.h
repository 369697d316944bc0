// SPDX-License-Identifier: Apache-2.0
// What a session of OpenCode is told, on its way there: a request whose answer is lost is made
// again, unless what it said is found there, so that it arrives, and once. Lives on the loop.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/opencode/opencode_server.h"
#include "base/executor.h"
#include "base/lifetime.h"
#include "dialect/opencode/server_events.h"

namespace parley {

class OpencodePrompt {
public:
    class Listener {
    public:
        virtual ~Listener() = default;
        // It has it, or has said why it will not.
        virtual void prompt_taken(const Result<void>& taken) = 0;
        // It has had it for a while: what came of it may have been missed.
        virtual void prompt_found() = 0;
        // It cannot be told, and is not tried again.
        virtual void prompt_lost(const Error& why) = 0;
    };

    OpencodePrompt(net::Loop& loop, Listener& listener);

    // `path` is the session's. `has_them` is called before it is told that it is taken or found.
    void give(OpencodeServer& server, std::string path, const std::vector<std::string>& texts,
              const opencode::PromptChoice& choice, Task has_them);
    bool is_under_way() const { return given_.has_value(); }
    // The server's events have told it.
    void heard();
    // Nobody wants it told any more.
    void give_up();
    // The server is away; then it is there again.
    void pause();
    void go_on();

private:
    struct Given {
        OpencodeServer* server;
        std::string path;
        std::string body;
        std::string mark;  // by which it is found there
        Task has_them;
        int tries = 0;
    };

    void send();
    void answered(const Result<net::ClientResponse>& response);
    void look();
    void taken();
    bool is_current(int step) const { return given_ && step == step_; }

    net::Loop& loop_;
    Listener& listener_;
    std::string run_;  // tells the marks of this run from those of others
    std::optional<Given> given_;
    int gives_ = 0;
    int step_ = 0;  // what an earlier one brings is of no interest
    Lifetime alive_;
};

}  // namespace parley
