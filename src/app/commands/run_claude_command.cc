// SPDX-License-Identifier: Apache-2.0
// parley run claude: Claude Code as a session of the broker.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <utility>

#include "agent/claude_agent.h"
#include "app/commands/agent_run.h"
#include "app/commands/commands.h"
#include "dialect/claude/hook.h"

namespace parley::app {

namespace {

class RunClaude final : public Command {
public:
    CommandSpec spec() override;
    ExitCode run(const RunContext& context) override;

private:
    [[nodiscard]] Result<ClaudeAgent::Options> agent_options(const RunContext& context) const;
    [[nodiscard]] Result<void> check_passed_on() const;

    std::optional<std::string> prompt_;
    std::optional<std::string> resume_;
    std::optional<std::string> claude_ = "claude";
    std::optional<std::string> timeout_;
    bool interrupts_on_dismiss_ = false;
    bool wants_json_ = false;
    std::vector<std::string> passed_on_;
};

CommandSpec RunClaude::spec() {
    return {
        .about =
            "Runs Claude Code as a session of the broker: its questions and permission "
            "prompts can be answered here and from everywhere else, and it takes messages "
            "from everywhere.",
        .arguments = {{.name = "PROMPT",
                       .help = "What Claude is to do; the command ends when it has. Without it, "
                               "the session stays open for messages. Read from stdin where that "
                               "is no terminal.",
                       .target = &prompt_,
                       .is_required = false}},
        .options = {{.names = "--resume",
                     .value = "ID",
                     .help = "Go on with a session of Claude Code, also with one that waits for "
                             "the answer to a deferred question. In the folder it was started in.",
                     .target = &resume_},
                    {.names = "--claude",
                     .value = "PATH",
                     .help = "The Claude Code to run. Default: claude, from your PATH. Also "
                             "PARLEY_CLAUDE.",
                     .target = &claude_,
                     .setting = "claude",
                     .completion = Completion::file},
                    {.names = "--timeout",
                     .value = "TIME",
                     .help = "How long each question waits: 90s, 10m, 1h30m. Default: for ever.",
                     .target = &timeout_},
                    {.names = "--interrupt-on-dismiss",
                     .help = "A question that is dismissed or times out ends the turn. Default: "
                             "Claude is told, and goes on.",
                     .target = &interrupts_on_dismiss_},
                    {.names = "--json",
                     .help = "What happens in the session, one JSON document a line, and at last "
                             "how it ended. Nothing is prompted for here.",
                     .target = &wants_json_}},
        .examples = {{"parley run claude \"Add sign-in to this app\"",
                      "Ends when Claude is done; its questions wait in every inbox."},
                     {"parley run claude", "A conversation, here and from everywhere."},
                     {"parley run claude --resume 6f1c2a34-...", "Goes on where it was left."},
                     {"parley run claude \"Tidy up\" -- --model haiku --permission-mode plan",
                      "What follows -- is for Claude Code itself."},
                     {"git diff | parley run claude \"Review this\" --json | tail -n 1",
                      "For a program."}},
        .notes =
            "exit codes: 0 the turn is done, 1 failed, 2 wrong usage, 5 the session was ended, "
            "6 no broker, 130 interrupted",
        .passed_on = &passed_on_,
    };
}

Result<void> RunClaude::check_passed_on() const {
    constexpr std::array<std::string_view, 10> kOurs = {
        "--resume",       "-r",
        "--continue",     "-c",
        "--session-id",   "--output-format",
        "--input-format", "--permission-prompt-tool",
        "--print",        "-p"};
    for (const std::string& argument : passed_on_) {
        const std::string_view name = std::string_view(argument).substr(0, argument.find('='));
        for (const std::string_view ours : kOurs)
            if (name == ours)
                return reject(ErrorCode::invalid,
                              "{} cannot be given after --: parley itself sets it{}", name,
                              name == "--resume" || name == "-r" ? "; use parley's --resume" : "");
    }
    return {};
}

Result<ClaudeAgent::Options> RunClaude::agent_options(const RunContext& context) const {
    CHECK_OK(check_passed_on());
    TRY(prompt, read_prompt(context, prompt_));
    TRY(timeout, read_run_timeout(timeout_));
    const std::string session = resume_.value_or(make_uuid());
    ClaudeAgent::Options options{
        .command = {.argv = {*claude_, "-p", "--verbose", "--input-format", "stream-json",
                             "--output-format", "stream-json", "--include-partial-messages",
                             "--permission-prompt-tool", "stdio",
                             resume_ ? "--resume" : "--session-id", session}},
        .session = session,
        .title = run_title("Claude Code"),
        .prompt = prompt,
        .is_resumed = resume_.has_value(),
        // Resumed without anybody to speak to it, it has one turn: the one that waited.
        .ends_with_turn = prompt.has_value() || (resume_ && !context.console.is_in_tty()),
        .timeout = timeout,
        .interrupts_on_dismiss = interrupts_on_dismiss_,
        .shows_all_frames = wants_json_};
    auto& argv = options.command.argv;
    argv.insert(argv.end(), passed_on_.begin(), passed_on_.end());
    return options;
}

ExitCode RunClaude::run(const RunContext& context) {
    auto options = agent_options(context);
    if (!options) return context.refuse_usage(options.error().message);
    AgentRun::Plan plan{.agent = "claude",
                        .session = ClaudeAgent::session_request(*options),
                        .has_prompt = options->prompt.has_value(),
                        .ends_with_turn = options->ends_with_turn,
                        .wants_json = wants_json_,
                        .resuming = fmt::format("parley run claude --resume {}", options->session)};
    AgentRun run(context, std::move(plan), [&options](AgentRun::Wiring wiring) {
        wiring.variables.push_back(fmt::format("{}=1", claude::kDrivenVariable));
        options->command.environment = std::move(wiring.variables);
        return std::make_unique<ClaudeAgent>(wiring.loop, wiring.link, std::move(*options),
                                             wiring.onlooker, std::move(wiring.finished));
    });
    return run.run();
}

}  // namespace

std::unique_ptr<Command> make_run_claude() {
    return std::make_unique<RunClaude>();
}

}  // namespace parley::app
