// SPDX-License-Identifier: Apache-2.0
// parley run acp, and its short forms: an agent of the Agent Client Protocol as a session of the
// broker.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "agent/acp/acp_agent.h"
#include "app/commands/agent_run.h"
#include "app/commands/commands.h"
#include "app/setup/mcp_install.h"
#include "core/text_rules.h"
#include "dialect/acp/known_agents.h"
#include "dialect/limits.h"

namespace parley::app {

namespace {

class RunAcp final : public Command {
public:
    // Without a known agent, what follows -- says which.
    explicit RunAcp(const acp::KnownAgent* known) : known_(known) {}

    CommandSpec spec() override;
    ExitCode run(const RunContext& context) override;

private:
    std::vector<Example> examples() const;
    [[nodiscard]] Result<std::vector<std::string>> command() const;
    [[nodiscard]] Result<AcpAgent::Options> agent_options(const RunContext& context) const;
    AgentRun::Plan plan_for(const AcpAgent::Options& options) const;

    const acp::KnownAgent* known_;
    std::optional<std::string> prompt_;
    std::optional<std::string> session_;
    std::optional<std::string> resume_;
    std::optional<std::string> mode_;
    std::optional<std::string> timeout_;
    bool wants_json_ = false;
    std::vector<std::string> passed_on_;
};

std::vector<Example> RunAcp::examples() const {
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

CommandSpec RunAcp::spec() {
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
        .arguments = {{.name = "PROMPT",
                       .help = "What the agent is to do; the command ends when it has. Without it, "
                               "the session stays open for messages. Read from stdin where that "
                               "is no terminal.",
                       .target = &prompt_,
                       .is_required = false}},
        .options = {{.names = "--session",
                     .value = "NAME",
                     .help = "The name of a new session. Default: one that is made up.",
                     .target = &session_},
                    {.names = "--resume",
                     .value = "ID",
                     .help = "Go on with a session: the one of this name that Parley ran, or one "
                             "that the agent knows by this id. In the folder it was started in.",
                     .target = &resume_},
                    {.names = "--mode",
                     .value = "ID",
                     .help =
                         "The agent's mode to begin in, such as plan; an unknown one is refused "
                         "with those that it has.",
                     .target = &mode_},
                    {.names = "--timeout",
                     .value = "TIME",
                     .help = "How long each question waits: 90s, 10m, 1h30m. Default: for ever.",
                     .target = &timeout_},
                    {.names = "--json",
                     .help = "What happens in the session, one JSON document a line, and at last "
                             "how it ended. Nothing is prompted for here.",
                     .target = &wants_json_}},
        .examples = examples(),
        .notes =
            "The protocol has no place for the reason of a denial: what a person writes with one "
            "is the agent's next message.\n\n"
            "exit codes: 0 the turn is done, 1 failed, 2 wrong usage, 5 the session was ended, "
            "6 no broker, 130 interrupted",
        .passed_on = &passed_on_,
    };
}

Result<std::vector<std::string>> RunAcp::command() const {
    std::vector<std::string> argv;
    if (known_ != nullptr) argv.assign(known_->command.begin(), known_->command.end());
    argv.insert(argv.end(), passed_on_.begin(), passed_on_.end());
    if (argv.empty())
        return reject(ErrorCode::invalid,
                      "the agent's command is missing; give it after --, as in: parley run acp -- "
                      "gemini --acp");
    return argv;
}

Result<AcpAgent::Options> RunAcp::agent_options(const RunContext& context) const {
    if (session_ && resume_)
        return reject(ErrorCode::invalid, "--session names a new session, --resume an old one");
    TRY(argv, command());
    TRY(prompt, read_prompt(context, prompt_));
    TRY(timeout, read_run_timeout(timeout_));
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::current_path(error);
    if (error)
        return reject(ErrorCode::invalid, "this folder cannot be named: {}", error.message());
    const std::string agent = known_ != nullptr
                                  ? std::string(known_->name)
                                  : std::filesystem::path(argv.front()).stem().string();
    const std::string called = known_ != nullptr ? std::string(known_->called) : agent;
    const std::string name = resume_ ? *resume_ : session_.value_or(make_uuid());
    return AcpAgent::Options{
        .command = {.argv = std::move(argv)},
        .session = {.session = name,
                    .agent = one_line(agent, limits::kAcpToolChars),
                    .called = called,
                    .title = run_title(called),
                    .folder = folder.string(),
                    .is_resumed = resume_.has_value(),
                    .shows_all_frames = wants_json_},
        .has_own_title = known_ == nullptr,
        .place = {.folder = folder.string(),
                  .servers = {{.name = "parley",
                               .command = {own_program(), "mcp", "--wait", "0"},
                               .variables = {}}}},
        .version = PARLEY_VERSION,
        .run = make_uuid().substr(0, 8),
        .prompt = prompt,
        .mode = mode_,
        .ends_with_turn = prompt.has_value(),
        .timeout = timeout};
}

AgentRun::Plan RunAcp::plan_for(const AcpAgent::Options& options) const {
    std::string resuming =
        fmt::format("parley run {} --resume {}", known_ == nullptr ? "acp" : known_->name,
                    options.session.session);
    if (!passed_on_.empty()) resuming += fmt::format(" -- {}", fmt::join(passed_on_, " "));
    return {.agent = options.session.agent,
            .session = DrivenSession::request(options.session),
            .has_prompt = options.prompt.has_value(),
            .ends_with_turn = options.ends_with_turn,
            .wants_json = wants_json_,
            .resuming = std::move(resuming)};
}

ExitCode RunAcp::run(const RunContext& context) {
    auto options = agent_options(context);
    if (!options) return context.refuse_usage(options.error().message);
    AgentRun run(context, plan_for(*options), [&options](AgentRun::Wiring wiring) {
        // Some agents keep from their MCP servers what looks secret.
        for (const std::string& variable : wiring.variables)
            if (variable.starts_with("PARLEY_"))
                options->place.servers.front().variables.push_back(variable);
        options->command.environment = std::move(wiring.variables);
        return std::make_unique<AcpAgent>(wiring.loop, wiring.link, std::move(*options),
                                          wiring.onlooker, std::move(wiring.finished));
    });
    return run.run();
}

}  // namespace

std::unique_ptr<Command> make_run_acp() {
    return std::make_unique<RunAcp>(nullptr);
}

std::unique_ptr<Command> make_run_copilot() {
    return std::make_unique<RunAcp>(acp::find_agent("copilot"));
}

std::unique_ptr<Command> make_run_gemini() {
    return std::make_unique<RunAcp>(acp::find_agent("gemini"));
}

std::unique_ptr<Command> make_run_qwen() {
    return std::make_unique<RunAcp>(acp::find_agent("qwen"));
}

}  // namespace parley::app
