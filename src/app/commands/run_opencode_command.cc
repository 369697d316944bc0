// SPDX-License-Identifier: Apache-2.0
// parley run opencode: OpenCode as a session of the broker, on a server of its own or on one that
// runs; or all that such a server asks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <utility>

#include "agent/opencode/opencode_agent.h"
#include "agent/opencode/opencode_join.h"
#include "app/command_line/read_file.h"
#include "app/commands/commands.h"
#include "app/commands/run_flags.h"
#include "app/limits.h"
#include "app/reach/with_server.h"
#include "core/text_rules.h"
#include "net/secret.h"
#include "text/safe_text.h"

namespace parley::app {

namespace {

constexpr std::string_view kPasswordVariable = "OPENCODE_SERVER_PASSWORD";
constexpr std::string_view kUserVariable = "OPENCODE_SERVER_USERNAME";

class RunOpencodeCommand final : public Command {
public:
    CommandSpec spec() override;
    ExitCode run(const RunContext& context) override;

private:
    // Nobody is driven: what the server's own windows ask comes here.
    bool joins() const { return url_ && !flags_.prompt && !flags_.session && !flags_.resume; }

    std::vector<OptionSpec> options();
    [[nodiscard]] Result<void> check() const;
    [[nodiscard]] Result<OpencodeServer::Options> server_options(const RunContext& context) const;
    [[nodiscard]] Result<OpencodeAgent::Options> agent_options(const RunContext& context) const;
    [[nodiscard]] Result<OpencodeJoin::Options> join_options(const RunContext& context) const;
    std::string resuming(const std::string& session) const;
    ExitCode join(const RunContext& context) const;
    ExitCode drive(const RunContext& context) const;

