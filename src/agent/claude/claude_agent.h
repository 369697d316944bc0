// SPDX-License-Identifier: Apache-2.0
// Claude Code as the agent of a session: drives its CLI over the standard streams. Lives on the
// loop.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/claude/claude_asks.h"
#include "agent/line_driver.h"
#include "dialect/claude/stream.h"

namespace parley {

class ClaudeAgent final : public LineDriver, private ClaudeAsks::Listener {
public:
    struct Options {
        net::ChildOptions command;  // the CLI and how it is started
        DrivenSession::Options session;
        std::function<std::string()> make_uuid;
        std::optional<std::string> prompt = {};
        bool ends_with_turn = false;
        std::optional<Millis> timeout = {};  // of the asks
    };

    // What is the same for every session of it. `id` is Claude's own of the session.
    static DrivenSession::Options session_options(std::string id);

    ClaudeAgent(Wiring wiring, Options options);
    ~ClaudeAgent() override;

private:
    // What was given and is not yet heard.
    struct Given {
        std::string last;  // the id of its last message
        Task has_them;
    };

    // LineProcess::Listener
    bool on_line(const std::string& line) override;
    // LineDriver
    std::string advice(Fault fault) const override;
    std::vector<StreamItem> end_stream() override { return {}; }
    void close_asks(const std::string& why, Task done) override;
    // ClaudeAsks::Listener
    void reply(std::string line) override { send(std::move(line)); }
    void asked(const AskRequest& request) override { onlooker().show_asked(request); }
    void answered(const std::string& call_id, std::string output) override;
    void missed(const AskPtr& ask) override { session().missed(ask); }
    void closed() override { session().deliver(); }
    void turn_stopped() override;  // and DrivenSession::Program
    void interrupting() override { is_interrupted_ = session().is_turn_running(); }
    void trouble(const std::string& text) override { session().warn(text); }
    // DrivenSession::Program
    void session_opened(std::optional<std::string> own_name) override;
    bool is_ready() const override;
    bool awaits(const AskId& ask) const override { return asks_.awaits(ask); }
    void give(std::vector<std::string> texts, Task has_them) override;

    void take(claude::ControlRequest request);
    void take(const claude::ControlReply& reply);
    void take(const claude::Heard& heard);
    void take(const claude::ShownTurn& said);
    void end_turn(const claude::TurnEnded& ended);

    Options options_;
    ClaudeAsks asks_;
    claude::StreamReader reader_;
    std::deque<Given> given_;
    bool is_interrupted_ = false;  // this turn: its end will not be Claude's own
};

}  // namespace parley
