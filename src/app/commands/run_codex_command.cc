// SPDX-License-Identifier: Apache-2.0
// parley run codex: Codex as a session of the broker.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "agent/codex/codex_agent.h"
#include "app/commands/commands.h"
#include "app/commands/run_flags.h"
#include "app/setup/mcp_install.h"
#include "dialect/codex/wishes.h"

namespace parley::app {

namespace {

class RunCodexCommand final : public Command {
public:
    CommandSpec spec() override;
    ExitCode run(const RunContext& context) override;

private:
    std::vector<OptionSpec> options();
    [[nodiscard]] Result<CodexAgent::Options> agent_options(const RunContext& context) const;

    RunFlags flags_;
    std::optional<std::string> codex_ = "codex";
    std::optional<std::string> model_;
    std::optional<std::string> sandbox_;
    std::optional<std::string> approvals_;
    std::optional<std::string> mode_;
};

std::vector<OptionSpec> RunCodexCommand::options() {
    return {flags_.session_option(),
            flags_.resume_option("ID",
                                 "Go on with a session: the one of this name that Parley ran, or "
                                 "one that Codex knows by this id. In the folder it was started "
                                 "in."),
            {.names = "-m,--model",
             .value = "NAME",
             .help = "The model. Default: as your Codex is set up, as for what follows.",
             .target = &model_},
            {.names = "-s,--sandbox",
             .value = "MODE",
             .help = "What its commands may touch without asking: read-only, workspace-write or "
                     "danger-full-access",
             .target = &sandbox_,
             .choices = {"read-only", "workspace-write", "danger-full-access"}},
            {.names = "-a,--ask-for-approval",
             .value = "POLICY",
             .help = "When it asks whether it may: untrusted (before all but what is known to be "
                     "harmless), on-request (when it wants out of its sandbox) or never",
             .target = &approvals_,
             .choices = {"untrusted", "on-request", "never"}},
            {.names = "--mode",
             .value = "MODE",
             .help = "plan: it looks, asks and plans, and changes nothing; default: it works",
             .target = &mode_,
             .choices = {"plan", "default"}},
            {.names = "--codex",
             .value = "PATH",
             .help = "The Codex to run. Default: codex, from your PATH. Also PARLEY_CODEX.",
             .target = &codex_,
             .setting = "codex",
             .completion = Completion::file},
            flags_.timeout_option(),
            flags_.json_option()};
}

CommandSpec RunCodexCommand::spec() {
    return {
        .about =
            "Runs Codex as a session of the broker: its questions and approvals can be answered "
            "here and from everywhere else, and it takes messages from everywhere. For the windows "
            "of Codex that you have open anyway, see `parley join codex`.",
        .arguments = {flags_.prompt_argument("Codex")},
        .options = options(),
        .examples = {{"parley run codex \"Add sign-in to this app\"",
                      "Ends when Codex is done; its questions wait in every inbox."},
                     {"parley run codex", "A conversation, here and from everywhere."},
                     {"parley run codex --mode plan \"How would you split this module?\"",
                      "It plans, asks and changes nothing."},
                     {"parley run codex --resume 6f1c2a34-...", "Goes on where it was left."},
                     {"parley run codex \"Tidy up\" -- -c model_reasoning_effort=high",
                      "What follows -- is for `codex app-server`."},
                     {"git diff | parley run codex --sandbox read-only --json | tail -n 1",
                      "For a program."}},
        .notes = fmt::format(
            "Codex's approvals have no room for a reason: what a person writes beside one is told "
            "to Codex right after it.\n\n{}",
            kRunExitCodes),
        .passed_on = &flags_.passed_on,
    };
}

Result<CodexAgent::Options> RunCodexCommand::agent_options(const RunContext& context) const {
    TRY(session, flags_.read_session(context, std::string(codex::kAgent), "Codex"));
    TRY(prompt, read_prompt(context, flags_.prompt));
    TRY(timeout, read_run_timeout(flags_.timeout));
    const std::string folder = session.folder;
    // It goes on where it was.
    if (flags_.resume) session.folder.clear();
    CodexAgent::Options options{
        .command = {.argv = {codex_.value_or("codex"), "app-server"}},
        .session = std::move(session),
        .thread = {.folder = folder,
                   .model = model_,
                   .sandbox = sandbox_,
                   .approvals = approvals_,
                   .server = {.command = {own_program(), "mcp", "--wait", "0", "--no-forms"},
                              .variables = {}}},
        .mode = mode_.value_or(""),
        .version = PARLEY_VERSION,
        .run = make_uuid().substr(0, 8),
        .prompt = prompt,
        .ends_with_turn = prompt.has_value(),
        .timeout = timeout};
    auto& argv = options.command.argv;
    argv.insert(argv.end(), flags_.passed_on.begin(), flags_.passed_on.end());
    return options;
}

// What Codex gives on to Parley's server: it keeps back all that it is not told of.
std::vector<std::string> names_for_server(const std::vector<std::string>& variables) {
    constexpr std::array<std::string_view, 3> kFolders = {"XDG_RUNTIME_DIR", "XDG_STATE_HOME",
                                                          "XDG_CONFIG_HOME"};
    std::vector<std::string> names;
    for (const std::string& variable : variables) {
        std::string name = variable.substr(0, variable.find('='));
        if (name.starts_with("PARLEY_") || std::ranges::find(kFolders, name) != kFolders.end())
            names.push_back(std::move(name));
    }
    return names;
}

ExitCode RunCodexCommand::run(const RunContext& context) {
    auto options = agent_options(context);
    if (!options) return context.refuse_usage(options.error().message);
    const std::string& name = options->session.session;
    auto plan = flags_.plan(options->session, options->prompt.has_value(), options->ends_with_turn,
                            resuming_command("codex", name, flags_.passed_on));
    AgentRun run(context, std::move(plan), [&options](AgentRun::Wiring wiring) {
        options->thread.server.variables = names_for_server(wiring.variables);
        options->command.environment = std::move(wiring.variables);
        return std::make_unique<CodexAgent>(
            LineDriver::Wiring{wiring.loop, wiring.link, wiring.onlooker,
                               std::move(wiring.finished)},
            std::move(*options));
    });
    return run.run();
}

}  // namespace

std::unique_ptr<Command> make_run_codex() {
    return std::make_unique<RunCodexCommand>();
}

}  // namespace parley::app
