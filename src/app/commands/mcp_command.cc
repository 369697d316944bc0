// SPDX-License-Identifier: Apache-2.0
// parley mcp: an MCP server on standard input and output, for one client.
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <utility>

#include "app/command_line/run_context.h"
#include "app/command_line/time_options.h"
#include "app/commands/commands.h"
#include "app/limits.h"
#include "app/reach/broker_start.h"
#include "app/setup/mcp_install.h"
#include "app/terminal/line_reader.h"
#include "base/assert.h"
#include "bridge/mcp/conversation.h"
#include "client/remote_link.h"
#include "core/door_names.h"
#include "core/faults.h"
#include "core/text_rules.h"
#include "dialect/claude/hook.h"
#include "dialect/mcp/tools.h"
#include "net/loop.h"
#include "net/secret.h"
#include "text/limits.h"
#include "wire/limits.h"

namespace parley::app {

namespace {

// One message a line; what belongs to which request, the messages say themselves.
class LineOutlet final : public mcp::Outlet {
public:
    explicit LineOutlet(Console& console) : console_(console) {}

    void hold() override {}
    void send(std::string message) override { console_.print(message + "\n"); }
    void finish(std::string message, int) override { send(std::move(message)); }

private:
    Console& console_;
};

// Reads messages until the client closes its side or a signal comes, and takes back what is open.
class StdioServer {
public:
    StdioServer(const RunContext& context, mcp::ConversationOptions options)
        : context_(context), options_(std::move(options)) {}

    ExitCode run() {
        loop_.on_signals({SIGINT, SIGTERM}, [this](int) { leave(); });
        open_server_or_start({.loop = loop_,
                              .environment = context_.environment,
                              .global = context_.global,
                              .profile = kStrictProfile,
                              .door = door_names::kMcp},
                             [this](Result<std::unique_ptr<BrokerAccess>> opened) {
                                 if (!opened) return fail(opened.error());
                                 serve(std::move(*opened));
                             });
        loop_.run();
        return code_;
    }

private:
    void fail(const Error& error) {
        code_ = context_.fail(error);
        loop_.stop();
    }

    void serve(std::unique_ptr<BrokerAccess> access) {
        access_ = std::move(access);
        session_ = std::make_unique<mcp::Conversation>(
            mcp::Conversation::Wiring{
                access_->link(), loop_, loop_.clock(),
                [this](std::string message) { outlet_->send(message); },
                [this](AskId id, Done<std::string> done) { find_page(id, std::move(done)); }},
            std::move(options_));
        read_next();
    }

    // The page signs in whoever opens it first.
    void find_page(AskId id, Done<std::string> done) {
        access_->remote()->make_sign_in_link(
            std::nullopt,
            [id, done = std::move(done)](const Result<native::SignInLink>& link) mutable {
                if (!link) return done(reject(link.error()));
                done(native::ask_address(link->url, id));
            });
    }

    void read_next() {
        reader_.next([this](std::optional<std::string> line) {
            if (!line) return leave();
            // Blank lines are nothing; a batch is answered message by message.
            if (!is_blank(*line)) {
                for (auto& message : wire::rpc::parse(*line).messages)
                    session_->take(std::move(message), outlet_);
            }
            if (context_.console.has_lost_output()) return leave();
            read_next();
        });
    }

    void leave() {
        if (!session_ || std::exchange(is_leaving_, true)) return loop_.stop();
        session_->leave([this] { loop_.stop(); });
        loop_.post_at(loop_.now() + limits::kMcpFarewell, [this] { loop_.stop(); });
    }

    const RunContext& context_;
    mcp::ConversationOptions options_;
    net::Loop loop_;
    ExitCode code_ = ExitCode::done;
    std::unique_ptr<BrokerAccess> access_;
    std::shared_ptr<LineOutlet> outlet_ = std::make_shared<LineOutlet>(context_.console);
    std::unique_ptr<mcp::Conversation> session_;
    LineReader reader_{Console::kIn, loop_, limits::kBodyBytes};
    bool is_leaving_ = false;
};

// " in my-project": by this people tell one agent from another.
std::string folder_phrase() {
    std::error_code ignored;
    const auto folder = std::filesystem::current_path(ignored).filename().string();
    Faults faults;
    check_text(folder, name_rule("the folder"), {}, faults);
    if (!faults.empty() || folder.size() > limits::kFolderNameBytes) return {};
    return " in " + folder;
}

class McpCommand final : public Command {
public:
    CommandSpec spec() override;
    ExitCode run(const RunContext& context) override;

private:
    [[nodiscard]] Result<mcp::ConversationOptions> session_options() const;
    ExitCode install(const RunContext& context) const;

