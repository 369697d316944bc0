// SPDX-License-Identifier: Apache-2.0
// parley serve: runs the broker until it is told to stop.
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <utility>

#include "app/command_line/address_options.h"
#include "app/command_line/run_context.h"
#include "app/command_line/time_options.h"
#include "app/commands/commands.h"
#include "app/serve/join_options.h"
#include "app/serve/keep_options.h"
#include "app/serve/listen_address.h"
#include "app/serve/llm_serve_options.h"
#include "app/serve/notify_options.h"
#include "app/serve/opencode_options.h"
#include "app/serve/resource_options.h"
#include "app/serve/serve_ready.h"
#include "app/serve/server.h"
#include "app/serve/service_manager.h"
#include "app/serve/state_folder.h"
#include "base/assert.h"
#include "client/broker_place.h"
#include "text/time_text.h"

namespace parley::app {

namespace {

class ServeCommand final : public Command {
public:
    CommandSpec spec() override;
    ExitCode run(const RunContext& context) override;

private:
    std::vector<OptionSpec> place_options();
    std::vector<OptionSpec> safety_options();
    std::vector<OptionSpec> other_options();
    std::vector<OptionSpec> log_options();
    [[nodiscard]] Result<ServeOptions> server_options(const RunContext& context) const;
    [[nodiscard]] Result<void> check_exposure(const ListenAddress& address) const;
    [[nodiscard]] Result<void> place(const RunContext& context, ServeOptions& options) const;
    [[nodiscard]] Result<void> name(ServeOptions& options) const;
    ReadyLook look() const {
        return {.is_json = wants_json_,
                .is_detached = is_detached_,
                .has_qr = has_qr_,
                .has_sign_in = prints_sign_in_};
    }

