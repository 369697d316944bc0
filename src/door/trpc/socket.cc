// SPDX-License-Identifier: Apache-2.0
#include "door/trpc/socket.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/sizes.h"
#include "door/limits.h"
#include "door/trpc/http_request.h"
#include "door/trpc/socket_stream.h"
#include "net/limits.h"
#include "wire/header_text.h"

namespace parley::trpc {

namespace {

// The pumps keep the queue short; what can still be long is one event.
constexpr std::size_t kQueueBytes = limits::kEventQueueHigh + limits::kEventBytes;

// A stranger has parameters to send and refusals to read, and nothing else.
net::WebSocketOptions socket_options(bool is_stranger) {
    net::WebSocketOptions options;
    if (is_stranger) options.message_bytes_max = limits::kStrangerMessageBytes;
    options.queue_bytes_max = is_stranger ? limits::kStrangerQueueBytes : kQueueBytes;
    return options;
}

constexpr std::size_t kUsualDomSize = 4 * limits::kKiB;  // of a message; more is on the heap
constexpr std::string_view kNoId = "null";
constexpr std::string_view kPing = "PING";
constexpr std::string_view kPong = "PONG";
constexpr std::string_view kReconnect = R"({"id":null,"method":"reconnect"})";

std::optional<std::string> secret_in(const ConnectionParams& params) {
    if (params.token || !params.authorization) return params.token;
    const auto bearer = wire::bearer_token(*params.authorization);
    return bearer ? std::optional(std::string(*bearer)) : std::nullopt;
}

bool is_beat(std::string_view text) {
    return text == kPing || text == kPong;
}

}  // namespace

Socket::Socket(Wiring wiring, const net::Exchange& exchange)
    : wiring_(std::move(wiring)),
      peer_(exchange.peer()),
      awaits_params_(exchange.query().get("connectionParams") == "1") {
    if (const auto* caller = exchange.principal<Caller>()) caller_ = *caller;
}

net::Co<void> Socket::serve(Wiring wiring, net::Exchange exchange) {
    if (!exchange.request().wants_upgrade) {
        // A call whose name is empty.
        reply_failure(exchange,
                      {.key = FailureKey::not_found, .message = "No procedure found on path \"\""});
        co_return;
    }
    const auto self = std::make_shared<Socket>(std::move(wiring), exchange);
    {
        // Let go of once it is upgraded: the socket may last for days.
        net::Exchange request = std::move(exchange);
        auto socket = co_await request.upgrade(socket_options(!self->caller_));
        if (!socket) co_return;
        self->socket_ = std::move(*socket);
    }
    self->opened();
    while (const auto text = co_await self->socket_.receive()) {
        // What follows them waits until it is known whose it is.
        if (self->awaits_params_ && !is_beat(*text)) {
            co_await self->take_params(*text);
        } else {
            self->take(*text);
        }
    }
    self->closed();
}

void Socket::opened() {
    socket_.on_closing([weak = weak_from_this()] {
        const auto self = weak.lock();
        if (!self) return;
        self->send(std::string(kReconnect));
        self->socket_.close(net::WsCode::going_away, "the server is stopping");
    });
    if (awaits_params_) close_later(limits::kTrpcParamsTimeout, "no connectionParams came");
}

void Socket::closed() {
    if (alarm_) wiring_.alarms->drop(*alarm_);
    waiting_for_room_.clear();
    // Asks that were opened here stay; only nobody waits for them on this socket.
    std::map<std::string, Live>().swap(live_);
}

void Socket::close_later(std::chrono::seconds delay, std::string_view reason) {
    if (alarm_) wiring_.alarms->drop(*alarm_);
    alarm_ = wiring_.alarms->set(delay, [weak = weak_from_this(), reason] {
        if (const auto self = weak.lock()) self->socket_.close(net::WsCode::policy, reason);
    });
}

// Several subscriptions may wait; the socket knows one waiter.
void Socket::on_queue_below(std::size_t bytes, Task task) {
    waiting_for_room_.push_back(std::move(task));
    if (waiting_for_room_.size() > 1) return;
    socket_.on_queue_below(bytes, [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (!self) return;
        for (Task& each : std::exchange(self->waiting_for_room_, {})) each();
    });
}

void Socket::take(const std::string& text) {
    if (text == kPing) return send(std::string(kPong));
    if (text == kPong) return;
    if (caller_ && !is_still_valid(*caller_, wiring_.broker.tokens(), wiring_.clock.wall()))
        caller_.reset();
    answered_bytes_ = 0;
    std::array<unsigned char, kUsualDomSize> room;
    json::Arena arena(room.data(), room.size());
    for (auto& request : read_socket_message(text, arena)) {
        if (request) {
            take_request(std::move(*request));
        } else {
            refuse(kNoId, request.error());
        }
    }
}

net::Co<void> Socket::take_params(std::string text) {
    awaits_params_ = false;
    if (alarm_) wiring_.alarms->drop(*std::exchange(alarm_, std::nullopt));
    const auto params = read_params_message(text);
    if (!params) refuse(kNoId, params.error());
    if (auto secret = params ? secret_in(*params) : std::nullopt) {
        caller_ = co_await net::await_callback<std::optional<Caller>>(
            [this, &secret](UniqueFunction<void(std::optional<Caller>)> done) {
                wiring_.access.sign_in(peer_, *std::move(secret), std::move(done));
            });
    }
    if (caller_) {
        socket_.set_bounds(limits::kSocketMessageBytes, kQueueBytes);
        wiring_.access.watch([weak = weak_from_this()] {
            const auto self = weak.lock();
            return !self || self->is_over();
        });
    } else {
        // Closed at once, its client would open it again at once. Open, it hears what is wrong.
        close_later(limits::kTrpcRefusedLife, "no valid token");
    }
}

bool Socket::is_over() {
    if (!is_open()) return true;
    if (caller_ && is_still_valid(*caller_, wiring_.broker.tokens(), wiring_.clock.wall()))
        return false;
    socket_.close(net::WsCode::policy, "the token was revoked");
    return true;
}

std::optional<Failure> Socket::find_fault(const SocketRequest& request,
                                          const Procedure* procedure) {
    if (!caller_)
        return Failure{.key = FailureKey::unauthorized,
                       .message = "a valid token is needed: give it in connectionParams"};
    if (live_.contains(request.id))
        return Failure{.key = FailureKey::bad_request,
                       .message = fmt::format("Duplicate id {}", request.id)};
    if (live_.size() >= limits::kTrpcSocketCallsMax)
        return Failure{
            .key = FailureKey::too_many_requests,
            .message = fmt::format("{} requests are under way on this socket", live_.size())};
    if (answered_bytes_ > limits::kTrpcBatchBytes) return batch_is_full();
    if (procedure == nullptr || to_string(procedure->kind) != to_string(request.method))
        return Failure{.key = FailureKey::not_found,
                       .message = fmt::format("No \"{}\"-procedure on path \"{}\"",
                                              to_string(request.method), request.call.path)};
    return std::nullopt;
}

void Socket::take_request(SocketRequest request) {
    if (request.method == SocketRequest::Method::stop) return stop(request.id);
    const Procedure* procedure = find_procedure(request.call.path);
    if (const auto fault = find_fault(request, procedure))
        return refuse(request.id, *fault, request.call.path);
    if (procedure->is_subscription()) return subscribe(std::move(request), *procedure);
    run(std::move(request), *procedure);
}

void Socket::run(SocketRequest request, const Procedure& procedure) {
    live_.emplace(request.id, Live{});
    CallHandle call = wiring_.procedures.run(
        procedure, *caller_, request.call.input,
        [weak = weak_from_this(), id = request.id, path = procedure.path](CallResult result) {
            const auto self = weak.lock();
            if (!self) return;
            self->answered_bytes_ += counted_bytes(result);
            self->send(call_frame(id, result, path));
            self->forget(id);
        });
    // It may be done already.
    if (const auto found = live_.find(request.id); found != live_.end())
        found->second.call = std::move(call);
}

void Socket::subscribe(SocketRequest request, const Procedure& procedure) {
    auto stream = std::make_shared<SocketStream>(
        SocketStream::Wiring{{wiring_.broker, wiring_.clock}, weak_from_this()}, *caller_,
        procedure, request.id);
    live_.emplace(request.id, Live{.stream = stream});
    stream->start(request.call, std::move(request.last_event_id));
}

// Clients send this at the end of every subscription, also of those that are over.
void Socket::stop(const std::string& id) {
    const auto found = live_.find(id);
    if (found == live_.end() || !found->second.stream) return;
    live_.erase(found);
    send(state_frame(id, "stopped"));
}

void Socket::refuse(std::string_view id, const Failure& failure, std::string_view path) {
    send(call_frame(id, tl::unexpected(failure), path));
}

}  // namespace parley::trpc
