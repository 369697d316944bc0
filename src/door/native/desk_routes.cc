// SPDX-License-Identifier: Apache-2.0
// What a responder keeps beside a pending ask: GET, PUT, DELETE /v1/asks/{id}/draft, GET /v1/drafts
// and POST /v1/asks/{id}/snooze.
#include <utility>

#include "door/native/native_door.h"
#include "door/native/native_replies.h"
#include "door/sliced_reply.h"

namespace parley {

namespace {

using native::reply_problem;

void get_draft(LoopBroker& broker, net::Exchange exchange) {
    const auto id = native::path_ask(exchange);
    if (!id) return;
    const auto draft = broker.draft(*id, native::caller(exchange).principal);
    if (draft) return native::reply(exchange, 200, native::draft_document(*draft));
    const Viewer who = native::viewer(exchange);
    broker.find_ask(*id, who, [exchange = std::move(exchange)](Result<AskPtr> found) mutable {
        if (!found) return reply_problem(exchange, found.error());
        exchange.respond({.status = 204});
    });
}

void put_draft(LoopBroker& broker, net::Exchange exchange) {
    const auto id = native::path_ask(exchange);
    if (!id) return;
    auto draft = native::read_draft(exchange.body());
    if (!draft) return reply_problem(exchange, draft.error());
    const Viewer who = native::viewer(exchange);
    broker.put_draft(
        *id, who, std::move(*draft),
        [exchange = std::move(exchange)](Result<DraftReply> reply) mutable {
            if (!reply) return reply_problem(exchange, reply.error());
            if (reply->is_kept)
                return native::reply(exchange, 200, native::draft_document(*reply->draft));
            exchange.respond({.status = 409,
                              .content_type = net::kProblemJson,
                              .body = net::Body(native::draft_problem(*reply->draft))});
        });
}

void drop_draft(LoopBroker& broker, net::Exchange exchange) {
    const auto id = native::path_ask(exchange);
    if (!id) return;
    const Viewer who = native::viewer(exchange);
    DraftRequest none{.device = std::string(exchange.query().get("device"))};
    broker.put_draft(*id, who, std::move(none),
                     [exchange = std::move(exchange)](Result<DraftReply> reply) mutable {
                         if (!reply) return reply_problem(exchange, reply.error());
                         exchange.respond({.status = 204});
                     });
}

// There may be many mebibytes of them.
net::Co<void> list_drafts(const LoopBroker* broker, net::Exchange exchange) {
    const auto drafts = broker->drafts_of(native::caller(exchange).principal);
    SlicedReply reply(std::move(exchange));
    reply.text() += R"({"drafts":[)";
    bool is_first = true;
    for (const auto& [ask, draft] : drafts) {
        if (!std::exchange(is_first, false)) reply.text() += ',';
        reply.text() += native::listed_draft(ask, *draft);
        if (!co_await reply.pause()) co_return;
    }
    reply.text() += "]}";
    reply.finish();
}

void snooze_known(NativeDoor::Wiring wiring, std::shared_ptr<KnownNames> names,
                  net::Exchange exchange, const AskPtr& ask, Millis period) {
    const Viewer who = native::viewer(exchange);
    std::optional<Instant> until;
    if (period > Millis::zero()) until = wiring.clock.wall() + period;
    wiring.broker.snooze(
        ask->id, who, until,
        [wiring, names = std::move(names), ask, principal = who.principal,
         exchange = std::move(exchange)](Result<void> result) mutable {
            if (!result) return reply_problem(exchange, result.error());
            const auto* snoozes = wiring.broker.snoozes_of(principal);
            native::reply(exchange, 200,
                          native::ask_document(*ask, {.names = names.get(), .snoozes = snoozes}));
        });
}

// Another node may have opened it just now.
void snooze(NativeDoor::Wiring wiring, std::shared_ptr<KnownNames> names, net::Exchange exchange) {
    const auto id = native::path_ask(exchange);
    if (!id) return;
    const auto period = native::read_snooze(exchange.body());
    if (!period) return reply_problem(exchange, period.error());
    if (const AskPtr ask = wiring.broker.find_pending(*id, native::viewer(exchange)))
        return snooze_known(wiring, std::move(names), std::move(exchange), ask, *period);
    wiring.broker.catch_up([wiring, names = std::move(names), id = *id, period = *period,
                            exchange = std::move(exchange)]() mutable {
        const AskPtr ask = wiring.broker.find_pending(id, native::viewer(exchange));
        if (ask) return snooze_known(wiring, std::move(names), std::move(exchange), ask, period);
        reply_problem(exchange, wiring.broker.missing("there is no pending ask " + id.str()));
    });
}

}  // namespace

void NativeDoor::add_desk_routes(net::Router& router) {
    LoopBroker& broker = wiring_.broker;
    router.get(
        "/v1/asks/{id}/draft",
        [&broker](net::Exchange exchange) { get_draft(broker, std::move(exchange)); },
        route(Needs::responder));
    router.put(
        "/v1/asks/{id}/draft",
        [&broker](net::Exchange exchange) { put_draft(broker, std::move(exchange)); },
        native::json_route(Needs::responder));
    router.del(
        "/v1/asks/{id}/draft",
        [&broker](net::Exchange exchange) { drop_draft(broker, std::move(exchange)); },
        route(Needs::responder));
    router.get(
        "/v1/drafts",
        [&broker](net::Exchange exchange) { return list_drafts(&broker, std::move(exchange)); },
        route(Needs::responder));
    router.post(
        "/v1/asks/{id}/snooze",
        [this](net::Exchange exchange) { snooze(wiring_, names_, std::move(exchange)); },
        native::json_route(Needs::responder));
}

}  // namespace parley
