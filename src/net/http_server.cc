// SPDX-License-Identifier: Apache-2.0
#include "net/http_server.h"

#include <cstring>
#include <utility>
#include <vector>

#include "net/connection.h"
#include "net/listener.h"
#include "net/server_core.h"

namespace parley::net {

class HttpServer::Impl {
public:
    Impl(Loop& loop, Router& router, HttpServerOptions options)
        : core(std::make_shared<ServerCore>(loop, router, std::move(options))) {
        sweep_later();
    }

    ~Impl() {
        listeners.clear();
        core->stopped = true;
        core->on_empty = {};
        core->cut_all();
    }

    void add(ListenSocket socket, std::shared_ptr<TlsServer> tls) {
        auto accept = [this](Accepted accepted) { take(std::move(accepted)); };
        auto fail = [this](int error) {
            core->report(Trouble::Kind::accept_failed, std::strerror(error), nullptr);
        };
        listeners.push_back(std::make_unique<Listener>(core->loop, std::move(socket),
                                                       std::move(tls), accept, fail));
        listeners.back()->start();
    }

    void take(Accepted accepted) {
        const bool full = core->connections.size() >= core->limits.connections_max;
        const auto connection = std::make_shared<Connection>(core, std::move(accepted));
        if (!full) return connection->start();
        ++core->counts.refused_connections_total;
        core->report(Trouble::Kind::too_many_connections, "a connection was refused",
                     &connection->peer());
        connection->refuse_connection();
    }

    // One timer for all time-outs of all connections.
    void sweep_later() {
        const std::weak_ptr<ServerCore> weak = core;
        core->loop.post_at(core->loop.now() + core->limits.sweep_interval, [this, weak] {
            const auto alive = weak.lock();
            if (!alive || alive->stopped) return;
            for (const auto& listener : listeners) listener->resume();
            alive->sweep();
            sweep_later();
        });
    }

    std::shared_ptr<ServerCore> core;
    std::vector<std::unique_ptr<Listener>> listeners;
};

HttpServer::HttpServer(Loop& loop, Router& router, HttpServerOptions options)
    : impl_(std::make_unique<Impl>(loop, router, std::move(options))) {}

HttpServer::~HttpServer() = default;

Result<std::uint16_t> HttpServer::listen_tcp(TcpListen options) {
    TRY(socket, ListenSocket::tcp(options.host, options.port));
    const std::uint16_t port = socket.port();
    impl_->add(std::move(socket), std::move(options.tls));
    return port;
}

Result<void> HttpServer::listen_unix(const std::string& path) {
    TRY(socket, ListenSocket::unix_path(path));
    impl_->add(std::move(socket), nullptr);
    return {};
}

Result<void> HttpServer::listen_inherited(int descriptor, std::shared_ptr<TlsServer> tls) {
    TRY(socket, ListenSocket::inherited(descriptor));
    impl_->add(std::move(socket), std::move(tls));
    return {};
}

void HttpServer::cut_where(const std::function<bool(const void* principal)>& is_over) {
    impl_->core->cut_where(is_over);
}

void HttpServer::drain(Millis deadline, Task done) {
    const auto core = impl_->core;
    impl_->listeners.clear();
    core->on_empty = std::move(done);
    core->begin_drain();
    if (core->connections.empty() && core->on_empty) {
        return core->loop.post(std::exchange(core->on_empty, {}));
    }
    const std::weak_ptr<ServerCore> weak = core;
    core->loop.post_at(core->loop.now() + deadline, [weak] {
        if (const auto alive = weak.lock()) alive->cut_all();
    });
}

const ServerCounts& HttpServer::counts() const {
    impl_->core->counts.held_bytes = impl_->core->held->bytes;
    return impl_->core->counts;
}

}  // namespace parley::net
