// SPDX-License-Identifier: Apache-2.0
// parley run acp, and its short forms: an agent of the Agent Client Protocol as a session of the
// broker.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "agent/acp/acp_agent.h"
#include "app/commands/commands.h"
#include "app/commands/run_flags.h"
#include "app/setup/mcp_install.h"
#include "core/text_rules.h"
#include "dialect/acp/known_agents.h"
#include "dialect/limits.h"

namespace parley::app {

namespace {

class RunAcpCommand final : public Command {
public:
    // Without a known agent, what follows -- says which.
    explicit RunAcpCommand(const acp::KnownAgent* known) : known_(known) {}

    CommandSpec spec() override;
    ExitCode run(const RunContext& context) override;

private:
    std::vector<Example> examples() const;
    [[nodiscard]] Result<std::vector<std::string>> command() const;
    [[nodiscard]] Result<AcpAgent::Options> agent_options(const RunContext& context) const;

    const acp::KnownAgent* known_;
    RunFlags flags_;
    std::optional<std::string> mode_;
};

std::vector<Example> RunAcpCommand::examples() const {
    if (known_ == nullptr)
        return {
            {"parley run acp \"Add sign-in to this app\" -- gemini --acp",
             "Ends when the agent is done; its questions wait in every inbox."},
            {"parley run acp -- opencode acp", "A conversation, here and from everywhere."},
            {"parley run acp --resume 6f1c2a34-... -- opencode acp", "Goes on where it was left."}};
    const std::string name = fmt::format("parley run {}", known_->name);
    return {{name + " \"Add sign-in to this app\"",
             "Ends when it is done; its questions wait in every inbox."},
            {name, "A conversation, here and from everywhere."},
            {name + " --resume 6f1c2a34-...", "Goes on where it was left."}};
}

CommandSpec RunAcpCommand::spec() {
    const std::string called(known_ == nullptr ? "any agent of the Agent Client Protocol"
                                               : known_->called);
    return {
        .about = fmt::format(
            "Runs {} as a session of the broker: its questions and permission prompts can be "
            "answered here and from everywhere else, and it takes messages from everywhere.{}",
            called,
            known_ == nullptr
                ? " What follows -- is the agent's command."
                : fmt::format(" Short for `parley run acp -- {}`; what follows -- is added.",
                              fmt::join(known_->command, " "))),
        .arguments = {flags_.prompt_argument("the agent")},
        .options = {flags_.session_option(),
                    flags_.resume_option(
                        "ID",
                        "Go on with a session: the one of this name that Parley ran, or one "
                        "that the agent knows by this id. In the folder it was started in."),
                    {.names = "--mode",
                     .value = "ID",
                     .help =
                         "The agent's mode to begin in, such as plan; an unknown one is refused "
                         "with those that it has.",
                     .target = &mode_},
                    flags_.timeout_option(),
                    flags_.json_option()},
        .examples = examples(),
        .notes = fmt::format(
            "The protocol has no place for the reason of a denial: what a person writes with one "
            "is the agent's next message.\n\n{}",
            kRunExitCodes),
        .passed_on = &flags_.passed_on,
    };
}

Result<std::vector<std::string>> RunAcpCommand::command() const {
    std::vector<std::string> argv;
    if (known_ != nullptr) argv.assign(known_->command.begin(), known_->command.end());
    argv.insert(argv.end(), flags_.passed_on.begin(), flags_.passed_on.end());
    if (argv.empty())
        return reject(ErrorCode::invalid,
                      "the agent's command is missing; give it after --, as in: parley run acp -- "
                      "gemini --acp");
    return argv;
}

Result<AcpAgent::Options> RunAcpCommand::agent_options(const RunContext& context) const {
    TRY(argv, command());
    const std::string agent = known_ != nullptr
                                  ? std::string(known_->name)
                                  : std::filesystem::path(argv.front()).stem().string();
    const std::string called = known_ != nullptr ? std::string(known_->called) : agent;
    TRY(session, flags_.read_session(context, one_line(agent, limits::kAcpToolChars), called));
    TRY(prompt, read_prompt(context, flags_.prompt));
    TRY(timeout, read_run_timeout(flags_.timeout));
    const std::string folder = session.folder;
    return AcpAgent::Options{
        .command = {.argv = std::move(argv)},
        .session = std::move(session),
        .has_own_title = known_ == nullptr,
        .place =
            {.folder = folder,
             // An agent's own limit on calls counts, and the protocol has no word for another.
             .servers = {{.name = "parley", .command = {own_program(), "mcp"}, .variables = {}}}},
        .version = PARLEY_VERSION,
        .run = make_uuid().substr(0, 8),
        .prompt = prompt,
        .mode = mode_,
        .ends_with_turn = prompt.has_value(),
        .timeout = timeout};
}

ExitCode RunAcpCommand::run(const RunContext& context) {
    auto options = agent_options(context);
    if (!options) return context.refuse_usage(options.error().message);
    auto plan = flags_.plan(options->session, options->prompt.has_value(), options->ends_with_turn,
                            resuming_command(known_ == nullptr ? "acp" : known_->name,
                                             options->session.session, flags_.passed_on));
    AgentRun run(context, std::move(plan), [&options](AgentRun::Wiring wiring) {
        // Some agents keep from their MCP servers what looks secret.
        for (const std::string& variable : wiring.variables)
            if (variable.starts_with("PARLEY_"))
                options->place.servers.front().variables.push_back(variable);
        options->command.environment = std::move(wiring.variables);
        return std::make_unique<AcpAgent>(
            LineDriver::Wiring{wiring.loop, wiring.link, wiring.onlooker,
                               std::move(wiring.finished)},
            std::move(*options));
    });
    return run.run();
}

}  // namespace

std::unique_ptr<Command> make_run_acp() {
    return std::make_unique<RunAcpCommand>(nullptr);
}

std::unique_ptr<Command> make_run_copilot() {
    return std::make_unique<RunAcpCommand>(acp::find_agent("copilot"));
}

std::unique_ptr<Command> make_run_gemini() {
    return std::make_unique<RunAcpCommand>(acp::find_agent("gemini"));
}

std::unique_ptr<Command> make_run_qwen() {
    return std::make_unique<RunAcpCommand>(acp::find_agent("qwen"));
}

}  // namespace parley::app
