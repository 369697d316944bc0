// SPDX-License-Identifier: Apache-2.0
// The keeping of the store, for the owner: GET /v1/store, which it is; POST, GET and DELETE
// /v1/store/copies, a copy of it that is made while it is in use and then read in pieces; POST
// /v1/store/prune.
#include <limits>
#include <utility>

#include "dialect/native/store.h"
#include "door/native/native_door.h"
#include "door/native/native_replies.h"

namespace parley {

namespace {

using native::reply_problem;

void reply_copy(net::Exchange& exchange, int status, const Result<StoreKeeper::Copy>& copy) {
    if (!copy) return reply_problem(exchange, copy.error());
    native::reply(exchange, status,
                  native::copy_document({.id = copy->id,
                                         .bytes = copy->state.bytes,
                                         .total = copy->state.total,
                                         .is_ready = copy->state.is_whole}));
}

void read_data(StoreKeeper& keeper, net::Exchange exchange) {
    const auto offset =
        native::query_number(exchange, "offset", {.max = std::numeric_limits<std::int64_t>::max()});
    if (!offset) return;
    const std::string id(exchange.param("id"));
    keeper.read_copy(id, *offset,
                     [exchange = std::move(exchange)](Result<std::string> bytes) mutable {
                         if (!bytes) return reply_problem(exchange, bytes.error());
                         exchange.respond({.status = 200,
                                           .content_type = "application/octet-stream",
                                           .body = net::Body(std::move(*bytes))});
                     });
}

void prune(StoreKeeper& keeper, net::Exchange exchange) {
    const auto body = native::read_prune_request(exchange.body());
    if (!body) return reply_problem(exchange, body.error());
    keeper.prune({.asks = body->asks, .sessions = body->sessions, .messages = body->messages},
                 [exchange = std::move(exchange)](const Result<Pruned>& pruned) mutable {
                     if (!pruned) return reply_problem(exchange, pruned.error());
                     native::reply(exchange, 200,
                                   native::pruned_document({.asks = pruned->asks,
                                                            .sessions = pruned->sessions,
                                                            .messages = pruned->messages,
                                                            .events = pruned->events,
                                                            .has_more = pruned->has_more}));
                 });
}

}  // namespace

void NativeDoor::add_store_routes(net::Router& router) {
    StoreKeeper& keeper = *wiring_.keeper;
    router.get(
        "/v1/store",
        [&keeper](net::Exchange exchange) {
            native::reply(exchange, 200, native::store_document(keeper.url()));
        },
        route(Needs::owner));
    router.post(
        "/v1/store/copies",
        [&keeper](net::Exchange exchange) {
            keeper.begin_copy(
                [exchange = std::move(exchange)](const Result<StoreKeeper::Copy>& copy) mutable {
                    reply_copy(exchange, 201, copy);
                });
        },
        route(Needs::owner));
    router.get(
        "/v1/store/copies/{id}",
        [&keeper](net::Exchange exchange) {
            const std::string id(exchange.param("id"));
            keeper.look_at_copy(id, [exchange = std::move(exchange)](
                                        const Result<StoreKeeper::Copy>& copy) mutable {
                reply_copy(exchange, 200, copy);
            });
        },
        route(Needs::owner));
    router.get(
        "/v1/store/copies/{id}/data",
        [&keeper](net::Exchange exchange) { read_data(keeper, std::move(exchange)); },
        route(Needs::owner));
    router.del(
        "/v1/store/copies/{id}",
        [&keeper](net::Exchange exchange) {
            const std::string id(exchange.param("id"));
            keeper.drop_copy(id,
                             [exchange = std::move(exchange)](const Result<void>& gone) mutable {
                                 native::reply_done(exchange, gone);
                             });
        },
        route(Needs::owner));
    router.post(
        "/v1/store/prune",
        [&keeper](net::Exchange exchange) { prune(keeper, std::move(exchange)); },
        native::json_route(Needs::owner));
}

}  // namespace parley
