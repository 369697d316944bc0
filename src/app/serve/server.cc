// SPDX-License-Identifier: Apache-2.0
#include "app/serve/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/limits.h"
#include "app/serve/local_addresses.h"
#include "app/serve/own_name.h"
#include "app/serve/token_file.h"
#include "base/sizes.h"
#include "broker/limits.h"
#include "broker/mark_keys.h"
#include "core/door_names.h"
#include "dialect/native/owner.h"
#include "door/front_page.h"
#include "door/native/native_replies.h"
#include "net/process_stats.h"
#include "net/secret.h"
#include "store/engine_url.h"
#include "store/sqlite_engine.h"

namespace parley::app {

namespace {

constexpr std::string_view kOwnerToken = "owner";

// An IPv6 address stands in brackets, so that a port may follow.
std::string bracketed(const std::string& host) {
    return host.find(':') == std::string::npos ? host : fmt::format("[{}]", host);
}

std::string authority(const std::string& host, std::uint16_t port) {
    return fmt::format("{}:{}", bracketed(host), port);
}

}  // namespace

Server::Server(ServeOptions options, net::Loop& loop, Log& log)
    : options_(std::move(options)),
      loop_(loop),
      log_(log),
      told_(log),
      memory_(options_.resources.memory_max) {}

Server::~Server() {
    stop_agents();
}

void Server::start(Done<void> done) {
    if (options_.tls) {
        auto tls = net::TlsServer::load(*options_.tls);
        if (!tls) return done(reject(std::move(tls).error()));
        tls_ = std::move(*tls);
    }
    auto secret = owner_secret();
    if (!secret) return done(reject(std::move(secret).error()));
    state_key_ = net::sha256_hex("state " + *secret);
    forgo_sqlite_statistics();
    // Called on the store's thread.
    const auto on_mended = [this, end = alive_.watch()](const std::string& path) {
        loop_.post([this, end, path] {
            if (!end.expired()) told_.mended(path);
        });
    };
    auto engine = make_engine(options_.store_url, clock_, on_mended, &clock_);
    if (!engine) return done(reject(std::move(engine).error()));

    Executor* worker = &loop_;
    if (needs_thread(options_.store_url)) {
        store_thread_ = std::make_unique<LoopThread>();
        worker = store_thread_.get();
    }
    store_ = std::make_unique<Store>(std::move(*engine), Store::Wiring{*worker, loop_, clock_});
    broker_ = std::make_unique<LoopBroker>(
        LoopBroker::Wiring{loop_, clock_, *store_, system_random(),
                           std::min(limits::kLedgerBytes, options_.resources.memory_max / 2),
                           options_.resources.quota});
    keeper_ = std::make_unique<StoreKeeper>(
        StoreKeeper::Wiring{loop_, clock_, *store_, system_random(),
                            absolute_url(shown_url(options_.store_url)),
                            [this](const Result<Pruned>& pruned) { told_.pruned(pruned); }},
        options_.keep);
    broker_->on_store_news(
        [this](auto news, const std::string& detail) { told_.store(news, detail); });
    broker_->start(
        [this, secret = std::move(*secret), done = std::move(done)](Result<void> started) mutable {
            if (!started) return done(std::move(started));
            add_routes();
            put_owner_token(
                std::move(secret), [this, done = std::move(done)](Result<void> put) mutable {
                    if (!put) return done(std::move(put));
                    if (auto listening = listen(); !listening) return done(std::move(listening));
                    operations_->start(*http_);
                    check_store();
                    keeper_->start();
                    const std::string store = shown_url(options_.store_url);
                    if (options_.logs_life)
                        told_.started({url(), options_.socket.string(), store}, PARLEY_VERSION);
                    start_ask_log();
                    watch_memory();
                    join_nodes();
                    if (options_.codex) claim_join();
                    if (!options_.notify.command.empty()) start_notifier();
                    start_agents();
                    done({});
                });
        });
}

void Server::add_routes() {
    access_ = std::make_unique<Access>(
        GateOptions{
            .requires_token = options_.requires_token,
            .hosts = {},
            .allowed_origins = allowed_origins(),
            .on_use = [this](const auto& token, Instant now) { broker_->touch_token(token, now); },
            .on_news = [this](const AccessNews& news) { told_.access(news); },
            .hear_first = hear_first()},
        broker_->tokens(), clock_);
    broker_->on_revoked([this] { loop_.post(alive_.guard([this] { cut_revoked(); })); });
    native_ = std::make_unique<NativeDoor>(
        NativeDoor::Wiring{*broker_, loop_, clock_, *access_, keeper_.get()});
    opencode_ = std::make_unique<OpenCodeDoor>(
        OpenCodeDoor::Wiring{*broker_, *access_, clock_, PARLEY_VERSION}, options_.opencode);
    trpc_ = std::make_unique<TrpcDoor>(TrpcDoor::Wiring{*broker_, *access_, loop_, clock_},
                                       options_.trpc);
    operations_ = std::make_unique<Operations>(Operations::Wiring{
        *broker_, *access_, clock_, PARLEY_VERSION, [this] { return page_url() + "/"; },
        options_.llm              ? "llm"
        : options_.has_demo_agent ? "demo"
                                  : ""});
    router_.set_gate([this](net::Visit& visit) { return access_->admit(visit); });
    router_.set_options_hook([this](const net::Visit& visit, std::string_view allow) {
        return access_->answer_preflight(visit, allow);
    });
    router_.set_after_hook([this](const net::AccessRecord& record) {
        operations_->record(record);
        told_.request(record);
    });
    chat_ = std::make_unique<ChatDoor>(ChatDoor::Wiring{*broker_, clock_}, options_.chat_timeout);
    native_->add_routes(router_);
    chat_->add_routes(router_);
    opencode_->add_routes(router_);
    trpc_->add_routes(router_);
    tool_result_ = std::make_unique<ToolResultDoor>(ToolResultDoor::Wiring{*broker_, clock_});
    tool_result_->add_routes(router_);
    operations_->add_routes(router_);
    add_claude_hooks();
    add_mcp();
    sign_in_ = std::make_unique<SignIn>(
        SignIn::Wiring{*broker_, *access_, clock_, state_key_, [this] { return page_url(); }});
    sign_in_->add_routes(router_);
    add_front_page(router_, {*broker_, *sign_in_});
}

// Nodes that share a store make tokens too.
HearFirst Server::hear_first() {
    if (!broker_->is_shared()) return {};
    return hear_in_time([this](Task then) { broker_->catch_up(std::move(then)); },
                        std::make_shared<Alarms>(loop_, clock_));
}

// What a proxy sends on may have the broker's own Host beside the Origin of the name that it is
// for.
std::vector<std::string> Server::allowed_origins() const {
    std::vector<std::string> origins = options_.allowed_origins;
    if (!options_.public_url.empty()) origins.push_back(options_.public_url);
    return origins;
}

// Not inside the request that revokes, which may be the revoked one's own.
void Server::cut_revoked() {
    access_->tell_revoked();
    if (!http_) return;
    http_->cut_where([this](const void* principal) {
        return !is_still_valid(*static_cast<const Caller*>(principal), broker_->tokens(),
                               clock_.wall());
    });
    if (mcp_) mcp_->end_revoked();
}

void Server::add_claude_hooks() {
    const auto visitor = [this](const net::Exchange& exchange) {
        const Caller& who = caller(exchange);
        return ClaudeHookDoor::Visitor{std::make_unique<LocalLink>(
            LocalLink::Wiring{loop_, clock_, *broker_}, as_actor(who, door_names::kClaude))};
    };
    claude_hooks_ = std::make_unique<ClaudeHookDoor>(ClaudeHookDoor::Wiring{loop_, visitor});
    claude_hooks_->add_routes(router_, native::json_route(Needs::asker));
}

void Server::add_mcp() {
    const auto visitor = [this](const net::Exchange& exchange) {
        const Caller& who = caller(exchange);
        return mcp::Visitor{as_actor(who, door_names::kMcp), who.is_person(), [this, who] {
                                return has_live_right(who, broker_->tokens(), clock_.wall());
                            }};
    };
    const auto make_link = [this](const Actor& actor) -> std::unique_ptr<Link> {
        return std::make_unique<LocalLink>(LocalLink::Wiring{loop_, clock_, *broker_}, actor,
                                           kStrictProfile);
    };
    mcp_ = std::make_unique<mcp::McpDoor>(
        mcp::McpDoor::Wiring{loop_, *broker_, clock_, visitor, make_link,
                             [this](AskId id) { return native::ask_address(sign_in_url(), id); }},
        mcp::McpDoor::Options{.info = {.version = PARLEY_VERSION},
                              .state_key = state_key_,
                              .settings = options_.mcp});
    mcp_->add_routes(router_, route(Needs::asker));
}

Result<std::string> Server::owner_secret() {
    if (options_.token_file.empty()) return net::random_secret();
    return read_or_make_token(options_.token_file,
                              [this](const std::string& path) { told_.mended(path); });
}

// The file is what its owner changes: where it and the store differ, the file is right.
void Server::put_owner_token(std::string secret, Done<void> done) {
    Token token{.name = std::string(kOwnerToken),
                .role = Role::owner,
                .hash = net::sha256_hex(secret),
                .created_at = clock_.wall(),
                .principal = std::string(kOwnerToken),
                .person = std::string(kOwnerToken)};
    const auto known = broker_->tokens().find(token.name);
    if (known == broker_->tokens().end()) return broker_->put_token(token, std::move(done));
    if (known->second->hash == token.hash) return done({});
    token.principal = known->second->principal;
    token.person = known->second->person;
    broker_->replace_token(std::move(token), std::move(done));
}

Result<void> Server::listen() {
    net::HttpServerOptions options;
    options.on_trouble = [this](const net::Trouble& trouble) { told_.trouble(trouble); };
    options.limits.held_bytes = std::clamp(options_.resources.memory_max / 8, limits::kHeldBytesMin,
                                           options.limits.held_bytes);
    http_ = std::make_unique<net::HttpServer>(loop_, router_, std::move(options));
    CHECK_OK(listen_local());
    if (!options_.place_mark.empty()) place_mark_ = {options_.place_mark, options_.socket};
    TRY(port, listen_tcp());
    port_ = port;
    // Browsers take the name for this machine's usual addresses, and no certificate is for it.
    const bool is_usual =
        options_.host == "127.0.0.1" || options_.host == "localhost" || options_.host == "::1";
    has_own_name_ = is_usual && !tls_ && has_own_name();
    add_hosts();
    return {};
}

Result<void> Server::listen_local() {
    if (options_.handed_socket) return http_->listen_inherited(*options_.handed_socket, nullptr);
    if (options_.socket.empty()) return {};
    return http_->listen_unix(options_.socket.string());
}

Result<std::uint16_t> Server::listen_tcp() {
    if (!options_.handed_tcp)
        return http_->listen_tcp({.host = options_.host, .port = options_.port, .tls = tls_});
    CHECK_OK(http_->listen_inherited(*options_.handed_tcp, tls_));
    return options_.port;
}

void Server::add_hosts() {
    std::vector<std::string> names = {options_.host, "localhost", "127.0.0.1", "::1",
                                      std::string(kOwnName)};
    if (listens_everywhere()) {
        addresses_ = local_addresses();
        names.insert(names.end(), addresses_.begin(), addresses_.end());
        names.push_back(host_name());
    }
    const bool is_usual_port = port_ == (tls_ ? 443 : 80);
    for (const std::string& name : names) {
        access_->add_host(authority(name, port_));
        // Clients leave the scheme's own port out.
        if (is_usual_port) access_->add_host(bracketed(name));
    }
    for (const std::string& name : options_.allowed_hosts) access_->add_host(name);
    if (const auto scheme = options_.public_url.find("://"); scheme != std::string::npos)
        access_->add_host(options_.public_url.substr(scheme + 3));
}

// Before any agent comes: the others are told where it listens.
void Server::join_nodes() {
    constexpr std::size_t kIdLength = 16;
    nodes_ = std::make_unique<Nodes>(
        Nodes::Wiring{.home = loop_,
                      .clock = clock_,
                      .broker = *broker_,
                      .id = net::sha256_hex(net::random_secret()).substr(0, kIdLength),
                      .name = authority(host_name(), port_),
                      .timeout = options_.resources.node_timeout,
                      .tell = [this](std::string text) { told_.nodes(text); }});
    nodes_->start();
}

void Server::start_ask_log() {
    if (!options_.logs_text && !log_.wants(LogLevel::debug)) return;
    log_link_ = std::make_unique<LocalLink>(LocalLink::Wiring{loop_, clock_, *broker_},
                                            unrestricted_actor("log", {}));
    ask_log_ = std::make_unique<AskLog>(
        *log_link_, log_, options_.logs_text ? AskLog::Content::text : AskLog::Content::ids);
    ask_log_->start();
}

void Server::start_notifier() {
    notify_link_ = std::make_unique<LocalLink>(LocalLink::Wiring{loop_, clock_, *broker_},
                                               unrestricted_actor("notify", {}));
    notifier_ = std::make_unique<Notifier>(
        Notifier::Wiring{
            .link = *notify_link_,
            .home = loop_,
            .clock = clock_,
            .told = told_,
            .address = [this](AskId id) { return native::ask_address(page_url() + "/", id); },
            .run =
                [this](net::ProgramRun run, Notifier::Ended ended) {
                    net::run_program(loop_, std::move(run), std::move(ended));
                },
            .claim =
                [this](std::string_view event, AskId ask, auto done) {
                    nodes_->claim(fmt::format("{}{}/{}", marks::kTold, event, ask.str()),
                                  limits::kNotifyClaimLife, std::move(done));
                }},
        options_.notify);
    notifier_->start();
}

void Server::check_store() {
    store_->check();
    loop_.post_at(loop_.now() + limits::kStoreCheckPeriod, alive_.guard([this] { check_store(); }));
}

// Before the machine refuses memory, the broker refuses new work.
void Server::watch_memory() {
    const std::size_t bytes = net::read_resident_bytes();
    const bool is_short = memory_.is_short(bytes);
    if (is_short != std::exchange(is_short_of_memory_, is_short)) {
        broker_->set_short_of_memory(is_short);
        told_.memory(is_short, bytes, options_.resources.memory_max);
    }
    loop_.post_at(loop_.now() + limits::kMemoryLookPeriod,
                  alive_.guard([this] { watch_memory(); }));
}

void Server::stop(Task done) {
    if (options_.logs_life) told_.stopping();
    stop_agents();
    Task over = [this, done = std::move(done)]() mutable {
        if (options_.logs_life) told_.stopped();
        done();
    };
    if (!http_ || !nodes_) {
        loop_.post(std::move(over));
        return;
    }
    http_->drain(limits::kDrainDeadline, [this, over = std::move(over)]() mutable {
        nodes_->stop([this, over = std::move(over)]() mutable { broker_->stop(std::move(over)); });
    });
}

void Server::reload() {
    if (!tls_) return;
    told_.certificate(tls_->reload());
}

bool Server::listens_everywhere() const {
    return options_.host.empty() || options_.host == "0.0.0.0" || options_.host == "::";
}

std::string Server::url_of(const std::string& host) const {
    return (tls_ ? "https://" : "http://") + authority(host, port_);
}

std::string Server::url() const {
    return url_of(listens_everywhere() ? "127.0.0.1" : options_.host);
}

std::string Server::page_url() const {
    if (!options_.public_url.empty()) return options_.public_url;
    if (has_own_name_) return url_of(std::string(kOwnName));
    return addresses_.empty() ? url() : url_of(addresses_.front());
}

std::string Server::sign_in_url() {
    if (!options_.requires_token) return page_url() + "/";
    return sign_in_->make_link();
}

}  // namespace parley::app
