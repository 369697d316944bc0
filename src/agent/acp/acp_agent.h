// SPDX-License-Identifier: Apache-2.0
// Any agent of the Agent Client Protocol as the agent of a session: drives it over its standard
// streams, in the place of an editor. Lives on the loop.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/acp/acp_asks.h"
#include "agent/driven_session.h"
#include "agent/driver.h"
#include "agent/line_process.h"
#include "dialect/acp/lines.h"
#include "dialect/acp/stream.h"

namespace parley {

class AcpAgent final : public Driver,
                       private LineProcess::Listener,
                       private AcpAsks::Listener,
                       private DrivenSession::Program {
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
    };

    AcpAgent(net::Loop& loop, Link& link, Options options, Onlooker& onlooker, Finished finished);
    ~AcpAgent() override;

    void start() override { session_.open(); }
    void say(std::string text) override { session_.say(std::move(text)); }
    bool interrupt() override;
    void quit() override;

private:
    // `starting` until it has a session, `running` while it may be given messages, `closing` when
    // its input is closed, `quitting` when it was told to end.
    enum class Life : std::uint8_t { starting, running, closing, quitting };

    // LineProcess::Listener
    bool on_line(const std::string& line) override;
    void on_exit(net::ExitStatus status, std::vector<std::string> words) override;
    // AcpAsks::Listener
    void reply(std::string line) override;
    void asked(const AskRequest& request) override { onlooker_.show_asked(request); }
    void said(std::string words) override;
    void turn_stopped() override;  // and DrivenSession::Program
    void passed(const std::string& what) override;
    void trouble(const std::string& text) override { session_.warn(text); }
    // DrivenSession::Program
    void session_opened(std::optional<std::string> own_name) override;
    bool is_ready() const override { return life_ == Life::running; }
    void give(std::vector<std::string> texts) override;
    void session_ended(std::string why) override;

    void take(acp::Request request);
    void take(const acp::Reply& reply);
    void take(const acp::Update& update);
    void initialized(const acp::Reply& reply);
    void found_session(const acp::Reply& reply);
    void set_mode(const json::Value& result);
    void began();
    void prompted(const acp::Reply& reply);
    void fail(std::string why);
    void close();
    void conclude(Ending ending);

    net::Loop& loop_;
    Options options_;
    Onlooker& onlooker_;
    AcpAsks asks_;
    acp::StreamReader reader_;
    std::unique_ptr<LineProcess> process_;
    std::string own_name_;  // of the session
    std::string mode_;
    Life life_ = Life::starting;
    std::int64_t prompts_ = 0;   // given so far
    bool is_cancelled_ = false;  // this turn
    std::optional<Ending> ending_;
    DrivenSession session_;
    Lifetime alive_;
};

}  // namespace parley
