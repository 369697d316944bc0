// SPDX-License-Identifier: Apache-2.0
// The inside of a WebSocket: Beast's stream over our Transport, behind a wall, since its headers
// cost more to compile than all of net. Shared by the handle, by operations under way and (weakly)
// by the connection that it came from.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/loop.h"
#include "net/transport.h"
#include "net/websocket.h"
#include "wire/http_message.h"

namespace parley::net {

class WebSocketSession : public std::enable_shared_from_this<WebSocketSession> {
public:
    // `on_over` runs once, when the socket is closed for whatever reason.
    static std::shared_ptr<WebSocketSession> create(Loop& loop, Transport transport,
                                                    std::string unread, WebSocketOptions options,
                                                    Task on_over);
    virtual ~WebSocketSession() = default;

    // Server: answers the handshake in `request`.
    virtual Co<Result<void>> accept(const wire::Request* request) = 0;
    // Client: makes the handshake.
    virtual Co<Result<void>> handshake(std::string host, std::string target) = 0;

    virtual bool is_open() const = 0;
    virtual Co<std::optional<std::string>> receive() = 0;
    virtual bool send(SharedText text) = 0;
    virtual std::size_t queued_bytes() const = 0;
    virtual void on_queue_below(std::size_t bytes, Task task) = 0;
    virtual void close(WsCode code, std::string_view reason) = 0;
    virtual void cut() = 0;
    virtual const WsClose& closed() const = 0;
    virtual void on_end(UniqueFunction<void(WsClose)> handler) = 0;
    virtual void on_closing(Task task) = 0;

    // By the server's sweep, or a client's own timer.
    virtual void tick(Mono now) = 0;
    virtual void begin_drain() = 0;
    // The server ends: like cut(), but the owner is told.
    virtual void stop() = 0;
};

}  // namespace parley::net
