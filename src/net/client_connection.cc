// SPDX-License-Identifier: Apache-2.0
#include "net/client_connection.h"

#include <boost/asio/ip/tcp.hpp>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "base/sizes.h"
#include "net/limits.h"

namespace parley::net {

namespace {

struct Address {
    sockaddr_storage storage = {};
    socklen_t bytes = 0;
    int family() const { return storage.ss_family; }
};

Result<std::vector<Address>> unix_addresses(const wire::Url& server) {
    Address address;
    auto& local = reinterpret_cast<sockaddr_un&>(address.storage);
    local.sun_family = AF_UNIX;
    if (server.socket_path.size() >= sizeof(local.sun_path)) {
        return reject(ErrorCode::invalid, "the socket path {} is too long", server.socket_path);
    }
    std::memcpy(local.sun_path, server.socket_path.data(), server.socket_path.size());
    address.bytes = sizeof(sockaddr_un);
    return std::vector{address};
}

Co<Result<std::vector<Address>>> resolve(Loop* loop, wire::Url server) {
    if (server.scheme == wire::Url::Scheme::unix_socket) co_return unix_addresses(server);
    asio::ip::tcp::resolver resolver(loop->context());
    const std::string port = std::to_string(server.port);
    const auto [error, entries] = co_await resolver.async_resolve(server.host, port, kUseCo);
    if (error) {
        co_return reject(ErrorCode::unavailable, "cannot find {}: {}", server.host,
                         error.message());
    }
    std::vector<Address> addresses;
    for (const auto& entry : entries) {
        Address address;
        const auto endpoint = entry.endpoint();
        std::memcpy(&address.storage, endpoint.data(), endpoint.size());
        address.bytes = static_cast<socklen_t>(endpoint.size());
        addresses.push_back(address);
    }
    co_return addresses;
}

// A socket on its way; 0 or the errno that stopped it at once.
std::pair<int, int> start_connect(const Address& address) {
    const int descriptor =
        ::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return {-1, errno};
    if (address.family() != AF_UNIX) {
        const int on = 1;
        ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        ::setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    }
    const auto* generic = reinterpret_cast<const sockaddr*>(&address.storage);
    if (::connect(descriptor, generic, address.bytes) == 0) return {descriptor, 0};
    return {descriptor, errno == EINPROGRESS ? 0 : errno};
}

int pending_error(Transport& transport) {
    int error = 0;
    socklen_t size = sizeof(error);
    ::getsockopt(transport.socket().native_handle(), SOL_SOCKET, SO_ERROR, &error, &size);
    return error;
}

}  // namespace

ClientConnection::ClientConnection(Loop& loop, Transport transport)
    : transport_(std::move(transport)),
      timer_(loop.context()),
      parser_({.body_bytes_max = std::numeric_limits<std::size_t>::max()}) {}

Co<Result<std::shared_ptr<ClientConnection>>> ClientConnection::connect(
    Loop* loop, wire::Url server, std::shared_ptr<TlsClient> tls, Millis timeout) {
    const auto addresses = co_await resolve(loop, server);
    if (!addresses) co_return reject(addresses.error());
    int last_error = 0;
    for (const Address& address : *addresses) {
        const auto [descriptor, error] = start_connect(address);
        last_error = error;
        if (descriptor < 0) continue;
        auto connection = std::make_shared<ClientConnection>(
            *loop, Transport(*loop, descriptor, address.family()));
        if (error != 0) continue;
        connection->set_deadline(timeout);
        const auto writable = co_await connection->wait(Io::Kind::want_write);
        if (!writable) {
            last_error = ETIMEDOUT;
            continue;
        }
        last_error = pending_error(connection->transport_);
        if (last_error != 0) continue;
        if (server.scheme == wire::Url::Scheme::tls) {
            const auto started = connection->transport_.start_tls_client(*tls, server.host);
            if (!started) co_return reject(started.error());
            const auto done = co_await connection->handshake();
            if (!done) {
                co_return reject(ErrorCode::unavailable, "cannot speak TLS with {}: {}",
                                 server.str(), done.error().message);
            }
        }
        connection->set_deadline(std::nullopt);
        co_return connection;
    }
    co_return reject(ErrorCode::unavailable, "cannot connect to {}: {}", server.str(),
                     std::strerror(last_error));
}

void ClientConnection::set_deadline(std::optional<Millis> after) {
    if (!after) {
        timer_.cancel();
        return;
    }
    timer_.expires_after(*after);
    timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
        const auto self = weak.lock();
        if (error || !self) return;
        self->timed_out_ = true;
        self->transport_.close();
    });
}

void ClientConnection::close(ErrorCode why) {
    if (!transport_.is_open()) return;
    why_closed_ = why;
    timer_.cancel();
    transport_.close();
}

