// SPDX-License-Identifier: Apache-2.0
// POST /v1/asks/{id}/answer, …/dismiss, …/withdraw: 200 with the settled ask, or 409 with the
// settlement that stands.
#include <utility>

#include "door/native/native_door.h"
#include "door/native/replies.h"

namespace parley {

namespace {

using native::reply_problem;

Done<SettleReply> reply_settled(net::Exchange exchange) {
    return [exchange = std::move(exchange)](Result<SettleReply> settled) mutable {
        if (!settled) return reply_problem(exchange, settled.error());
        if (settled->is_yours)
            return native::reply(exchange, 200, native::ask_document(*settled->ask));
        exchange.respond({.status = 409,
                          .content_type = net::kProblemJson,
                          .body = net::Body(native::settled_problem(*settled->ask))});
    };
}

void answer(LoopBroker& broker, net::Exchange exchange) {
    const auto id = native::path_ask(exchange);
    if (!id) return;
    auto body = native::read_answer(exchange.body());
    if (!body) return reply_problem(exchange, body.error());
    const Actor actor = native::actor(exchange, std::move(body->by));
    broker.answer(*id, std::move(body->answers), body->rules, actor,
                  reply_settled(std::move(exchange)));
}

void dismiss(LoopBroker& broker, net::Exchange exchange) {
    const auto id = native::path_ask(exchange);
    if (!id) return;
    auto body = native::read_reason(exchange.body());
    if (!body) return reply_problem(exchange, body.error());
    const Actor actor = native::actor(exchange, std::move(body->by));
    broker.dismiss(*id, std::move(body->reason), actor, reply_settled(std::move(exchange)));
}

void withdraw(LoopBroker& broker, net::Exchange exchange) {
    const auto id = native::path_ask(exchange);
    if (!id) return;
    auto body = native::read_reason(exchange.body());
    if (!body) return reply_problem(exchange, body.error());
    const Actor actor = native::actor(exchange, std::move(body->by));
    // An agent takes back its own asks only; that it may not see another's is no news to it.
    broker.find_ask(*id, [&broker, id = *id, actor, reason = std::move(body->reason),
                          exchange = std::move(exchange)](Result<AskPtr> found) mutable {
        if (!found) return reply_problem(exchange, found.error());
        if (!native::may_see(native::caller(exchange), **found))
            return native::reply_no_ask(exchange, id);
        broker.withdraw(id, std::move(reason), actor, reply_settled(std::move(exchange)));
    });
}

}  // namespace

void NativeDoor::add_settle_routes(net::Router& router) {
    LoopBroker& broker = wiring_.broker;
    router.post(
        "/v1/asks/{id}/answer",
        [&broker](net::Exchange exchange) { answer(broker, std::move(exchange)); },
        native::json_route(Needs::responder));
    router.post(
        "/v1/asks/{id}/dismiss",
        [&broker](net::Exchange exchange) { dismiss(broker, std::move(exchange)); },
        native::json_route(Needs::responder));
    router.post(
        "/v1/asks/{id}/withdraw",
        [&broker](net::Exchange exchange) { withdraw(broker, std::move(exchange)); },
        native::json_route(Needs::asker));
}

}  // namespace parley
