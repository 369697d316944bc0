// SPDX-License-Identifier: Apache-2.0
#include "net/websocket.h"

#include "net/websocket_peer.h"

namespace parley::net {

WebSocket& WebSocket::operator=(WebSocket&& other) noexcept {
    if (this != &other) {
        cut();
        session_ = std::move(other.session_);
    }
    return *this;
}

WebSocket::~WebSocket() {
    if (session_ && session_->is_open()) session_->cut();
}

bool WebSocket::is_open() const {
    return session_ && session_->is_open();
}

namespace {

Co<std::optional<std::string>> receive_nothing() {
    co_return std::nullopt;
}

}  // namespace

Co<std::optional<std::string>> WebSocket::receive() {
    return session_ ? session_->receive() : receive_nothing();
}

bool WebSocket::send(std::string text) {
    return session_ && session_->send(std::move(text));
}

std::size_t WebSocket::queued_bytes() const {
    return session_ ? session_->queued_bytes() : 0;
}

void WebSocket::on_queue_below(std::size_t bytes, Task task) {
    if (session_) session_->on_queue_below(bytes, std::move(task));
}

void WebSocket::set_bounds(std::size_t message_bytes_max, std::size_t queue_bytes_max) {
    if (session_) session_->set_bounds(message_bytes_max, queue_bytes_max);
}

void WebSocket::close(WsCode code, std::string_view reason) {
    if (session_) session_->close(code, reason);
}

void WebSocket::cut() {
    if (session_) session_->cut();
}

const WsClose& WebSocket::closed() const {
    static const WsClose kNever;
    return session_ ? session_->closed() : kNever;
}

void WebSocket::on_closing(Task task) {
    if (session_) session_->on_closing(std::move(task));
}

}  // namespace parley::net
