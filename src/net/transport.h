// SPDX-License-Identifier: Apache-2.0
// One connected byte stream, TCP or Unix, with or without TLS, behind one type. It never blocks and
// never queues: read and write do what they can at once and say what to wait for. Owned by one
// connection, on the loop's thread.
#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "net/loop.h"
#include "net/tls.h"

struct ssl_st;

namespace parley::net {

struct Io {
    enum class Kind : std::uint8_t { done, want_read, want_write, end, failed };
    Kind kind = Kind::failed;
    std::size_t bytes = 0;
};

class Transport {
public:
    using Socket =
        asio::basic_stream_socket<asio::generic::stream_protocol, asio::io_context::executor_type>;

    // Takes over a connected, non-blocking descriptor.
    Transport(Loop& loop, int descriptor, int family);
    Transport(Transport&&) noexcept;
    Transport& operator=(Transport&&) noexcept;
    ~Transport();

    // TLS from here on; handshake() must succeed before anything else.
    void start_tls_server(const std::shared_ptr<ssl_ctx_st>& context);
    // `server_name` is what the certificate must be for.
    [[nodiscard]] Result<void> start_tls_client(const TlsClient& client,
                                                const std::string& server_name);
    Io handshake();
    // Why the handshake failed, for people.
    std::string tls_error() const;

    Io read(std::span<char> room);
    Io write(std::span<const iovec> parts);
    // Bytes are here already that no wait will announce.
    bool has_buffered() const;

    // Calls back with an error_code when the descriptor is ready, or with an error after close().
    template <class Token>
    auto wait_readable(Token&& token) {
        return socket_.async_wait(Socket::wait_read, std::forward<Token>(token));
    }
    template <class Token>
    auto wait_writable(Token&& token) {
        return socket_.async_wait(Socket::wait_write, std::forward<Token>(token));
    }

    // No more output will follow.
    void finish_writing();
    void close();
    void cancel_waits();
    bool is_open() const { return socket_.is_open(); }
    Socket& socket() { return socket_; }

private:
    struct FreeTls {
        void operator()(ssl_st* tls) const;
    };

    Io tls_outcome(int result);
    Io tls_write(std::span<const iovec> parts);

    Socket socket_;
    std::unique_ptr<ssl_st, FreeTls> tls_;
    std::string tls_error_;
};

}  // namespace parley::net
