// SPDX-License-Identifier: Apache-2.0
// What every `parley run …` takes, described and read at one place; each command adds its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/driven_session.h"
#include "app/command_line/command.h"
#include "app/commands/agent_run.h"

namespace parley::app {

inline constexpr std::string_view kRunExitCodes =
    "exit codes: 0 the turn is done, 1 failed, 2 wrong usage, 5 the session was ended, 6 no "
    "broker, 130 interrupted";

struct RunFlags {
    std::optional<std::string> prompt;
    std::optional<std::string> session;
    std::optional<std::string> resume;
    std::optional<std::string> timeout;
    bool wants_json = false;
    std::vector<std::string> passed_on;  // what follows --

    // `doer` is what is to do it: "Codex", "the agent".
    ArgumentSpec prompt_argument(std::string_view doer);
    OptionSpec session_option();
    // `value` is what it is given as, and `help` what that means.
    OptionSpec resume_option(std::string value, std::string help);
    OptionSpec timeout_option();
    // `last` is what the last line tells.
    OptionSpec json_option(std::string_view last = "how it ended");

    // The session to run in this folder, by the name that was given, or one that is made up.
    // `called` is what people call the agent.
    [[nodiscard]] Result<DrivenSession::Options> read_session(const RunContext& context,
                                                              std::string agent,
                                                              std::string called) const;
    // `resuming` is the command that goes on with it.
    AgentRun::Plan plan(const DrivenSession::Options& driven, bool has_prompt, bool ends_with_turn,
                        std::string resuming) const;
};

}  // namespace parley::app
