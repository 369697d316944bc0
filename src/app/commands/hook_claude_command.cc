// SPDX-License-Identifier: Apache-2.0
// parley hook claude: what Claude Code runs when it wants something decided. Reads the hook's JSON
// from stdin, asks through the broker, prints the decision. Whatever is wrong ends with nothing on
// stdout and exit code 0 or 1, which Claude Code takes for "no opinion": its own dialog serves.
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>
#include <utility>

#include "app/command_line/read_file.h"
#include "app/commands/commands.h"
#include "app/limits.h"
#include "app/reach/broker_access.h"
#include "app/setup/claude_setup.h"
#include "base/assert.h"
#include "base/ids.h"
#include "bridge/claude_hook.h"
#include "net/loop.h"
#include "net/watch.h"
#include "text/limits.h"
#include "text/time_text.h"

namespace parley::app {

namespace {

class HookClaudeCommand final : public Command {
public:
    CommandSpec spec() override;
    ExitCode run(const RunContext& context) override;

private:
    std::vector<OptionSpec> setup_options();
    [[nodiscard]] Result<claude::HookRules> rules() const;
    [[nodiscard]] Result<std::optional<Millis>> limit() const;
    ExitCode set_up(const RunContext& context) const;
    std::string hook_command(const RunContext& context) const;
    ExitCode answer(const RunContext& context);

