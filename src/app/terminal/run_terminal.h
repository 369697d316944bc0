// SPDX-License-Identifier: Apache-2.0
// A driven agent in this terminal: its words as they come, its calls as one line each, its
// questions as prompts in between, and between turns a line for the next message. Where nobody
// sits, it only writes. Lives on the loop.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "agent/driver.h"
#include "app/command_line/run_context.h"
#include "app/commands/ask_run.h"
#include "app/reach/broker_access.h"
#include "app/terminal/line_reader.h"
#include "base/lifetime.h"
#include "net/loop.h"

namespace parley::app {

class RunTerminal final : public Driver::Onlooker {
public:
    struct Wiring {
        const RunContext& context;
        net::Loop& loop;
        BrokerAccess& access;
    };
    // `takes_messages`: lines typed between turns are for the agent.
    RunTerminal(Wiring wiring, bool takes_messages);

    void attach(Driver& agent) { agent_ = &agent; }

    void show(const StreamItem& item) override;
    void show_frame(const Frame&) override {}
    void show_asked(const AskRequest& request) override;
    void show_notice(const NoticeGiven& notice) override;
    void show_idle(bool is_idle) override;
    // Ends what is open here: the command is over.
    void close();

private:
    void show_text(std::string_view text);
    void show_part(const Part& part);
    void say(std::string_view line);
    void write_out(int stream, std::string text);
    void end_line();
    void write_held();
    void next_ask();
    void interrupt_agent();
    void read_message();

    Wiring wiring_;
    bool is_interactive_;
    bool takes_messages_;
    bool is_accessible_;
    Driver* agent_ = nullptr;
    std::deque<AskRequest> asks_;  // not yet prompted for
    std::unique_ptr<AskRun> run_;
    std::unique_ptr<LineReader> lines_;
    std::deque<std::pair<int, std::string>> held_;  // shown once the prompt is over
    bool is_mid_line_ = false;
    bool is_idle_ = false;
    Lifetime alive_;
};

}  // namespace parley::app
