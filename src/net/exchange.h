// SPDX-License-Identifier: Apache-2.0
// One request and the right to answer it. A handler owns its Exchange, may keep it for as long as
// it likes, and answers exactly once: respond(), start_stream() or upgrade(). One that is destroyed
// unanswered answers 500. The request stays readable while the Exchange lives, but for its body: a
// plain handler has that until it returns. The connection goes on to its next request when the
// Exchange is gone. Belongs to the loop's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "net/co.h"
#include "net/loop.h"
#include "net/peer.h"
#include "net/response.h"
#include "net/stream.h"
#include "net/websocket.h"
#include "wire/http_message.h"
#include "wire/url.h"

namespace parley::net {

class Connection;

class Exchange {
public:
    Exchange(Exchange&&) noexcept = default;
    Exchange& operator=(Exchange&&) = delete;
    ~Exchange();

    const wire::Request& request() const;
    // The decoded query; empty when it could not be decoded (the router has refused that already).
    const wire::Query& query() const;
    // A parameter of the route's pattern, decoded; "" if the pattern has none of that name.
    std::string_view param(std::string_view name) const;
    std::string_view header(std::string_view name) const { return request().fields.get(name); }
    const std::string& body() const { return request().body; }
    const Peer& peer() const;
    Loop& loop() const;

    // Sixteen hex digits, different for each request of this server's life; for logs.
    std::string request_id() const;

    // What the gate left here: who the caller is.
    template <class T>
    const T* principal() const {
        return static_cast<const T*>(principal_pointer());
    }

    // A header line for the answer, whichever it will be.
    void add_header(std::string_view name, std::string_view value);

    void respond(Response response);
    // Answers as the server would, in the door's own shape.
    void refuse(Refusal refusal);
    [[nodiscard]] Stream start_stream(StreamOptions options);
    // Answers 101 and gives the socket. A request that is no WebSocket handshake is answered with
    // 426 or 400 here, and the Error says so.
    [[nodiscard]] Co<Result<WebSocket>> upgrade(WebSocketOptions options = {});
    bool is_answered() const;

    // Once, in a later turn, when the client has closed its side while nothing was answered yet.
    // One that only closed its sending half is still told the answer.
    void on_peer_gone(Task task);
    // The server drains: a handler that waits for long should answer soon with what it has.
    void on_server_closing(Task task);

private:
    friend class Connection;
    explicit Exchange(std::shared_ptr<Connection> connection)
        : connection_(std::move(connection)) {}
    const void* principal_pointer() const;

    std::shared_ptr<Connection> connection_;
};

}  // namespace parley::net