    RunFlags flags_;
    std::optional<std::string> url_;
    std::optional<std::string> password_file_;
    std::optional<std::string> model_;
    std::optional<std::string> agent_;
};

std::vector<OptionSpec> RunOpencodeCommand::options() {
    return {{.names = "--url",
             .value = "URL",
             .help = "Where an OpenCode server runs (`opencode serve`, or `opencode "
                     "--port`). Default: one is started, and ended with the session.",
             .target = &url_},
            {.names = "--password-file",
             .value = "FILE",
             .help = "What the server wants as its password. Default: "
                     "$OPENCODE_SERVER_PASSWORD; the user is $OPENCODE_SERVER_USERNAME, "
                     "or opencode.",
             .target = &password_file_,
             .completion = Completion::file},
            flags_.session_option(),
            flags_.resume_option("ID",
                                 "Go on with a session: the one of this name that Parley ran, or "
                                 "one that OpenCode knows by this id (ses_...)."),
            {.names = "--model",
             .value = "PROVIDER/MODEL",
             .help = "The model. Default: OpenCode's.",
             .target = &model_},
            {.names = "--agent",
             .value = "NAME",
             .help = "Which of OpenCode's agents, such as plan. Default: OpenCode's.",
             .target = &agent_},
            flags_.timeout_option(),
            flags_.json_option()};
}

CommandSpec RunOpencodeCommand::spec() {
    return {
        .about =
            "Runs OpenCode as a session of the broker: its questions and permissions can be "
            "answered here and from everywhere else, and it takes messages from everywhere. Its "
            "server is started for this, or with --url one that runs already is used, and its own "
            "windows work on beside it: whoever answers first decides, and the other side closes. "
            "With --url alone nothing is run: all that the sessions of that server ask comes to "
            "the broker, until Ctrl-C.",
        .arguments = {{.name = "PROMPT",
                       .help = "What OpenCode is to do; the command ends when it has. Without it, "
                               "the session stays open for messages. Without --url it is read "
                               "from stdin where that is no terminal.",
                       .target = &flags_.prompt,
                       .is_required = false}},
        .options = options(),
        .examples = {{"parley run opencode \"Add sign-in to this app\"",
                      "Ends when OpenCode is done; its questions wait in every inbox."},
                     {"parley run opencode", "A conversation, here and from everywhere."},
                     {"parley run opencode --resume 6f1c2a34-...", "Goes on where it was left."},
                     {"parley run opencode --url http://127.0.0.1:4096",
                      "Beside your OpenCode windows: what they ask waits in every inbox too."},
                     {"parley run opencode --url http://127.0.0.1:4096 \"Write the changelog\"",
                      "A session of its own on that server."}},
        .notes = fmt::format(
            "A denial's words reach the model with it. OpenCode has no place for the words of a "
            "dismissed question, nor for those beside a permission that is given: they are its "
            "next message. What follows -- goes to `opencode serve`.\n\n{}",
            kRunExitCodes),
        .passed_on = &flags_.passed_on,
    };
}

Result<void> RunOpencodeCommand::check() const {
    if (url_ && !flags_.passed_on.empty())
        return reject(ErrorCode::invalid,
                      "what follows -- is for a server that is started; --url names one that runs");
    if (!url_ && password_file_)
        return reject(ErrorCode::invalid,
                      "--password-file is for --url; a server that is started gets a password of "
                      "its own");
    if (model_ && model_->find('/') == std::string::npos)
        return reject(ErrorCode::invalid, "--model {}: give it as PROVIDER/MODEL", *model_);
    if (joins() && (flags_.wants_json || model_ || agent_))
        return reject(ErrorCode::invalid,
                      "--json, --model and --agent are for one session: give a prompt, --session "
                      "or --resume; `parley watch --json` shows what all ask");
    return {};
}

Result<OpencodeServer::Options> RunOpencodeCommand::server_options(
    const RunContext& context) const {
    OpencodeServer::Options options;
    if (const auto user = context.environment.find(kUserVariable)) options.user = *user;
    if (const auto password = context.environment.find(kPasswordVariable))
        options.password = *password;
    if (password_file_) {
        TRY(text, read_file(*password_file_, limits::kPasswordBytes));
        options.password = std::string(trim_blanks(text));
        if (options.password.empty())
            return reject(ErrorCode::invalid, "{} has no password in it", *password_file_);
    }
    if (!url_) {
        // Who has set one can open OpenCode's own windows on it.
        if (options.password.empty()) options.password = net::random_secret();
        return options;
    }
    auto url = wire::Url::parse(*url_);
    if (!url) return reject(ErrorCode::invalid, "--url {}: {}", *url_, url.error().message);
    options.url = std::move(*url);
    return options;
}

Result<OpencodeAgent::Options> RunOpencodeCommand::agent_options(const RunContext& context) const {
    TRY(session, flags_.read_session(context, std::string(opencode::kAgent),
                                     std::string(opencode::kCalled)));
    TRY(server, server_options(context));
    auto prompt = flags_.prompt;
    if (!url_ || prompt) {
        TRY(given, read_prompt(context, prompt));
        prompt = std::move(given);
    }
    TRY(timeout, read_run_timeout(flags_.timeout));
    OpencodeAgent::Options options{
        .command = {},
        .server = std::move(server),
        .session = std::move(session),
        .choice = {.model = model_.value_or(""), .agent = agent_.value_or("")},
        .prompt = prompt,
        .ends_with_turn = prompt.has_value(),
        .timeout = timeout};
    if (!url_) {
        options.command = net::ChildOptions{
            .argv = {"opencode", "serve", "--hostname", "127.0.0.1", "--port", "0"}};
        options.command->argv.insert(options.command->argv.end(), flags_.passed_on.begin(),
                                     flags_.passed_on.end());
    }
    return options;
}

Result<OpencodeJoin::Options> RunOpencodeCommand::join_options(const RunContext& context) const {
    TRY(server, server_options(context));
    TRY(timeout, read_run_timeout(flags_.timeout));
    return OpencodeJoin::Options{.server = std::move(server), .timeout = timeout};
}

std::string RunOpencodeCommand::resuming(const std::string& session) const {
    return resuming_command(url_ ? fmt::format("opencode --url {}", *url_) : "opencode", session,
                            flags_.passed_on);
}

ExitCode RunOpencodeCommand::join(const RunContext& context) const {
    auto options = join_options(context);
    if (!options) return context.refuse_usage(options.error().message);
    return with_server(
        context,
        [&options](ServerVisit& visit) {
            auto body = std::make_shared<OpencodeJoin>(
                visit.loop, visit.link, std::move(*options),
                [&visit](std::string_view text) { visit.context.complain(escape_unsafe(text)); },
                [&visit](const Error& error) {
                    visit.context.complain(escape_unsafe(error.message));
                    visit.finish(ExitCode::failed);
                });
            visit.keep(body);
            visit.on_interrupt([&visit, join = body.get()] {
                join->stop([&visit] { visit.finish(ExitCode::interrupted); });
            });
            body->start();
        },
        door_names::kOpenCode);
}

ExitCode RunOpencodeCommand::drive(const RunContext& context) const {
    auto options = agent_options(context);
    if (!options) return context.refuse_usage(options.error().message);
    auto plan = flags_.plan(options->session, options->prompt.has_value(), options->ends_with_turn,
                            resuming(options->session.session));
    AgentRun run(context, std::move(plan), [&options](AgentRun::Wiring wiring) {
        if (options->command) {
            // By its environment, which other users cannot see, unlike its arguments.
            auto& variables = wiring.variables;
            std::erase_if(variables, [](const std::string& variable) {
                return variable.starts_with(fmt::format("{}=", kPasswordVariable)) ||
                       variable.starts_with("OPENCODE_CLIENT=");
            });
            variables.push_back(fmt::format("{}={}", kPasswordVariable, options->server.password));
            options->command->environment = std::move(variables);
        }
        return std::make_unique<OpencodeAgent>(wiring.loop, wiring.link, std::move(*options),
                                               wiring.onlooker, std::move(wiring.finished));
    });
    return run.run();
}

ExitCode RunOpencodeCommand::run(const RunContext& context) {
    if (const auto checked = check(); !checked)
        return context.refuse_usage(checked.error().message);
    return joins() ? join(context) : drive(context);
}

}  // namespace

std::unique_ptr<Command> make_run_opencode() {
    return std::make_unique<RunOpencodeCommand>();
}

}  // namespace parley::app