    std::optional<std::string> install_;
    std::optional<std::string> uninstall_;
    bool writes_ = false;
    std::optional<std::string> session_;
    std::optional<std::string> wait_;
    std::optional<std::string> timeout_;
    bool has_no_forms_ = false;
    std::optional<std::string> era_;
    std::optional<std::string> tool_name_;
};

CommandSpec McpCommand::spec() {
    return {
        .about =
            "An MCP server on standard input and output, with the tools ask_user, wait_answer "
            "and notify_user. Agents start it by themselves once they are told to. It uses the "
            "broker that runs, or starts one in the background.",
        .options = {{.names = "--install",
                     .value = "CLIENT",
                     .help = "Print the configuration by which a client starts this: claude, "
                             "codex, gemini, qwen, copilot, cline, cursor, vscode or opencode",
                     .target = &install_,
                     .choices = mcp_clients()},
                    {.names = "--uninstall",
                     .value = "CLIENT",
                     .help = "Take out of a client's files what --install --write put there",
                     .target = &uninstall_,
                     .choices = mcp_clients()},
                    {.names = "--write",
                     .help = "With --install: write it into the client's file, and keep what "
                             "is there",
                     .target = &writes_},
                    {.names = "--session",
                     .value = "NAME",
                     .help = "Where its asks belong (default: PARLEY_SESSION, else one a client)",
                     .target = &session_,
                     .setting = "mcp.session"},
                    {.names = "--wait",
                     .value = "TIME",
                     .help = "How long a call waits before it says that the question is still "
                             "open, such as 50s or 10m; 0 is as long as it takes (default: as "
                             "the client allows, or 50s)",
                     .target = &wait_,
                     .setting = "mcp.wait"},
                    {.names = "--timeout",
                     .value = "TIME",
                     .help = "The deadline of asks that name none (default: none)",
                     .target = &timeout_,
                     .setting = "mcp.timeout"},
                    {.names = "--no-forms",
                     .help = "Do not show questions in the client as well",
                     .target = &has_no_forms_,
                     .setting = "mcp.no_forms"},
                    {.names = "--era",
                     .value = "ERA",
                     .help = "Which protocol is offered. auto, the default: 2026-07-28 too, "
                             "except to clients that serve people better in the older one. "
                             "legacy: the older one alone. modern: 2026-07-28 to everybody",
                     .target = &era_,
                     .setting = "mcp.era",
                     .choices = {"auto", "legacy", "modern"}},
                    {.names = "--tool-name",
                     .value = "NAME",
                     .help = "What the tool that asks is called (default: ask_user, and "
                             "ask_person towards Gemini CLI, which leaves ask_user out)",
                     .target = &tool_name_,
                     .setting = "mcp.tool_name"}},
        .examples = {{"claude mcp add parley -- parley mcp", "for Claude Code"},
                     {"parley mcp --install codex --write", "for Codex"},
                     {"parley mcp --wait 0", "for a client that waits as long as it takes"}}};
}

mcp::EraRule read_era(std::string_view name) {
    if (name == "legacy") return mcp::EraRule::nobody;
    return name == "modern" ? mcp::EraRule::everybody : mcp::EraRule::whom_it_serves;
}

Result<mcp::ConversationOptions> McpCommand::session_options() const {
    mcp::ConversationOptions options{.info = {.version = PARLEY_VERSION}};
    options.session = session_.value_or("");
    options.place = folder_phrase();
    options.tag = std::to_string(::getpid());
    options.may_show_forms = !has_no_forms_;
    options.seal = {.key = net::random_secret(), .principal = {}};
    TRY(hold, read_mcp_wait("--wait", wait_));
    options.hold = hold;
    TRY(timeout, read_mcp_timeout("--timeout", timeout_));
    options.timeout = timeout;
    options.era = read_era(era_.value_or("auto"));
    options.ask_tool = tool_name_.value_or("");
    if (tool_name_ && !mcp::is_ask_tool_name(*tool_name_))
        return reject(ErrorCode::invalid,
                      "--tool-name {}: expected up to 64 letters, digits and marks of _-./ that "
                      "name no other tool",
                      *tool_name_);
    return options;
}

// What is given here is given to the server each time that the client starts it.
ExitCode McpCommand::install(const RunContext& context) const {
    std::vector<std::string> options;
    const auto add = [&options](std::string_view name, const std::optional<std::string>& value) {
        if (value) options.insert(options.end(), {std::string(name), *value});
    };
    add("--server", context.global.server);
    std::error_code error;
    if (context.global.ca)
        add("--ca", std::filesystem::absolute(*context.global.ca, error).string());
    add("--session", session_);
    add("--wait", wait_);
    add("--timeout", timeout_);
    add("--era", era_);
    add("--tool-name", tool_name_);
    if (has_no_forms_) options.emplace_back("--no-forms");
    if (context.global.server)
        context.console.tell(
            "A token is not written into the file: let the client start it with PARLEY_TOKEN.\n");
    ASSERT(install_);
    return install_mcp(context, *install_, writes_ ? InstallMode::write : InstallMode::print,
                       options);
}

ExitCode McpCommand::run(const RunContext& context) {
    auto options = session_options();
    if (!options) return context.refuse_usage(options.error().message);
    if (install_ && uninstall_)
        return context.refuse_usage("--install and --uninstall exclude each other");
    if (uninstall_) return uninstall_mcp(context, *uninstall_);
    if (install_) return install(context);
    if (writes_) return context.refuse_usage("--write goes with --install");
    // Started by an agent that `parley run` drives, it asks in that agent's session.
    if (options->session.empty())
        options->session = context.environment.find("PARLEY_SESSION").value_or("");
    // A driven Claude Code would bring the form back to the broker, as a second question.
    if (context.environment.find(claude::kDrivenVariable)) options->may_show_forms = false;
    return StdioServer(context, *std::move(options)).run();
}

}  // namespace

std::unique_ptr<Command> make_mcp() {
    return std::make_unique<McpCommand>();
}

}  // namespace parley::app
