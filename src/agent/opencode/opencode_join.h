// SPDX-License-Identifier: Apache-2.0
// All that an OpenCode server asks, in whichever session and folder, beside its own windows. Waits
// for the server to be there, and follows its restarts. Lives on the loop.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agent/opencode/opencode_asks.h"
#include "agent/opencode/opencode_server.h"
#include "base/unique_function.h"
#include "client/link.h"
#include "net/loop.h"

namespace parley {

class OpencodeJoin final : private OpencodeServer::Listener, private OpencodeAsks::Listener {
public:
    struct Options {
        OpencodeServer::Options server;
        std::optional<Millis> timeout = {};  // of the asks
    };
    using Tell = std::function<void(std::string_view)>;
    using Refused = UniqueFunction<void(const Error&)>;

    // `refused`: the server will not have us, and that is the end.
    OpencodeJoin(net::Loop& loop, Link& link, Options options, Tell tell, Refused refused);
    ~OpencodeJoin() override;

    void start();
    // Takes back what was asked: nobody carries the answers any more.
    void stop(Task done);

private:
    // OpencodeServer::Listener
    void on_connected(const std::string& version) override;
    void on_event(const opencode::ServerEvent& event) override { asks_.on_event(event); }
    void on_lost(const Error& why) override;
    void on_refused(const Error& why) override;
    // OpencodeAsks::Listener
    std::optional<SessionRequest> place_of(const opencode::SessionFacts& root) override;
    void asked(const AskRequest&) override {}
    void say(const opencode::SessionFacts& root, std::string words) override;
    void tell(const std::string& session, NoticeGiven notice) override;
    void trouble(const std::string& text) override { tell_(text); }

    void found_sessions(const Result<json::Value>& list);

    net::Loop& loop_;
    Link& link_;
    Options options_;
    Tell tell_;
    Refused refused_;
    OpencodeAsks asks_;
    std::unique_ptr<OpencodeServer> server_;
    bool is_told_ = false;  // that we wait for it
};

}  // namespace parley