    std::optional<std::string> timeout_;
    std::optional<std::string> on_timeout_;
    std::optional<std::string> limit_;
    bool defers_ = false;
    bool installs_ = false;
    bool uninstalls_ = false;
    bool before_dialog_ = false;
    bool questions_only_ = false;
    std::optional<std::string> scope_;
};

std::vector<OptionSpec> HookClaudeCommand::setup_options() {
    return {
        {.names = "--install",
         .help = "Put the hooks into Claude Code's settings, keep all else that is there, and show "
                 "what changed.",
         .target = &installs_},
        {.names = "--uninstall", .help = "Take them out again.", .target = &uninstalls_},
        {.names = "--scope",
         .value = "WHERE",
         .help = "user (the default): all your projects. project: .claude/settings.json of this "
                 "folder.",
         .target = &scope_,
         .choices = {"user", "project"}},
        {.names = "--before-dialog",
         .help = "With --install: Claude Code's own question dialog is shown only if nobody "
                 "answers through the broker. Default: both at once, the first answer counts.",
         .target = &before_dialog_},
        {.names = "--questions-only",
         .help = "With --install: leave permission prompts to Claude Code.",
         .target = &questions_only_},
    };
}

CommandSpec HookClaudeCommand::spec() {
    CommandSpec spec{
        .about =
            "The hook command of Claude Code: its questions, permission prompts and MCP forms "
            "are asked through the broker and can be answered from everywhere. Without a "
            "broker it keeps out of the way.",
        .options =
            {{.names = "--timeout",
              .value = "TIME",
              .help = "How long a question waits: 90s, 10m, 1h30m. Default: for ever.",
              .target = &timeout_,
              .setting = "hook.timeout"},
             {.names = "--on-timeout",
              .value = "WHAT",
              .help = "What then happens. abstain, the default: Claude Code's own dialog. deny: "
                      "the model is told that nobody answered. empty: the questions count as not "
                      "answered and the model goes on.",
              .target = &on_timeout_,
              .setting = "hook.on_timeout",
              .choices = {"abstain", "deny", "empty"}},
             {.names = "--defer",
              .help = "For runs without a terminal: Claude Code ends at once, the question stays, "
                      "and 'parley run claude --resume ID' goes on with the answer.",
              .target = &defers_},
             {.names = "--hook-timeout",
              .value = "TIME",
              .help = "The time that Claude Code gives this hook; it abstains shortly before. "
                      "--install sets both.",
              .target = &limit_}},
        .examples = {{"parley hook claude --install", "Then start Claude Code as always."},
                     {"parley hook claude --install --scope project --questions-only",
                      "Only questions, only in this project."},
                     {"parley hook claude --uninstall", "As if they had never been there."},
                     {"parley hook claude --install --before-dialog --defer",
                      "For runs without a terminal."}}};
    for (OptionSpec& option : setup_options()) spec.options.push_back(std::move(option));
    return spec;
}

Result<claude::HookRules> HookClaudeCommand::rules() const {
    claude::HookRules rules{.defers = defers_};
    if (timeout_) {
        auto timeout = parse_duration(*timeout_);
        if (!timeout) return reject(ErrorCode::invalid, "--timeout: {}", timeout.error().message);
        rules.timeout = *timeout;
    }
    const auto what = claude::read_on_timeout(on_timeout_.value_or("abstain"));
    ASSERT(what);  // one of the choices
    rules.on_timeout = *what;
    if (on_timeout_ && !timeout_)
        return reject(ErrorCode::invalid, "--on-timeout needs a --timeout");
    return rules;
}

Result<std::optional<Millis>> HookClaudeCommand::limit() const {
    if (!limit_) return std::optional<Millis>();
    auto limit = parse_duration(*limit_);
    if (!limit) return reject(ErrorCode::invalid, "--hook-timeout: {}", limit.error().message);
    // Of a short time most is left for the person.
    return std::optional<Millis>(*limit - std::min<Millis>(limits::kHookMargin, *limit / 5));
}

// What Claude Code is to run: this program, with the options that matter each time.
std::string HookClaudeCommand::hook_command(const RunContext& context) const {
    const auto seconds = std::chrono::seconds(limits::kHookTimeout).count();
    std::string command = fmt::format("{} hook claude --hook-timeout {}", own_command(), seconds);
    if (context.global.server) command += " --server " + shell_quoted(*context.global.server);
    // The hook runs wherever Claude Code does.
    std::error_code error;
    if (context.global.ca)
        command += " --ca " + shell_quoted(std::filesystem::absolute(*context.global.ca, error));
    if (timeout_) command += " --timeout " + shell_quoted(*timeout_);
    if (on_timeout_) command += fmt::format(" --on-timeout {}", *on_timeout_);
    if (defers_) command += " --defer";
    return command;
}

ExitCode HookClaudeCommand::set_up(const RunContext& context) const {
    if (installs_ && uninstalls_)
        return context.refuse_usage("--install and --uninstall exclude each other");
    const ClaudeScope where = scope_ == "project" ? ClaudeScope::project : ClaudeScope::user;
    if (uninstalls_) return uninstall_claude_hooks(context, where);
    return install_claude_hooks(context, {.scope = where,
                                          .hooks = {.command = hook_command(context),
                                                    .timeout = limits::kHookTimeout,
                                                    .before_dialog = before_dialog_ || defers_,
                                                    .questions_only = questions_only_}});
}

// The end of the transcript, where Claude Code writes its version into every line.
std::string transcript_tail(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) return {};
    const auto size = static_cast<std::streamoff>(file.tellg());
    const auto want =
        std::min<std::streamoff>(size, static_cast<std::streamoff>(limits::kTranscriptTailBytes));
    std::string tail(static_cast<std::size_t>(want), '\0');
    file.seekg(size - want);
    file.read(tail.data(), want);
    return file ? tail : std::string();
}

std::optional<pid_t> claude_pid(const Environment& environment) {
    const auto text = environment.find("CLAUDE_PID");
    pid_t pid = 0;
    if (!text) return std::nullopt;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), pid);
    if (error != std::errc() || end != text->data() + text->size() || pid <= 0) return std::nullopt;
    return pid;
}

// One hook call on its way, with all that may end it early.
class HookRun {
public:
    HookRun(const RunContext& context, claude::HookCall call, claude::HookRules rules)
        : context_(context), call_(std::move(call)), rules_(rules) {}

