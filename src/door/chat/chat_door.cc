// SPDX-License-Identifier: Apache-2.0
#include "door/chat/chat_door.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "broker/mark_keys.h"
#include "dialect/native/server.h"
#include "door/access.h"
#include "door/chat/chat_connection.h"
#include "door/limits.h"
#include "door/native/native_replies.h"
#include "net/secret.h"
#include "text/limits.h"

namespace parley {

namespace {

// How a chat app asks for a session of its own.
constexpr std::string_view kNewSession = "new";
constexpr native::NumberRange kTimeoutRange = {
    .max = std::chrono::seconds(limits::kTimeoutMax).count()};

net::WebSocketOptions socket_options() {
    net::WebSocketOptions options;
    // The pump keeps the queue short; what can still be long is one event.
    options.queue_bytes_max = limits::kEventQueueHigh + limits::kEventBytes;
    return options;
}

// Why a session cannot be joined; nothing if it can.
std::string_view refusal_of(const Result<SessionPtr>& session) {
    if (!session) return "Session not found";
    return (*session)->ended_at ? "Session ended" : "";
}

}  // namespace

void ChatDoor::add_routes(net::Router& router) {
    wiring_.broker.on_mark(std::string(marks::kSeat), [this](const std::string& key,
                                                             const MarkPtr& seat) {
        const auto session = SessionId::parse(std::string_view(key).substr(marks::kSeat.size()));
        if (session && seat) seats_.moved(*session, *seat);
    });
    router.get(
        "/api/v1/chat/ws/{session}",
        [this](net::Exchange exchange) { return serve(this, std::move(exchange)); },
        route(Needs::responder));
}

std::optional<ChatDoor::Request> ChatDoor::read_request(net::Exchange& exchange) const {
    const std::string_view observe = exchange.query().get("observe");
    Request request{.session = std::string(exchange.param("session")),
                    .is_observer = observe == "1" || observe == "true",
                    .timeout = ask_timeout_};
    if (exchange.query().find("timeout_seconds")) {
        const auto seconds = native::query_number(exchange, "timeout_seconds", kTimeoutRange);
        if (!seconds) return std::nullopt;
        request.sets_timeout = true;
        request.timeout.reset();
        if (*seconds > 0) request.timeout = std::chrono::seconds(*seconds);
    }
    // What is no cursor of ours is older than everything: it gets what is pending.
    if (const auto after = exchange.query().find("after"))
        request.after = native::parse_cursor(*after).value_or(Cursor{});
    return request;
}

void ChatDoor::find_or_open(const Request& request, const Viewer& viewer, Done<SessionPtr> done) {
    const bool is_new = request.session == kNewSession;
    const auto known =
        is_new ? Result<SessionId>(SessionId()) : wiring_.broker.resolve(request.session, viewer);
    if (is_new || !known) {
        SessionRequest opening{.on_dismiss = OnDismiss::stop, .ask_timeout = request.timeout};
        if (!is_new) opening.name = request.session;
        return wiring_.broker.open_session(std::move(opening), viewer, std::move(done));
    }
    const auto* entry = wiring_.broker.find_live(request.session, viewer);
    if (entry != nullptr && request.sets_timeout && !request.is_observer)
        return wiring_.broker.set_ask_timeout(*known, request.timeout, viewer, std::move(done));
    wiring_.broker.find_session(request.session, viewer, std::move(done));
}

void ChatDoor::take_seat(SessionId session, std::string connection, Done<MarkPtr> done) {
    PutMark change{.key = marks::seat(session),
                   .at = wiring_.clock.wall(),
                   .value = fmt::format("{} {}", connection, net::random_secret())};
    MarkPtr seat = marked_by(change);
    wiring_.broker.put_mark(std::move(change), [seat = std::move(seat), done = std::move(done)](
                                                   Result<Verdict> verdict) mutable {
        if (!verdict) return done(reject(std::move(verdict).error()));
        done(std::move(seat));
    });
}

net::Co<void> ChatDoor::serve(ChatDoor* door, net::Exchange exchange) {
    std::optional<Request> request;
    Result<SessionPtr> session = reject(ErrorCode::not_found, "no handshake");
    // A request that is no handshake opens nothing; upgrade() answers it.
    if (!exchange.header("upgrade").empty()) {
        request = door->read_request(exchange);
        if (!request) co_return;
        session = co_await net::await_callback<Result<SessionPtr>>(
            [door, request = *request, who = viewer(exchange)](Done<SessionPtr> done) {
                door->find_or_open(request, who, std::move(done));
            });
        if (!session && session.error().code != ErrorCode::not_found) {
            native::reply_problem(exchange, session.error());
            co_return;
        }
    }
    Caller caller = native::caller(exchange);
    auto socket = co_await exchange.upgrade(socket_options());
    if (!socket || !request) co_return;
    if (const std::string_view refusal = refusal_of(session); !refusal.empty()) {
        socket->send(chat::error({ErrorCode::not_found, std::string(refusal)}));
        socket->close(net::WsCode::policy, refusal);
        while (co_await socket->receive()) {
        }
        co_return;
    }
    const bool is_new = request->session == kNewSession;
    ChatConnection::Visitor visitor{
        .caller = std::move(caller),
        .connection = "conn_" + exchange.request_id(),
        .session = is_new ? (*session)->id.str() : std::move(request->session),
        .id = (*session)->id,
        .is_observer = request->is_observer,
        .after = request->after};
    if (!visitor.is_observer) {
        auto seat = co_await net::await_callback<Result<MarkPtr>>(
            [door, id = visitor.id, connection = visitor.connection](Done<MarkPtr> done) {
                door->take_seat(id, connection, std::move(done));
            });
        if (!seat) {
            socket->send(chat::error(seat.error()));
            socket->close(net::WsCode::try_later, "the seat cannot be taken now");
            co_return;
        }
        visitor.seat = std::move(*seat);
    }
    const auto connection = std::make_shared<ChatConnection>(
        ChatConnection::Wiring{door->wiring_.broker, door->wiring_.clock, door->seats_},
        std::move(visitor), std::move(*socket));
    connection->start();
    while (true) {
        const auto text = co_await connection->socket().receive();
        if (!text) break;
        connection->handle(*text);
    }
    connection->finish();
}

}  // namespace parley
