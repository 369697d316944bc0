// SPDX-License-Identifier: Apache-2.0
// One `parley run …`: the broker is reached, the session opened, a token made for what the agent
// starts, and a driver runs it to its end, shown in this terminal or as lines of JSON. Which driver
// that is, the command says. Blocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/driver.h"
#include "app/command_line/run_context.h"
#include "app/reach/broker_access.h"
#include "app/reach/child_access.h"
#include "app/terminal/run_lines.h"
#include "app/terminal/run_terminal.h"
#include "base/unique_function.h"
#include "net/loop.h"

namespace parley::app {

class AgentRun {
public:
    struct Plan {
        std::string agent;  // begins the name of its children's token
        SessionRequest session;
        bool has_prompt = false;
        bool ends_with_turn = false;
        bool wants_json = false;
        std::string resuming;  // the command that goes on with this session
    };
    // What a driver is made with.
    struct Wiring {
        net::Loop& loop;
        Link& link;
        std::vector<std::string> variables;  // the environment of what it starts
        Driver::Onlooker& onlooker;
        Driver::Finished finished;
    };
    using MakeDriver = UniqueFunction<std::unique_ptr<Driver>(Wiring)>;

    AgentRun(const RunContext& context, Plan plan, MakeDriver make)
        : context_(context), plan_(std::move(plan)), make_(std::move(make)) {}

    ExitCode run();

private:
    std::string session() const { return plan_.session.name.value_or(""); }
    void open();
    void admit_children();
    void start();
    void interrupted(int signal);
    void fail(const Error& error);
    void ended(const Driver::Ending& ending);
    void tell_usage(const Driver::Usage& usage);

    const RunContext& context_;
    Plan plan_;
    MakeDriver make_;
    net::Loop loop_;
    ExitCode code_ = ExitCode::failed;
    int signals_ = 0;  // that came, from the one on that stopped the last turn
    std::unique_ptr<BrokerAccess> access_;
    ChildAccess child_;
    // One of these watches.
    std::unique_ptr<RunTerminal> terminal_;
    std::unique_ptr<RunLines> lines_;
    std::unique_ptr<Driver> driver_;
};

// A random UUID.
std::string make_uuid();

// What the agent is to do: the argument, or what stands in for it on stdin. Refused when empty.
[[nodiscard]] Result<std::optional<std::string>> read_prompt(
    const RunContext& context, const std::optional<std::string>& argument);

// "Claude Code in shop"; without a folder, the agent alone.
std::string run_title(std::string_view agent);

// What goes on with a session of `parley run AGENT -- ARGUMENTS`.
std::string resuming_command(std::string_view agent, std::string_view session,
                             const std::vector<std::string>& arguments);

// --timeout of the asks.
[[nodiscard]] Result<std::optional<Millis>> read_run_timeout(
    const std::optional<std::string>& option);

}  // namespace parley::app
