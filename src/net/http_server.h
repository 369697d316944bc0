// SPDX-License-Identifier: Apache-2.0
// The HTTP/1.1 server: listeners, connections, time-outs, drain. Serves what the Router says.
// Belongs to the loop's thread; must be gone before the loop is. Never logs a header's value or a
// target's query.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/limits.h"
#include "net/loop.h"
#include "net/router.h"
#include "net/tls.h"
#include "wire/limits.h"

namespace parley::net {

struct ServerLimits {
    std::size_t head_bytes_max = limits::kHttpHeadBytes;
    std::size_t target_bytes_max = limits::kHttpTargetBytes;
    std::size_t connections_max = limits::kConnectionsMax;
    Millis sweep_interval = limits::kSweepInterval;
    Millis handshake_timeout = limits::kHandshakeTimeout;
    Millis head_timeout = limits::kHeadTimeout;
    Millis body_timeout = limits::kBodyTimeout;
    Millis idle_timeout = limits::kIdleTimeout;
    Millis write_stall_timeout = limits::kWriteStallTimeout;
    Millis linger_timeout = limits::kLingerTimeout;
    std::size_t write_bytes_min = limits::kWriteBytesMin;
    std::size_t unsent_bytes = limits::kUnsentBytes;
    std::size_t held_bytes = limits::kHeldBytes;
    Millis held_patience = limits::kHeldPatience;
};

// Something the operator may want to know that belongs to no request.
struct Trouble {
    enum class Kind : std::uint8_t {
        accept_failed,
        too_many_connections,
        tls_failed,
        handler_failed,  // a handler threw, or dropped its Exchange unanswered
        stream_too_slow,
        short_of_memory,  // peers that did not move were cut
    };
    Kind kind;
    std::string_view detail;
    const Peer* peer = nullptr;
};

struct HttpServerOptions {
    ServerLimits limits = {};
    UniqueFunction<void(const Trouble&)> on_trouble = {};
};

struct ServerCounts {
    std::size_t connections = 0;
    std::size_t streams = 0;
    std::size_t websockets = 0;
    std::uint64_t accepted_total = 0;
    std::uint64_t requests_total = 0;
    std::uint64_t refused_connections_total = 0;
    std::uint64_t timed_out_total = 0;
    std::uint64_t cut_slow_total = 0;
    std::uint64_t given_up_total = 0;      // cut because all together held too much
    std::uint64_t refused_full_total = 0;  // requests, answered 503 for the same reason
    std::size_t held_bytes = 0;
};

struct TcpListen {
    std::string host = "127.0.0.1";  // an address or a name; "" = every address
    std::uint16_t port = 0;          // 0 = a free one
    std::shared_ptr<TlsServer> tls = {};
};

class HttpServer {
public:
    HttpServer(Loop& loop, Router& router, HttpServerOptions options = {});
    // Closes everything at once; owners of streams are told by their handles being closed.
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    // The port that was taken.
    [[nodiscard]] Result<std::uint16_t> listen_tcp(TcpListen options);
    // Mode 0600. A socket file whose owner is gone is replaced; a live one is refused by naming the
    // process that holds it. The file is removed at the end.
    [[nodiscard]] Result<void> listen_unix(const std::string& path);
    // A listening socket that was handed over (socket activation); TCP or Unix.
    [[nodiscard]] Result<void> listen_inherited(int descriptor, std::shared_ptr<TlsServer> tls);

    // Cuts every stream, socket and request that waits for its answer whose principal says so.
    void cut_where(const std::function<bool(const void* principal)>& is_over);

    // Stops accepting, closes idle connections, lets requests in hand finish, tells streams and
    // sockets, and cuts what is left after `deadline`. `done` runs when no connection is left.
    void drain(Millis deadline, Task done);

    const ServerCounts& counts() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace parley::net
