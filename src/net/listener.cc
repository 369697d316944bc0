// SPDX-License-Identifier: Apache-2.0
#include "net/listener.h"

#include <arpa/inet.h>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <memory>

#include "net/limits.h"

namespace parley::net {

namespace {

Peer describe_peer(const sockaddr_storage& address, int descriptor) {
    Peer peer;
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (address.ss_family == AF_INET) {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
        ::inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
        peer.address = fmt::format("{}:{}", text.data(), ntohs(v4.sin_port));
        peer.loopback = (ntohl(v4.sin_addr.s_addr) >> 24U) == 127;
    } else if (address.ss_family == AF_INET6) {
        const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
        ::inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
        peer.address = fmt::format("[{}]:{}", text.data(), ntohs(v6.sin6_port));
        const bool mapped = IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr);
        peer.loopback = mapped ? v6.sin6_addr.s6_addr[12] == 127
                               : static_cast<bool>(IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr));
    } else {
        peer.kind = Peer::Kind::unix_socket;
        peer.loopback = true;
        ucred credentials{};
        socklen_t size = sizeof(credentials);
        if (::getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0) {
            peer.uid = credentials.uid;
            peer.pid = credentials.pid;
        }
    }
    return peer;
}

void tune(int descriptor, int family) {
    if (family == AF_UNIX) return;
    const int on = 1;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    ::setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
}

bool is_passing(int error) {
    return error == EINTR || error == ECONNABORTED || error == EPROTO || error == ENETDOWN ||
           error == EHOSTUNREACH || error == ENETUNREACH;
}

}  // namespace

struct Listener::State : std::enable_shared_from_this<Listener::State> {
    State(Loop& owner, ListenSocket bound)
        : socket(std::make_unique<ListenSocket>(std::move(bound))), waiter(owner.context()) {
        waiter.assign(socket->descriptor());
    }
    ~State() { close(); }

    void close() {
        if (!socket) return;
        // The descriptor is the ListenSocket's to close.
        waiter.release();
        socket.reset();
    }

    void wait() {
        waiter.async_wait(asio::posix::stream_descriptor::wait_read,
                          [self = shared_from_this()](boost::system::error_code error) {
                              if (!error && self->socket) self->accept_some();
                          });
    }

    void accept_some() {
        for (int i = 0; i < limits::kAcceptsPerTurn; ++i) {
            sockaddr_storage address{};
            socklen_t size = sizeof(address);
            const int descriptor =
                ::accept4(socket->descriptor(), reinterpret_cast<sockaddr*>(&address), &size,
                          SOCK_NONBLOCK | SOCK_CLOEXEC);
            if (descriptor < 0) {
                if (is_passing(errno)) continue;
                if (errno == EAGAIN || errno == EWOULDBLOCK) break;
                paused = true;
                return on_failure(errno);
            }
            tune(descriptor, socket->family());
            Accepted accepted{.descriptor = descriptor,
                              .family = socket->family(),
                              .peer = describe_peer(address, descriptor),
                              .tls = tls};
            if (tls) accepted.peer.kind = Peer::Kind::tls;
            on_accept(std::move(accepted));
            if (!socket) return;
        }
        wait();
    }

    std::unique_ptr<ListenSocket> socket;  // null once closed
    asio::posix::stream_descriptor waiter;
    std::shared_ptr<TlsServer> tls;
    UniqueFunction<void(Accepted)> on_accept;
    UniqueFunction<void(int)> on_failure;
    bool paused = false;
};

Listener::Listener(Loop& loop, ListenSocket socket, std::shared_ptr<TlsServer> tls,
                   UniqueFunction<void(Accepted)> on_accept, UniqueFunction<void(int)> on_failure)
    : state_(std::make_shared<State>(loop, std::move(socket))) {
    state_->tls = std::move(tls);
    state_->on_accept = std::move(on_accept);
    state_->on_failure = std::move(on_failure);
}

Listener::~Listener() {
    state_->close();
}

void Listener::start() {
    state_->wait();
}

void Listener::resume() {
    if (!state_->paused) return;
    state_->paused = false;
    state_->wait();
}

}  // namespace parley::net
