// SPDX-License-Identifier: Apache-2.0
// parley run claude: Claude Code as a session of the broker.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <utility>

#include "agent/claude/claude_agent.h"
#include "app/commands/commands.h"
#include "app/commands/run_flags.h"
#include "dialect/claude/hook.h"

namespace parley::app {

namespace {

class RunClaudeCommand final : public Command {
public:
    CommandSpec spec() override;
    ExitCode run(const RunContext& context) override;

private:
    [[nodiscard]] Result<ClaudeAgent::Options> agent_options(const RunContext& context) const;
    [[nodiscard]] Result<void> check_passed_on() const;

    RunFlags flags_;
    std::optional<std::string> claude_ = "claude";
    bool interrupts_on_dismiss_ = false;
};

CommandSpec RunClaudeCommand::spec() {
    return {
        .about =
            "Runs Claude Code as a session of the broker: its questions and permission "
            "prompts can be answered here and from everywhere else, and it takes messages "
            "from everywhere.",
        .arguments = {flags_.prompt_argument("Claude")},
        .options = {flags_.resume_option(
                        "ID",
                        "Go on with a session of Claude Code, also with one that waits for "
                        "the answer to a deferred question. In the folder it was started in."),
                    {.names = "--claude",
                     .value = "PATH",
                     .help = "The Claude Code to run. Default: claude, from your PATH. Also "
                             "PARLEY_CLAUDE.",
                     .target = &claude_,
                     .setting = "claude",
                     .completion = Completion::file},
                    flags_.timeout_option(),
                    {.names = "--interrupt-on-dismiss",
                     .help = "A question that is dismissed or times out ends the turn. Default: "
                             "Claude is told, and goes on.",
                     .target = &interrupts_on_dismiss_},
                    flags_.json_option()},
        .examples = {{"parley run claude \"Add sign-in to this app\"",
                      "Ends when Claude is done; its questions wait in every inbox."},
                     {"parley run claude", "A conversation, here and from everywhere."},
                     {"parley run claude --resume 6f1c2a34-...", "Goes on where it was left."},
                     {"parley run claude \"Tidy up\" -- --model haiku --permission-mode plan",
                      "What follows -- is for Claude Code itself."},
                     {"git diff | parley run claude \"Review this\" --json | tail -n 1",
                      "For a program."}},
        .notes = std::string(kRunExitCodes),
        .passed_on = &flags_.passed_on,
    };
}

Result<void> RunClaudeCommand::check_passed_on() const {
    constexpr std::array<std::string_view, 10> kOurs = {
        "--resume",       "-r",
        "--continue",     "-c",
        "--session-id",   "--output-format",
        "--input-format", "--permission-prompt-tool",
        "--print",        "-p"};
    for (const std::string& argument : flags_.passed_on) {
        const std::string_view name = std::string_view(argument).substr(0, argument.find('='));
        for (const std::string_view ours : kOurs)
            if (name == ours)
                return reject(ErrorCode::invalid,
                              "{} cannot be given after --: parley itself sets it{}", name,
                              name == "--resume" || name == "-r" ? "; use parley's --resume" : "");
    }
    return {};
}

Result<ClaudeAgent::Options> RunClaudeCommand::agent_options(const RunContext& context) const {
    CHECK_OK(check_passed_on());
    TRY(prompt, read_prompt(context, flags_.prompt));
    TRY(timeout, read_run_timeout(flags_.timeout));
    const std::string session = flags_.resume.value_or(make_uuid());
    DrivenSession::Options about = ClaudeAgent::session_options(session);
    about.title = run_title(about.called);
    about.is_resumed = flags_.resume.has_value();
    about.shows_all_frames = flags_.wants_json;
    if (interrupts_on_dismiss_) about.on_dismiss = OnDismiss::stop;
    ClaudeAgent::Options options{
        .command = {.argv = {claude_.value_or("claude"), "-p", "--verbose", "--input-format",
                             "stream-json", "--output-format", "stream-json",
                             "--include-partial-messages", "--replay-user-messages",
                             "--permission-prompt-tool", "stdio",
                             flags_.resume ? "--resume" : "--session-id", session}},
        .session = std::move(about),
        .make_uuid = make_uuid,
        .prompt = prompt,
        // Resumed without anybody to speak to it, it has one turn: the one that waited.
        .ends_with_turn = prompt.has_value() || (flags_.resume && !context.console.is_in_tty()),
        .timeout = timeout};
    auto& argv = options.command.argv;
    argv.insert(argv.end(), flags_.passed_on.begin(), flags_.passed_on.end());
    return options;
}

ExitCode RunClaudeCommand::run(const RunContext& context) {
    auto options = agent_options(context);
    if (!options) return context.refuse_usage(options.error().message);
    auto plan = flags_.plan(options->session, options->prompt.has_value(), options->ends_with_turn,
                            resuming_command("claude", options->session.session, {}));
    AgentRun run(context, std::move(plan), [&options](AgentRun::Wiring wiring) {
        wiring.variables.push_back(fmt::format("{}=1", claude::kDrivenVariable));
        options->command.environment = std::move(wiring.variables);
        return std::make_unique<ClaudeAgent>(
            LineDriver::Wiring{wiring.loop, wiring.link, wiring.onlooker,
                               std::move(wiring.finished)},
            std::move(*options));
    });
    return run.run();
}

}  // namespace

std::unique_ptr<Command> make_run_claude() {
    return std::make_unique<RunClaudeCommand>();
}

}  // namespace parley::app