    ExitCode run(std::optional<Millis> limit) {
        loop_.on_signals({SIGTERM, SIGINT, SIGHUP},
                         [this](int) { give_up("Claude Code has ended this hook"); });
        reader_ = net::ProcessWatch::reader(loop_, Console::kOut,
                                            [this] { give_up("Claude Code is gone"); });
        if (const auto pid = claude_pid(context_.environment))
            process_ =
                net::ProcessWatch::process(loop_, *pid, [this] { give_up("Claude Code is gone"); });
        if (limit)
            loop_.post_at(loop_.now() + *limit,
                          [this] { give_up("the time that Claude Code gives a hook is over"); });
        open_server({.loop = loop_,
                     .environment = context_.environment,
                     .global = context_.global,
                     .door = door_names::kClaude},
                    [this](Result<std::unique_ptr<BrokerAccess>> opened) {
                        if (!opened) return finish({.error = opened.error()});
                        access_ = std::move(*opened);
                        start();
                    });
        loop_.run();
        return ExitCode::done;
    }

private:
    void start() {
        RandomBits random = system_random();
        ClaudeHook::Options options{.rules = rules_, .nonce = fmt::format("{:016x}", random())};
        options.needs_context = [transcript = call_.transcript] {
            return !claude::takes_answers(transcript_tail(transcript));
        };
        hook_ = std::make_unique<ClaudeHook>(
            access_->link(), std::move(call_), std::move(options),
            [this](ClaudeHook::Ending ending) { finish(std::move(ending)); });
        hook_->start();
    }

    // Claude Code kills what does not end soon; better to leave an ask behind than to be killed in
    // the middle of a line.
    void give_up(std::string reason) {
        if (!hook_) return finish({});
        hook_->give_up(std::move(reason));
        loop_.post_at(loop_.now() + limits::kHookWithdrawal, [this] { finish({}); });
    }

    void finish(ClaudeHook::Ending ending) {
        if (std::exchange(is_over_, true)) return;
        if (ending.error) context_.complain(ending.error->message);
        for (const Fault& warning : ending.warnings)
            context_.complain(fmt::format("left out {}: {}", warning.path, warning.detail));
        if (!ending.output.empty()) context_.console.print(ending.output + "\n");
        loop_.stop();
    }

    const RunContext& context_;
    claude::HookCall call_;
    claude::HookRules rules_;
    net::Loop loop_;
    std::unique_ptr<BrokerAccess> access_;
    std::unique_ptr<ClaudeHook> hook_;
    net::ProcessWatch reader_;
    net::ProcessWatch process_;
    bool is_over_ = false;
};

ExitCode HookClaudeCommand::answer(const RunContext& context) {
    auto rules = this->rules();
    if (!rules) return context.refuse_usage(rules.error().message);
    const auto limit = this->limit();
    if (!limit) return context.refuse_usage(limit.error().message);
    if (context.console.is_in_tty()) {
        return context.refuse_usage(
            "this is what Claude Code runs, with JSON on stdin; to set it up: parley hook claude "
            "--install");
    }
    const auto text = read_file("-", limits::kChildLineBytes);
    if (!text) return context.fail(text.error());
    auto call = claude::read_hook_call(*text);
    if (!call) return context.fail(call.error());
    // `parley run claude` asks for its own Claude Code; a second question would be the same one.
    if (context.environment.find(claude::kDrivenVariable)) return ExitCode::done;
    return HookRun(context, std::move(*call), *rules).run(*limit);
}

ExitCode HookClaudeCommand::run(const RunContext& context) {
    if (installs_ || uninstalls_) {
        if (const auto checked = rules(); !checked)
            return context.refuse_usage(checked.error().message);
        return set_up(context);
    }
    return answer(context);
}

}  // namespace

std::unique_ptr<Command> make_hook_claude() {
    return std::make_unique<HookClaudeCommand>();
}

}  // namespace parley::app
