// SPDX-License-Identifier: Apache-2.0
#include "door/operations.h"

#include <fmt/format.h>

#include <utility>

#include "dialect/native/owner.h"
#include "door/native/native_replies.h"
#include "text/safe_text.h"

namespace parley {

void Operations::add_routes(net::Router& router) {
    router.get(
        "/healthz",
        [](net::Exchange exchange) {
            exchange.respond({.content_type = net::kPlainText, .body = net::Body::literal("ok\n")});
        },
        route(Needs::nothing));
    router.get(
        "/v1/server",
        [this](net::Exchange exchange) {
            native::reply(
                exchange, 200,
                native::server_document(
                    {.version = wiring_.version, .page = wiring_.page(), .agent = wiring_.agent}));
        },
        route(Needs::token));
    router.get(
        "/readyz",
        [this](net::Exchange exchange) {
            if (wiring_.broker.has_damage()) {
                exchange.respond({.status = 503,
                                  .content_type = net::kPlainText,
                                  .body = net::Body::literal(
                                      "a part of the store cannot be read; the log says which\n")});
            } else if (wiring_.broker.is_ready()) {
                exchange.respond(
                    {.content_type = net::kPlainText, .body = net::Body::literal("ready\n")});
            } else {
                exchange.respond(
                    {.status = 503,
                     .content_type = net::kPlainText,
                     .body = net::Body(fmt::format("the store cannot be written now: {}\n",
                                                   escape_unsafe(wiring_.broker.lost_because())))});
            }
        },
        route(Needs::nothing));
    router.get(
        "/metrics",
        [this](net::Exchange exchange) {
            exchange.respond({.content_type = "text/plain; version=0.0.4; charset=utf-8",
                              .body = net::Body(metrics_.text())});
        },
        route(Needs::responder));
}

}  // namespace parley
