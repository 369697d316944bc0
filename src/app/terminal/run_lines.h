// SPDX-License-Identifier: Apache-2.0
// A driven agent for a program: what happens in its session as one JSON document a line, as
// `parley watch --json` prints it, between a first line that names the session and a last one that
// says how it ended. Lives on the loop.
#pragma once

#include <string>

#include "agent/driver.h"
#include "app/command_line/exit_codes.h"
#include "app/command_line/run_context.h"

namespace parley::app {

class RunLines final : public Driver::Onlooker {
public:
    RunLines(const RunContext& context, std::string session);

    void show(const StreamItem&) override {}
    void show_frame(const Frame& frame) override;
    void show_asked(const AskRequest&) override {}
    void show_notice(const NoticeGiven& notice) override;
    void show_idle(bool) override {}
    void end(const Driver::Ending& ending, ExitCode code);

private:
    const RunContext& context_;
    std::string session_;
    bool is_over_ = false;  // the last line is written
};

}  // namespace parley::app
