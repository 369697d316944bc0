// SPDX-License-Identifier: Apache-2.0
// parley run claude: Claude Code as a session of the broker.
#include <fmt/format.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <memory>
#include <utility>

#include "agent/claude_agent.h"
#include "app/command_line/read_file.h"
#include "app/commands/commands.h"
#include "app/reach/child_access.h"
#include "app/terminal/run_lines.h"
#include "app/terminal/run_terminal.h"
#include "base/ids.h"
#include "broker/limits.h"
#include "core/text_rules.h"
#include "dialect/claude/hook.h"
#include "text/time_text.h"

namespace parley::app {

namespace {

// A random UUID, as Claude Code names its sessions.
std::string make_uuid() {
    RandomBits random = system_random();
    const std::uint64_t high = (random() & 0xffffffffffff0fffU) | 0x4000U;
    const std::uint64_t low = (random() & 0x3fffffffffffffffU) | 0x8000000000000000U;
    return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32U, (high >> 16U) & 0xffffU,
                       high & 0xffffU, low >> 48U, low & 0xffffffffffffU);
}

class RunClaude final : public Command {
public:
    CommandSpec spec() override;
    ExitCode run(const RunContext& context) override;

private:
    [[nodiscard]] Result<void> read_prompt(const RunContext& context);
    [[nodiscard]] Result<ClaudeAgent::Options> agent_options(const RunContext& context);
    [[nodiscard]] Result<void> check_passed_on() const;
    void open(const RunContext& context, net::Loop& loop);
    void admit_children(const RunContext& context, net::Loop& loop, ClaudeAgent::Options options);
    void start(const RunContext& context, net::Loop& loop, ClaudeAgent::Options options);
    void interrupted(int signal);
    void ended(const RunContext& context, net::Loop& loop, const Driver::Ending& ending);

    std::optional<std::string> prompt_;
    std::optional<std::string> resume_;
    std::optional<std::string> claude_ = "claude";
    std::optional<std::string> timeout_;
    bool interrupts_on_dismiss_ = false;
    bool wants_json_ = false;
    std::vector<std::string> passed_on_;

