// SPDX-License-Identifier: Apache-2.0
// POST /v1/asks/{id}/answer, …/dismiss, …/withdraw: 200 with the settled ask, or 409 with the
// settlement that stands. DELETE …/content, for the owner: what a settled ask said.
#include <memory>
#include <utility>

#include "dialect/native/settled_problem.h"
#include "door/native/native_door.h"
#include "door/native/native_replies.h"

namespace parley {

namespace {

using native::reply_problem;

struct SettleDesk {
    LoopBroker& broker;
    std::shared_ptr<native::AskTexts> texts;
    std::shared_ptr<KnownNames> names;
};

Done<SettleReply> reply_settled(const SettleDesk& desk, net::Exchange exchange) {
    return [exchange = std::move(exchange), desk](Result<SettleReply> settled) mutable {
        if (!settled) return reply_problem(exchange, settled.error());
        auto told = [exchange = std::move(exchange), desk, reply = *settled]() mutable {
            const native::Shown shown{.names = desk.names.get(), .texts = desk.texts.get()};
            if (reply.is_yours)
                return native::reply(exchange, 200, native::ask_document(*reply.ask, shown));
            exchange.respond({.status = 409,
                              .content_type = net::kProblemJson,
                              .body = net::Body(native::settled_problem(*reply.ask, shown))});
        };
        desk.names->look_up({&settled->ask, 1}, std::move(told));
    };
}

void answer(const SettleDesk& desk, net::Exchange exchange) {
    const auto id = native::path_ask(exchange);
    if (!id) return;
    auto body = native::read_answer(exchange.body());
    if (!body) return reply_problem(exchange, body.error());
    const Actor actor = native::actor(exchange, std::move(body->by));
    desk.broker.answer(*id, std::move(body->answers), body->rules, actor,
                       reply_settled(desk, std::move(exchange)));
}

void dismiss(const SettleDesk& desk, net::Exchange exchange) {
    const auto id = native::path_ask(exchange);
    if (!id) return;
    auto body = native::read_reason(exchange.body());
    if (!body) return reply_problem(exchange, body.error());
    const Actor actor = native::actor(exchange, std::move(body->by));
    desk.broker.dismiss(*id, std::move(body->reason), actor,
                        reply_settled(desk, std::move(exchange)));
}

void withdraw(const SettleDesk& desk, net::Exchange exchange) {
    const auto id = native::path_ask(exchange);
    if (!id) return;
    auto body = native::read_reason(exchange.body());
    if (!body) return reply_problem(exchange, body.error());
    const Actor actor = native::actor(exchange, std::move(body->by));
    desk.broker.withdraw(*id, std::move(body->reason), actor,
                         reply_settled(desk, std::move(exchange)));
}

void delete_content(const SettleDesk& desk, net::Exchange exchange) {
    const auto id = native::path_ask(exchange);
    if (!id) return;
    const Viewer viewer = native::viewer(exchange);
    desk.broker.delete_content(
        *id, viewer, [exchange = std::move(exchange), desk](Result<AskPtr> ask) mutable {
            if (!ask) return reply_problem(exchange, ask.error());
            auto told = [exchange = std::move(exchange), desk, ask = *ask]() mutable {
                const native::Shown shown{.names = desk.names.get(), .texts = desk.texts.get()};
                native::reply(exchange, 200, native::ask_document(*ask, shown));
            };
            desk.names->look_up({&*ask, 1}, std::move(told));
        });
}

}  // namespace

void NativeDoor::add_settle_routes(net::Router& router) {
    const SettleDesk desk{wiring_.broker, texts_, names_};
    router.post(
        "/v1/asks/{id}/answer",
        [desk](net::Exchange exchange) { answer(desk, std::move(exchange)); },
        native::json_route(Needs::responder));
    router.post(
        "/v1/asks/{id}/dismiss",
        [desk](net::Exchange exchange) { dismiss(desk, std::move(exchange)); },
        native::json_route(Needs::responder));
    router.post(
        "/v1/asks/{id}/withdraw",
        [desk](net::Exchange exchange) { withdraw(desk, std::move(exchange)); },
        native::json_route(Needs::asker));
    router.del(
        "/v1/asks/{id}/content",
        [desk](net::Exchange exchange) { delete_content(desk, std::move(exchange)); },
        route(Needs::owner));
}

}  // namespace parley