Rejection ClientConnection::lost(std::string_view what) const {
    if (timed_out_) return reject(ErrorCode::unavailable, "the server did not answer in time");
    if (why_closed_ == ErrorCode::interrupted) {
        return reject(ErrorCode::interrupted, "the request was given up");
    }
    return reject(ErrorCode::unavailable, "{}", what);
}

Co<Result<void>> ClientConnection::wait(Io::Kind kind) {
    boost::system::error_code error;
    if (!transport_.is_open()) co_return lost("the connection is closed");
    if (kind == Io::Kind::want_read) {
        std::tie(error) = co_await transport_.wait_readable(kUseCo);
    } else {
        std::tie(error) = co_await transport_.wait_writable(kUseCo);
    }
    if (!transport_.is_open() || error) co_return lost("the connection was closed");
    co_return Result<void>{};
}

Co<Result<void>> ClientConnection::handshake() {
    while (true) {
        const Io step = transport_.handshake();
        if (step.kind == Io::Kind::done) co_return Result<void>{};
        if (step.kind != Io::Kind::want_read && step.kind != Io::Kind::want_write) {
            co_return reject(ErrorCode::unavailable, "{}", transport_.tls_error());
        }
        const auto ready = co_await wait(step.kind);
        if (!ready) co_return ready;
    }
}

Co<Result<void>> ClientConnection::write(std::string bytes) {
    const auto self = shared_from_this();
    std::string_view rest = bytes;
    while (!rest.empty()) {
        if (!transport_.is_open()) co_return lost("the connection is closed");
        const iovec part{.iov_base = const_cast<char*>(rest.data()), .iov_len = rest.size()};
        const Io put = transport_.write({&part, 1});
        if (put.kind == Io::Kind::done) {
            rest.remove_prefix(put.bytes);
            continue;
        }
        if (put.kind == Io::Kind::failed || put.kind == Io::Kind::end) {
            co_return lost("the server closed the connection");
        }
        const auto ready = co_await wait(put.kind);
        if (!ready) co_return ready;
    }
    co_return Result<void>{};
}

Co<Result<bool>> ClientConnection::read_some() {
    while (true) {
        if (!transport_.is_open()) co_return lost("the connection is closed");
        std::array<char, limits::kPeerReadBytes> room;
        const Io got = transport_.read(room);
        if (got.kind == Io::Kind::done) {
            input_.append(room.data(), got.bytes);
            co_return true;
        }
        if (got.kind == Io::Kind::end) co_return false;
        if (got.kind == Io::Kind::failed) co_return lost("the connection was lost");
        const auto ready = co_await wait(got.kind);
        if (!ready) co_return reject(ready.error());
    }
}

Co<Result<void>> ClientConnection::read_head(wire::Method method) {
    const auto self = shared_from_this();
    parser_.next();
    parser_.expect_answer_to(method);
    step_ = wire::Step::need_more;
    while (true) {
        std::string_view input = input_;
        step_ = parser_.step(input);
        input_.erase(0, input_.size() - input.size());
        if (step_ == wire::Step::head) co_return Result<void>{};
        if (step_ == wire::Step::failed) {
            close(ErrorCode::unavailable);
            co_return reject(ErrorCode::unavailable, "the server's answer is not HTTP: {}",
                             parser_.fault().detail);
        }
        const auto more = co_await read_some();
        if (!more) co_return reject(more.error());
        if (!*more) {
            close(ErrorCode::unavailable);
            co_return lost("the server closed the connection without an answer");
        }
    }
}

Co<Result<std::optional<std::string>>> ClientConnection::read_body() {
    const auto self = shared_from_this();
    while (true) {
        std::string_view input = input_;
        if (step_ != wire::Step::done) step_ = parser_.step(input);
        input_.erase(0, input_.size() - input.size());
        if (step_ == wire::Step::failed) {
            close(ErrorCode::unavailable);
            co_return lost("the answer broke off");
        }
        std::string bytes = parser_.take_body();
        if (!bytes.empty()) co_return std::optional(std::move(bytes));
        if (step_ == wire::Step::done) co_return std::optional<std::string>();
        if (silence_limit_) set_deadline(silence_limit_);
        const auto more = co_await read_some();
        if (!more) co_return reject(more.error());
        if (!*more) step_ = parser_.end_of_input();
    }
}

bool ClientConnection::is_reusable() const {
    return transport_.is_open() && step_ == wire::Step::done && parser_.head().keep_alive &&
           parser_.head().status != 101 && input_.empty();
}

bool ClientConnection::is_alive() {
    std::array<char, 1> room;
    return transport_.is_open() && transport_.read(room).kind == Io::Kind::want_read;
}

}  // namespace parley::net