    std::optional<std::string> listen_ = "127.0.0.1:7373";
    std::optional<std::string> socket_;
    std::optional<std::string> store_;
    std::optional<std::string> token_file_;
    std::optional<std::string> tls_cert_;
    std::optional<std::string> tls_key_;
    std::optional<std::string> log_level_ = "info";
    std::optional<std::string> chat_timeout_;
    std::optional<std::string> trpc_timeout_;
    std::optional<std::string> mcp_wait_;
    std::optional<std::string> mcp_timeout_;
    std::vector<std::string> allow_origin_;
    std::vector<std::string> allow_host_;
    std::optional<std::string> public_url_;
    OpenCodeServeOptions opencode_;
    ResourceOptions resources_;
    JoinOptions joins_;
    NotifyOptions notify_;
    KeepOptions keeps_;
    bool has_no_auth_ = false;
    bool is_insecure_ = false;
    std::optional<std::string> agent_;
    LlmServeOptions llm_;
    bool has_demo_ = false;
    bool has_qr_ = false;
    bool prints_sign_in_ = false;
    bool is_detached_ = false;
    bool logs_text_ = false;
    bool wants_json_ = false;
};

// What it serves, and where.
std::vector<OptionSpec> ServeCommand::place_options() {
    return {{.names = "--listen",
             .value = "HOST:PORT",
             .help = "Where to listen; port 0 takes a free one (default 127.0.0.1:7373)",
             .target = &listen_,
             .setting = "serve.listen"},
            {.names = "--socket",
             .value = "PATH",
             .help = "The local socket (default $XDG_RUNTIME_DIR/parley.sock, else in the state "
                     "folder), where commands on this machine find it by themselves",
             .target = &socket_,
             .setting = "serve.socket",
             .completion = Completion::file},
            {.names = "--store",
             .value = "URL",
             .help = "sqlite:PATH, memory: or postgres://… (default in $XDG_STATE_HOME/parley)",
             .target = &store_,
             .setting = "serve.store"},
            {.names = "--token-file",
             .value = "FILE",
             .help = "The owner's token, one line; made on the first start (default "
                     "$XDG_STATE_HOME/parley/token)",
             .target = &token_file_,
             .setting = "serve.token_file",
             .completion = Completion::file}};
}

// Who may reach it, and how.
std::vector<OptionSpec> ServeCommand::safety_options() {
    return {{.names = "--no-auth",
             .help = "Let everyone who reaches the port be the owner",
             .target = &has_no_auth_,
             .setting = "serve.no_auth"},
            {.names = "--tls-cert",
             .value = "FILE",
             .help = "Certificate chain (PEM); read again on SIGHUP",
             .target = &tls_cert_,
             .setting = "serve.tls_cert",
             .completion = Completion::file},
            {.names = "--tls-key",
             .value = "FILE",
             .help = "Its key (PEM)",
             .target = &tls_key_,
             .setting = "serve.tls_key",
             .completion = Completion::file},
            {.names = "--allow-origin",
             .value = "ORIGIN",
             .help = "Pages of this origin may call, e.g. 'http://localhost:*'; repeatable",
             .target = &allow_origin_,
             .setting = "serve.allow_origin"},
            {.names = "--allow-host",
             .value = "HOST",
             .help = "Another name of this server, e.g. parley.example.org, by which a proxy or "
                     "DNS reaches it; repeatable",
             .target = &allow_host_,
             .setting = "serve.allow_host"},
            {.names = "--public-url",
             .value = "URL",
             .help = "How people reach it, e.g. https://parley.example.org, where a proxy with TLS "
                     "stands before it: links, Host, Origin and cookies are made for that",
             .target = &public_url_,
             .setting = "serve.public_url"},
            {.names = "--print-sign-in",
             .help = "Print an address that signs a browser in, once, on standard output; with "
                     "--json as \"sign_in\" of the first line",
             .target = &prints_sign_in_},
            {.names = "--insecure",
             .help = "Allow listening beyond this machine without TLS or tokens",
             .target = &is_insecure_,
             .setting = "serve.insecure"}};
}

std::vector<OptionSpec> ServeCommand::other_options() {
    return {{.names = "--agent",
             .value = "AGENT",
             .help = "What serves a session without an agent when a person speaks to it: none "
                     "(default: the message is kept for the agent that comes), demo, or llm: a "
                     "model behind an API, which --api and --model name",
             .target = &agent_,
             .setting = "serve.agent",
             .choices = {"none", "demo", "llm"}},
            {.names = "--qr",
             .help = "Show the page's address as a QR code too, for a phone",
             .target = &has_qr_},
            {.names = "--demo",
             .help = "Start one demo session too, so that there is something to answer",
             .target = &has_demo_},
            {.names = "--chat-timeout",
             .value = "TIME",
             .help = "How long asks wait in sessions that the chat socket opens: 55s unless told "
                     "otherwise, 0 for ever",
             .target = &chat_timeout_,
             .setting = "serve.chat_timeout"},
            {.names = "--trpc-timeout",
             .value = "TIME",
             .help = "How long asks of tRPC's message.ask wait: 5m unless told otherwise, 0 for "
                     "ever",
             .target = &trpc_timeout_,
             .setting = "serve.trpc_timeout"},
            {.names = "--mcp-wait",
             .value = "TIME",
             .help = "How long a call of an MCP client over HTTP waits before it says that the "
                     "question is still open; 0 is as long as it takes (default: as the client "
                     "allows, or 50s)",
             .target = &mcp_wait_,
             .setting = "mcp.wait"},
            {.names = "--mcp-timeout",
             .value = "TIME",
             .help = "The deadline of asks over MCP that name none (default: none)",
             .target = &mcp_timeout_,
             .setting = "mcp.timeout"}};
}

std::vector<OptionSpec> ServeCommand::log_options() {
    return {{.names = "--detached",
             .help = "Say nothing on the start: for a broker that a command starts in the "
                     "background, which `parley doctor` then tells",
             .target = &is_detached_},
            {.names = "--log-level",
             .value = "LEVEL",
             .help = "debug, info, warning or error (default info); debug logs every request and "
                     "every ask, without what is asked",
             .target = &log_level_,
             .setting = "serve.log_level",
             .choices = {"debug", "info", "warning", "error"}},
            {.names = "--log-text",
             .help = "Log every ask with its questions and answers; without it no text of "
                     "agents and people is logged",
             .target = &logs_text_,
             .setting = "serve.log_text"},
            {.names = "--json",
             .help = "Print one JSON line when ready, and log as JSON",
             .target = &wants_json_}};
}

CommandSpec ServeCommand::spec() {
    CommandSpec spec{
        .about = "Runs the broker: agents ask it, people answer it, over HTTP and a local socket.",
        .options = place_options(),
        .examples = {{"parley serve", "run the broker on this machine"},
                     {"parley serve --listen 127.0.0.1:0 --store memory: --json",
                      "on a free port, without a file, for scripts"},
                     {"parley serve --agent llm --api anthropic --model claude-sonnet-4-5",
                      "with a model for every session that a person begins"},
                     {"parley serve --listen 0.0.0.0:7373 --tls-cert cert.pem --tls-key key.pem",
                      "reachable from other machines"},
                     {"parley serve --public-url https://parley.example.org",
                      "behind a proxy that has the certificate"}},
        .notes =
            "A TCP and a local socket that systemd hands over (LISTEN_FDS) are served instead of "
            "--listen and --socket. SIGTERM and Ctrl-C stop it: what was acknowledged is stored, "
            "and asks that wait go "
            "on waiting in the store.",
    };
    for (const auto& group :
         {safety_options(), opencode_.specs(), other_options(), llm_.specs(), joins_.specs(),
          notify_.specs(), resources_.specs(), keeps_.specs(), log_options()})
        spec.options.insert(spec.options.end(), group.begin(), group.end());
    return spec;
}

Result<void> ServeCommand::check_exposure(const ListenAddress& address) const {
    if (is_loopback(address.host) || is_insecure_) return {};
    if (!tls_cert_)
        return reject(ErrorCode::invalid,
                      "listening on {} lets others read every token and answer on the way; give "
                      "--tls-cert and --tls-key, or --insecure if something else protects it",
                      address.host.empty() ? "every address" : address.host);
    if (has_no_auth_)
        return reject(ErrorCode::invalid,
                      "--no-auth on {} lets anyone answer; leave it out, or say --insecure too",
                      address.host);
    return {};
}

// Where things are kept. Folders that were named must be there; the usual one is made.
Result<void> ServeCommand::place(const RunContext& context, ServeOptions& options) const {
    const auto state = context.environment.state_folder();
    const auto socket = context.environment.default_socket();
    const bool needs_state = !store_ || !token_file_;
    if ((needs_state && !state) || (!socket_ && !socket))
        return reject(ErrorCode::invalid,
                      "there is no HOME to keep anything in; give --store, --token-file and "
                      "--socket");
    options.socket = socket_ ? std::filesystem::path(*socket_) : *socket;
    options.store_url = store_ ? *store_ : "sqlite:" + (*state / "parley.db").string();
    options.token_file = token_file_ ? std::filesystem::path(*token_file_) : *state / "token";
    // This user's broker is one with the usual store or the usual socket.
    if (state && (!store_ || !socket_)) options.place_mark = place_mark_file(*state);
    if (store_) CHECK_OK(check_folder_of_store(*store_, "--store"));
    if (token_file_) CHECK_OK(check_folder_of(options.token_file, "--token-file"));
    if (socket_) CHECK_OK(check_folder_of(options.socket, "--socket"));
    const bool is_kept_there = needs_state || (state && options.socket.parent_path() == *state);
    return is_kept_there ? make_state_folder(*state) : Result<void>();
}

// What it is called, and by whom it may be called.
Result<void> ServeCommand::name(ServeOptions& options) const {
    for (const std::string& host : allow_host_) {
        if (const auto good = check_host(host); !good)
            return reject(ErrorCode::invalid, "--allow-host {}", good.error().message);
    }
    for (const std::string& origin : allow_origin_) {
        if (const auto good = check_origin(origin); !good)
            return reject(ErrorCode::invalid, "--allow-origin {}", good.error().message);
    }
    if (public_url_) {
        auto url = check_base_url(*public_url_);
        if (!url) return reject(ErrorCode::invalid, "--public-url {}", url.error().message);
        options.public_url = std::move(*url);
    }
    options.allowed_origins = allow_origin_;
    options.allowed_hosts = allow_host_;
    return {};
}

Result<ServeOptions> ServeCommand::server_options(const RunContext& context) const {
    ASSERT(listen_);  // it has a default
    TRY(handed, handed_sockets(context.environment));
    const auto address = handed.tcp ? handed.tcp->address : parse_listen(*listen_);
    if (!address)
        return reject(ErrorCode::invalid, "--listen {}: expected HOST:PORT, like 127.0.0.1:7373",
                      *listen_);
    CHECK_OK(check_exposure(*address));
    if (tls_cert_.has_value() != tls_key_.has_value())
        return reject(ErrorCode::invalid, "--tls-cert and --tls-key belong together");
    ServeOptions options;
    options.host = address->host;
    options.port = address->port;
    if (handed.tcp) options.handed_tcp = handed.tcp->descriptor;
    CHECK_OK(place(context, options));
    if (handed.local) {
        options.handed_socket = handed.local->descriptor;
        options.socket = handed.local->path;
    }
    CHECK_OK(name(options));
    options.requires_token = !has_no_auth_;
    options.has_demo = has_demo_;
    options.has_demo_agent = agent_ == "demo";
    TRY(llm, llm_.read(context, agent_));
    options.llm = std::move(llm);
    options.logs_text = logs_text_;
    options.logs_life = wants_json_ || is_detached_ || ::isatty(STDERR_FILENO) == 0;
    TRY(chat_timeout, read_timeout("--chat-timeout", chat_timeout_, options.chat_timeout));
    options.chat_timeout = chat_timeout;
    TRY(trpc_timeout, read_timeout("--trpc-timeout", trpc_timeout_, options.trpc.ask_timeout));
    options.trpc.ask_timeout = trpc_timeout;
    TRY(mcp_wait, read_mcp_wait("--mcp-wait", mcp_wait_));
    TRY(mcp_timeout, read_mcp_timeout("--mcp-timeout", mcp_timeout_));
    options.mcp = {.hold = mcp_wait, .timeout = mcp_timeout};
    TRY(resources, resources_.read());
    options.resources = resources;
    TRY(notify, notify_.read(context.environment));
    options.notify = notify;
    TRY(keep, keeps_.read());
    options.keep = keep;
    TRY(codex, joins_.codex(context.environment));
    options.codex = codex;
    options.opencode = opencode_.read();
    if (tls_cert_) options.tls = net::TlsFiles{.certificate = *tls_cert_, .key = *tls_key_};
    return options;
}

ExitCode ServeCommand::run(const RunContext& context) {
    const auto options = server_options(context);
    if (!options) return context.refuse_usage(options.error().message);
    ASSERT(log_level_);  // it has a default
    const auto level = parse_log_level(*log_level_);
    ASSERT(level);  // one of the choices

    raise_descriptor_limit();
    net::Loop loop;
    Log log(loop.clock(),
            {.level = *level, .format = wants_json_ ? LogFormat::json : LogFormat::logfmt});
    Server server(*options, loop, log);
    ExitCode code = ExitCode::done;
    bool is_stopping = false;
    loop.on_signals({SIGTERM, SIGINT}, [&](int) {
        // The second one means it.
        if (std::exchange(is_stopping, true)) return loop.stop();
        server.stop([&loop] { loop.stop(); });
    });
    loop.on_signals({SIGHUP}, [&](int) { server.reload(); });
    loop.post([&] {
        server.start([&](Result<void> started) {
            if (started) {
                announce_ready(context.console, server, look());
                return tell_ready(context.environment);
            }
            const auto& [fault, why, places] = started.error();
            wants_json_ ? ServerLog(log).not_started(why) : context.complain(why);
            code = fault == ErrorCode::invalid ? ExitCode::usage : ExitCode::failed;
            loop.stop();
        });
    });
    loop.run();
    return code;
}

}  // namespace

std::unique_ptr<Command> make_serve() {
    return std::make_unique<ServeCommand>();
}

}  // namespace parley::app