    bool has_prompt_ = false;
    ExitCode code_ = ExitCode::failed;
    std::string session_;
    std::unique_ptr<BrokerAccess> access_;
    ChildAccess child_;
    // One of these watches.
    std::unique_ptr<RunTerminal> terminal_;
    std::unique_ptr<RunLines> lines_;
    std::unique_ptr<ClaudeAgent> agent_;
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

Result<void> RunClaude::read_prompt(const RunContext& context) {
    if (!prompt_ && !context.console.is_in_tty()) {
        TRY(text, read_file("-", limits::kSaidBytes));
        if (!trim_blanks(text).empty()) prompt_ = std::string(trim_blanks(text));
    }
    if (prompt_ && trim_blanks(*prompt_).empty())
        return reject(ErrorCode::invalid, "the prompt is empty");
    has_prompt_ = prompt_.has_value();
    return {};
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

Result<ClaudeAgent::Options> RunClaude::agent_options(const RunContext& context) {
    session_ = resume_.value_or(make_uuid());
    ClaudeAgent::Options options{
        .command = {.argv = {*claude_, "-p", "--verbose", "--input-format", "stream-json",
                             "--output-format", "stream-json", "--include-partial-messages",
                             "--permission-prompt-tool", "stdio",
                             resume_ ? "--resume" : "--session-id", session_}},
        .session = session_};
    auto& argv = options.command.argv;
    argv.insert(argv.end(), passed_on_.begin(), passed_on_.end());
    if (timeout_) {
        auto timeout = parse_duration(*timeout_);
        if (!timeout) return reject(ErrorCode::invalid, "--timeout: {}", timeout.error().message);
        options.timeout = *timeout;
    }
    std::error_code error;
    const std::string folder = std::filesystem::current_path(error).filename().string();
    options.title = folder.empty() ? "Claude Code" : "Claude Code in " + folder;
    options.prompt = prompt_;
    options.is_resumed = resume_.has_value();
    // Resumed without anybody to speak to it, it has one turn: the one that waited.
    options.ends_with_turn = has_prompt_ || (resume_ && !context.console.is_in_tty());
    options.interrupts_on_dismiss = interrupts_on_dismiss_;
    options.shows_all_frames = wants_json_;
    return options;
}

void RunClaude::ended(const RunContext& context, net::Loop& loop, const Driver::Ending& ending) {
    using Kind = Driver::Ending::Kind;
    if (terminal_) terminal_->close();
    switch (ending.kind) {
        case Kind::done: code_ = ExitCode::done; break;
        case Kind::failed: code_ = ExitCode::failed; break;
        case Kind::stopped: code_ = ExitCode::interrupted; break;
        case Kind::session_ended: code_ = ExitCode::withdrawn; break;
    }
    if (!ending.why.empty()) context.complain(ending.why);
    if (ending.kind != Kind::session_ended && context.console.is_interactive())
        context.console.tell(fmt::format("To go on: parley run claude --resume {}\n", session_));
    if (lines_) lines_->end(ending, code_);
    child_.close(*access_, [&loop] { loop.stop(); });
}

void RunClaude::open(const RunContext& context, net::Loop& loop) {
    auto options = agent_options(context);
    if (!options) {
        code_ = context.refuse_usage(options.error().message);
        return loop.stop();
    }
    auto request = ClaudeAgent::session_request(*options);
    // The children's token is made for the session, so the session comes first.
    access_->link().open_session(std::move(request),
                                 [this, &context, &loop, options = std::move(*options)](
                                     const Result<SessionPtr>& session) mutable {
                                     if (session)
                                         return admit_children(context, loop, std::move(options));
                                     code_ = context.fail(session.error());
                                     loop.stop();
                                 });
}

void RunClaude::admit_children(const RunContext& context, net::Loop& loop,
                               ClaudeAgent::Options options) {
    ChildAccess::open(
        context, *access_, {.agent = "claude", .session = session_},
        [this, &context, &loop, options = std::move(options)](Result<ChildAccess> child) mutable {
            if (!child) {
                code_ = context.fail(child.error());
                return loop.stop();
            }
            child_ = std::move(*child);
            std::vector<std::string> variables = child_.variables(context.environment, session_);
            variables.push_back(fmt::format("{}=1", claude::kDrivenVariable));
            options.command.environment = std::move(variables);
            start(context, loop, std::move(options));
        });
}

void RunClaude::start(const RunContext& context, net::Loop& loop, ClaudeAgent::Options options) {
    if (wants_json_) {
        lines_ = std::make_unique<RunLines>(context, session_);
    } else {
        terminal_ = std::make_unique<RunTerminal>(RunTerminal::Wiring{context, loop, *access_},
                                                  !options.ends_with_turn);
    }
    Driver::Onlooker* onlooker = lines_.get();
    if (terminal_) onlooker = terminal_.get();
    agent_ = std::make_unique<ClaudeAgent>(
        loop, access_->link(), std::move(options), *onlooker,
        [this, &context, &loop](const Driver::Ending& ending) { ended(context, loop, ending); });
    if (terminal_) terminal_->attach(*agent_);
    if (context.console.is_interactive() || !has_prompt_)
        context.console.tell(fmt::format("parley run claude: session {}\n", session_));
    agent_->start();
    if (terminal_ && !has_prompt_) terminal_->show_idle(true);
}

// The first stops the turn, the next ends Claude Code.
void RunClaude::interrupted(int signal) {
    if (signal == SIGINT && agent_->interrupt()) return;
    agent_->quit();
}

ExitCode RunClaude::run(const RunContext& context) {
    if (const auto checked = check_passed_on(); !checked)
        return context.refuse_usage(checked.error().message);
    if (const auto read = read_prompt(context); !read)
        return context.refuse_usage(read.error().message);
    net::Loop loop;
    int signals = 0;
    loop.on_signals({SIGINT, SIGTERM, SIGHUP}, [&](int signal) {
        // Whoever presses a third time means it.
        if (agent_ && ++signals < 3) return interrupted(signal);
        code_ = ExitCode::interrupted;
        loop.stop();
    });
    open_server({.loop = loop, .environment = context.environment, .global = context.global},
                [&](Result<std::unique_ptr<BrokerAccess>> opened) {
                    if (!opened) {
                        code_ = context.fail(opened.error());
                        return loop.stop();
                    }
                    access_ = std::move(*opened);
                    open(context, loop);
                });
    loop.run();
    agent_.reset();
    terminal_.reset();
    lines_.reset();
    access_.reset();
    return code_;
}

}  // namespace

std::unique_ptr<Command> make_run_claude() {
    return std::make_unique<RunClaude>();
}

}  // namespace parley::app
