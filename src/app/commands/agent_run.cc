// SPDX-License-Identifier: Apache-2.0
#include "app/commands/agent_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <csignal>
#include <filesystem>
#include <utility>

#include "app/command_line/read_file.h"
#include "base/ids.h"
#include "broker/limits.h"
#include "core/text_rules.h"
#include "text/time_text.h"

namespace parley::app {

void AgentRun::ended(const Driver::Ending& ending) {
    using Kind = Driver::Ending::Kind;
    if (terminal_) terminal_->close();
    switch (ending.kind) {
        case Kind::done: code_ = ExitCode::done; break;
        case Kind::failed: code_ = ExitCode::failed; break;
        case Kind::stopped: code_ = ExitCode::interrupted; break;
        case Kind::session_ended: code_ = ExitCode::withdrawn; break;
    }
    if (!ending.why.empty()) context_.complain(ending.why);
    if (ending.usage && !lines_) tell_usage(*ending.usage);
    if (ending.kind != Kind::session_ended && context_.console.is_interactive())
        context_.console.tell(fmt::format("To go on: {}\n", plan_.resuming));
    if (lines_) lines_->end(ending, code_);
    child_.close(*access_, [this] { loop_.stop(); });
}

void AgentRun::tell_usage(const Driver::Usage& usage) {
    context_.console.tell(fmt::format("parley {}: used {} tokens in ({} cached), {} out\n",
                                      context_.command, usage.input, usage.cached, usage.output));
}

void AgentRun::fail(const Error& error) {
    code_ = context_.fail(error);
    loop_.stop();
}

void AgentRun::open() {
    // The children's token is made for the session, so the session comes first.
    access_->link().open_session(plan_.session, [this](const Result<SessionPtr>& session) {
        if (!session) return fail(session.error());
        admit_children();
    });
}

void AgentRun::admit_children() {
    ChildAccess::open(context_, *access_, {.agent = plan_.agent, .session = session()},
                      [this](Result<ChildAccess> child) {
                          if (!child) return fail(child.error());
                          child_ = std::move(*child);
                          start();
                      });
}

void AgentRun::start() {
    if (plan_.wants_json) {
        lines_ = std::make_unique<RunLines>(context_, session());
    } else {
        terminal_ = std::make_unique<RunTerminal>(RunTerminal::Wiring{context_, loop_, *access_},
                                                  !plan_.ends_with_turn);
    }
    Driver::Onlooker* onlooker = lines_.get();
    if (terminal_) onlooker = terminal_.get();
    driver_ = make_({loop_, access_->link(), child_.variables(context_.environment, session()),
                     *onlooker, [this](const Driver::Ending& ending) { ended(ending); }});
    if (terminal_) terminal_->attach(*driver_);
    if (context_.console.is_interactive() || !plan_.has_prompt)
        context_.console.tell(fmt::format("parley {}: session {}\n", context_.command, session()));
    driver_->start();
    if (terminal_ && !plan_.has_prompt) terminal_->show_idle(true);
}

// The first stops the turn, the next ends the agent, and whoever presses a third time means it.
void AgentRun::interrupted(int signal) {
    using Interruption = Driver::Interruption;
    if (driver_ && signal == SIGINT && driver_->interrupt() == Interruption::stopped) {
        signals_ = 1;
        return;
    }
    if (driver_ && ++signals_ < 3) return driver_->quit();
    code_ = ExitCode::interrupted;
    loop_.stop();
}

ExitCode AgentRun::run() {
    loop_.on_signals({SIGINT, SIGTERM, SIGHUP}, [this](int signal) { interrupted(signal); });
    open_server({.loop = loop_, .environment = context_.environment, .global = context_.global},
                [this](Result<std::unique_ptr<BrokerAccess>> opened) {
                    if (!opened) return fail(opened.error());
                    access_ = std::move(*opened);
                    open();
                });
    loop_.run();
    driver_.reset();
    terminal_.reset();
    lines_.reset();
    access_.reset();
    return code_;
}

std::string make_uuid() {
    RandomBits random = system_random();
    const std::uint64_t high = (random() & 0xffffffffffff0fffU) | 0x4000U;
    const std::uint64_t low = (random() & 0x3fffffffffffffffU) | 0x8000000000000000U;
    return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32U, (high >> 16U) & 0xffffU,
                       high & 0xffffU, low >> 48U, low & 0xffffffffffffU);
}

Result<std::optional<std::string>> read_prompt(const RunContext& context,
                                               const std::optional<std::string>& argument) {
    if (argument) {
        if (trim_blanks(*argument).empty())
            return reject(ErrorCode::invalid, "the prompt is empty");
        return argument;
    }
    if (context.console.is_in_tty()) return std::nullopt;
    TRY(text, read_file("-", limits::kSaidBytes));
    const std::string_view prompt = trim_blanks(text);
    if (prompt.empty()) return std::nullopt;
    return std::string(prompt);
}

std::string run_title(std::string_view agent) {
    std::error_code error;
    const std::string folder = std::filesystem::current_path(error).filename().string();
    return folder.empty() ? std::string(agent) : fmt::format("{} in {}", agent, folder);
}

std::string resuming_command(std::string_view agent, std::string_view session,
                             const std::vector<std::string>& arguments) {
    std::string command = fmt::format("parley run {} --resume {}", agent, session);
    if (!arguments.empty()) command += fmt::format(" -- {}", fmt::join(arguments, " "));
    return command;
}

Result<std::optional<Millis>> read_run_timeout(const std::optional<std::string>& option) {
    if (!option) return std::nullopt;
    auto timeout = parse_duration(*option);
    if (!timeout) return reject(ErrorCode::invalid, "--timeout: {}", timeout.error().message);
    return *timeout;
}

}  // namespace parley::app
