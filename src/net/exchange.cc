// SPDX-License-Identifier: Apache-2.0
#include "net/exchange.h"

#include "net/connection.h"
#include "net/websocket_peer.h"
#include "wire/header_text.h"

namespace parley::net {

namespace {

// What a request must have to become a WebSocket (RFC 6455, section 4.2.1).
std::optional<Refusal> find_handshake_fault(const wire::Request& request) {
    const auto& fields = request.fields;
    if (request.method != wire::Method::get || !request.wants_upgrade ||
        !wire::list_contains(fields.joined("upgrade"), "websocket")) {
        Refusal refusal{.status = 426, .detail = "This path speaks WebSocket."};
        refusal.headers.add("Upgrade", "websocket");
        return refusal;
    }
    if (fields.get("sec-websocket-version") != "13") {
        Refusal refusal{.status = 426, .detail = "Only WebSocket version 13 is spoken here."};
        refusal.headers.add("Sec-WebSocket-Version", "13");
        return refusal;
    }
    const auto key = wire::base64_decode(fields.get("sec-websocket-key"));
    if (!key || key->size() != 16) {
        return Refusal{.status = 400, .detail = "Sec-WebSocket-Key must be 16 bytes in base64."};
    }
    return std::nullopt;
}

}  // namespace

Exchange::~Exchange() {
    if (connection_) connection_->exchange_released();
}

const wire::Request& Exchange::request() const {
    return connection_->request();
}
const wire::Query& Exchange::query() const {
    return connection_->query();
}
std::string_view Exchange::param(std::string_view name) const {
    return connection_->param(name);
}
const Peer& Exchange::peer() const {
    return connection_->peer();
}
Loop& Exchange::loop() const {
    return connection_->core().loop;
}
std::string Exchange::request_id() const {
    return connection_->request_id();
}
const void* Exchange::principal_pointer() const {
    return connection_->principal();
}
void Exchange::add_header(std::string_view name, std::string_view value) {
    connection_->add_header(name, value);
}
void Exchange::respond(Response response) {
    connection_->respond(std::move(response));
}
void Exchange::refuse(Refusal refusal) {
    connection_->refuse(refusal);
}
Stream Exchange::start_stream(StreamOptions options) {
    if (!connection_->start_stream(std::move(options))) return {};
    return Stream(connection_);
}
Co<Result<WebSocket>> Exchange::upgrade(WebSocketOptions options) {
    if (auto refusal = find_handshake_fault(request())) {
        Error error{.code = ErrorCode::invalid, .message = refusal->detail};
        refuse(std::move(*refusal));
        co_return reject(std::move(error));
    }
    auto taken = connection_->take_transport();
    if (!taken) {
        // It has closed its side, and may still read ours.
        refuse({.status = 400, .detail = "The connection was closed within its handshake."});
        co_return reject(ErrorCode::interrupted, "the client has gone");
    }
    options.headers.append(taken->headers);
    const auto connection = connection_;
    auto session = std::make_shared<WebSocketPeer>(
        loop(), WebSocketPeer::Side::server, std::move(taken->transport), std::move(taken->unread),
        std::move(options), [connection] { connection->upgraded_closed(); },
        connection->core().held);
    connection->attach(session);
    session->accept(request());
    co_return WebSocket(std::move(session));
}
bool Exchange::is_answered() const {
    return connection_->is_answered();
}
void Exchange::on_peer_gone(Task task) {
    connection_->on_peer_gone(std::move(task));
}
void Exchange::on_server_closing(Task task) {
    connection_->on_server_closing(std::move(task));
}

}  // namespace parley::net
