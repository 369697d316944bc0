// SPDX-License-Identifier: Apache-2.0
// Any agent of the Agent Client Protocol as the agent of a session: drives it over its standard
// streams, in the place of an editor. Lives on the loop.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/acp/acp_asks.h"
#include "agent/limits.h"
#include "agent/line_driver.h"
#include "base/lifetime.h"
#include "dialect/acp/lines.h"
#include "dialect/acp/stream.h"

namespace parley {

class AcpAgent final : public LineDriver, private AcpAsks::Listener {
public:
    struct Options {
        net::ChildOptions command;  // the agent and how it is started
        DrivenSession::Options session;
        bool has_own_title = false;  // people call it as it calls itself
        acp::SessionPlace place;
        std::string version;  // of ours, that it is told
        std::string run;      // tells this run from others
        std::optional<std::string> prompt = {};
        std::optional<std::string> mode = {};
        bool ends_with_turn = false;
        std::optional<Millis> timeout = {};  // of the asks
        Millis stop_patience = limits::kAcpStopPatience;
    };

    AcpAgent(Wiring wiring, Options options);
    ~AcpAgent() override;

private:
    // LineProcess::Listener
    bool on_line(const std::string& line) override;
    // LineDriver
    std::vector<StreamItem> end_stream() override { return reader_.end_turn(); }
    void close_asks(const std::string& why, Task done) override;
    // AcpAsks::Listener
    void reply(std::string line) override;
    void asked(const AskRequest& request) override { onlooker().show_asked(request); }
    void said(std::string words) override;
    void missed(const AskPtr& ask) override { session().missed(ask); }
    void turn_stopped() override;  // and DrivenSession::Program
    void passed(const std::string& what) override;
    void trouble(const std::string& text) override { session().warn(text); }
    // DrivenSession::Program
    void session_opened(std::optional<std::string> own_name) override;
    void give(std::vector<std::string> texts, Task has_them) override;

    void take(acp::Request request);
    void take(const acp::Reply& reply);
    void take(const acp::Update& update);
    void initialized(const acp::Reply& reply);
    Millis rest_of_minute();
    void found_session(const acp::Reply& reply);
    void set_mode(const json::Value& result);
    void prompted(const acp::Reply& reply);
    void not_stopped();
    void heard();

    Options options_;
    AcpAsks asks_;
    acp::StreamReader reader_;
    std::string own_name_;  // of the session
    std::string mode_;
    std::int64_t prompts_ = 0;   // given so far
    bool is_cancelled_ = false;  // this turn
    Task has_them_;              // what was given last; empty: it has
    Lifetime alive_;
};

}  // namespace parley
