// SPDX-License-Identifier: Apache-2.0
// How a WebSocket begins, on both sides.
#include <utility>

#include "base/sizes.h"
#include "net/limits.h"
#include "net/secret.h"
#include "net/websocket_peer.h"
#include "wire/header_text.h"
#include "wire/http_parser.h"
#include "wire/http_writer.h"

namespace parley::net {

namespace {

// RFC 6455, section 4.2.2.
std::string accept_key(std::string_view key) {
    return wire::base64_encode(sha1(std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"));
}

}  // namespace

void WebSocketPeer::accept(const wire::Request& request) {
    std::string head;
    wire::append_status_line(head, 101);
    wire::append_field(head, "Upgrade", "websocket");
    wire::append_field(head, "Connection", "upgrade");
    wire::append_field(head, "Sec-WebSocket-Accept",
                       accept_key(request.fields.get("sec-websocket-key")));
    send_head(std::move(head));
}

// What the owner wants to have in it is added.
void WebSocketPeer::send_head(std::string head) {
    if (!options_.protocol.empty())
        wire::append_field(head, "Sec-WebSocket-Protocol", options_.protocol);
    head.append(std::exchange(options_.headers, {}).text());
    wire::end_head(head);
    out_.copy(head);
    flush();
}

Co<Result<void>> WebSocketPeer::handshake(std::string host, std::string target) {
    const auto keep = shared_from_this();
    const std::string key = wire::base64_encode(random_bytes(16));
    std::string head;
    wire::append_request_line(head, "GET", target);
    wire::append_field(head, "Host", host);
    wire::append_field(head, "Upgrade", "websocket");
    wire::append_field(head, "Connection", "upgrade");
    wire::append_field(head, "Sec-WebSocket-Key", key);
    wire::append_field(head, "Sec-WebSocket-Version", std::uint64_t{13});
    send_head(std::move(head));
    auto unread = co_await read_handshake(key);
    if (!unread) {
        finish(WsClose{});
        co_return reject(std::move(unread.error()));
    }
    unread_ = std::move(*unread);
    co_return Result<void>{};
}

// What came after the server's answer, if that was a yes.
Co<Result<std::string>> WebSocketPeer::read_handshake(std::string key) {
    wire::ResponseParser parser;
    parser.expect_answer_to(wire::Method::get);
    std::string room(limits::kPeerReadBytes, '\0');
    while (!is_over()) {
        const Io got = transport_.read(room);
        if (got.kind == Io::Kind::want_read || got.kind == Io::Kind::want_write) {
            input_ = got.kind == Io::Kind::want_write ? Input::wants_write : Input::drained;
            co_await input_ready();
            continue;
        }
        if (got.kind != Io::Kind::done) break;
        std::string_view input(room.data(), got.bytes);
        const wire::Step step = parser.step(input);
        if (step == wire::Step::need_more) continue;
        if (step == wire::Step::failed)
            co_return reject(ErrorCode::unavailable, "the WebSocket handshake failed: {}",
                             parser.fault().detail);
        const wire::ResponseHead& head = parser.head();
        if (head.status != 101)
            co_return reject(ErrorCode::denied, "the server refused the WebSocket with status {}",
                             head.status);
        if (head.fields.get("sec-websocket-accept") != accept_key(key))
            co_return reject(ErrorCode::unavailable,
                             "the WebSocket handshake failed: the server's key is wrong");
        co_return std::string(input);
    }
    co_return reject(ErrorCode::unavailable,
                     "the WebSocket handshake failed: the connection was closed");
}

}  // namespace parley::net
