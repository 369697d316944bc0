// SPDX-License-Identifier: Apache-2.0
#include "app/serve/server_home.h"

#include <utility>

#include "app/serve/listen_address.h"
#include "app/serve/memory_watch.h"
#include "client/program/core.h"
#include "client/program/embedded_home.h"
#include "client/program/hook.h"
#include "parley/server.h"

namespace parley::program {

namespace {

Result<app::ServeOptions> serve_options(const ServerOptions& options) {
    const auto address = app::parse_listen(options.listen);
    if (!address)
        return reject(ErrorCode::invalid, "listen {}: expected HOST:PORT, like 127.0.0.1:7373",
                      options.listen);
    if (options.tls_certificate.empty() != options.tls_key.empty())
        return reject(ErrorCode::invalid, "tls_certificate and tls_key belong together");
    if (options.tls_key.empty() && !app::is_loopback(address->host))
        return reject(ErrorCode::invalid,
                      "listening on {} lets others read every token and answer on the way; give "
                      "tls_certificate and tls_key",
                      options.listen);
    app::ServeOptions serve;
    serve.host = address->host;
    serve.port = address->port;
    serve.socket = options.socket;
    serve.store_url = options.broker.store;
    serve.token_file = options.token_file;
    if (!options.tls_key.empty())
        serve.tls = net::TlsFiles{options.tls_certificate, options.tls_key};
    serve.public_url = options.public_url;
    serve.logs_life = false;
    serve.resources.memory_max = app::memory_of_machine() / 2;
    return serve;
}

}  // namespace

ServerHome::ServerHome(app::ServeOptions options, std::string principal)
    : options_(std::move(options)), principal_(std::move(principal)) {}

Result<void> ServerHome::open() {
    thread_ = std::thread([this] { loop_.run(); });
    Slot<void> started;
    loop_.post([this, &started] {
        server_ = std::make_unique<app::Server>(options_, loop_, log_);
        server_->start(
            [this, hook = Hook<void, Slot<void>*>(&started)](Result<void> outcome) mutable {
                if (outcome)
                    link_ = std::make_unique<LocalLink>(
                        LocalLink::Wiring{loop_, loop_.clock(), server_->broker()},
                        program_actor(principal_));
                hook(std::move(outcome));
            });
    });
    auto outcome = started.take();
    if (!outcome) {
        loop_.post([this] { stop_loop(); });
        thread_.join();
    }
    return outcome;
}

void ServerHome::close() {
    loop_.post([this] {
        // Not inside the server's own callback.
        server_->stop([this] { loop_.post([this] { stop_loop(); }); });
    });
    thread_.join();
}

// All who wait are interrupted here.
void ServerHome::stop_loop() {
    link_.reset();
    server_.reset();
    loop_.stop();
}

}  // namespace parley::program

namespace parley {

Server::Server(std::shared_ptr<program::Core> core, program::ServerHome& home)
    : core_(std::move(core)), home_(&home), broker_(core_) {}

Result<Server> Server::open(ServerOptions options) {
    TRY(serve, program::serve_options(options));
    auto made = std::make_unique<program::ServerHome>(std::move(serve),
                                                      std::move(options.broker.principal));
    program::ServerHome& home = *made;
    TRY(core,
        program::Core::open(std::move(made), {.resume = std::move(options.broker.resume),
                                              .on_problem = std::move(options.broker.on_problem)}));
    Server server(std::move(core), home);
    TRY(url, server.core_->call<std::string>(
                 [&home](Link&, Done<std::string> done) { done(home.server().url()); }));
    server.url_ = std::move(url);
    return server;
}

Result<std::string> Server::sign_in_url() {
    return core_->call<std::string>(
        [home = home_](Link&, Done<std::string> done) { done(home->server().sign_in_url()); });
}

}  // namespace parley
