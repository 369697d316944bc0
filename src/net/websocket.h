// SPDX-License-Identifier: Apache-2.0
// One WebSocket, of a server or a client: text messages in both directions, a bounded queue of
// outgoing ones, pings that notice a dead peer. Belongs to the loop's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/executor.h"
#include "net/co.h"
#include "net/response.h"
#include "net/usual_bounds.h"
#include "parley/values.h"
#include "wire/websocket_frames.h"

namespace parley::net {

class WebSocketPeer;

struct WebSocketOptions {
    std::size_t message_bytes_max = usual::socket_message_bytes();
    std::size_t queue_bytes_max = usual::stream_queue_bytes();
    Millis stall_timeout = usual::write_stall_timeout();
    std::size_t write_bytes_min = usual::write_bytes_min();
    Millis ping_interval = usual::heartbeat_interval();
    Millis pong_timeout = usual::pong_timeout();
    wire::HeaderBlock headers = {};  // of the handshake
    std::string protocol = {};       // the subprotocol agreed on, "" for none
};

using WsCode = wire::WsCode;

struct WsClose {
    std::uint16_t code = static_cast<std::uint16_t>(WsCode::lost);
    std::string reason = {};
};

class WebSocket {
public:
    WebSocket() = default;
    explicit WebSocket(std::shared_ptr<WebSocketPeer> session) : session_(std::move(session)) {}
    WebSocket(WebSocket&&) noexcept = default;
    WebSocket& operator=(WebSocket&& other) noexcept;
    // Cuts the connection, unless it is closed or closing.
    ~WebSocket();

    bool is_open() const;
    // The next text message; nothing once the connection is over (see closed()). Pings, pongs and
    // closes are served only while somebody waits here. One waiter at a time.
    Co<std::optional<std::string>> receive();

    // Queues a text message, which must be UTF-8. False if the connection is over or over its
    // bound.
    bool send(std::string text);
    std::size_t queued_bytes() const;
    // Calls once when no more than `bytes` are queued (at once, in a later turn, if that is so
    // already). For owners with more to send than the queue holds.
    void on_queue_below(std::size_t bytes, Task task);

    // What the peer may send and leave unread from now on: little, until it has said who it is.
    void set_bounds(std::size_t message_bytes_max, std::size_t queue_bytes_max);

    // Sends what is queued, then the close frame; receive() ends when the peer has answered.
    void close(WsCode code = WsCode::normal, std::string_view reason = {});
    // At once, without a close frame.
    void cut();
    // Why it ended; valid after receive() gave nothing.
    const WsClose& closed() const;

    // When the server begins to drain. Without a handler the peer gets close code 1001.
    void on_closing(Task task);

private:
    std::shared_ptr<WebSocketPeer> session_;
};

}  // namespace parley::net
