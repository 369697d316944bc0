// SPDX-License-Identifier: Apache-2.0
#include "door/welcome.h"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>

#include "base/limits.h"

namespace parley {

namespace {

net::Response sign_in(const std::string& cookie) {
    net::Response response{.status = 303};
    const auto life = std::chrono::duration_cast<std::chrono::seconds>(limits::kCookieLife);
    response.headers.add("Location", "/")
        .add("Set-Cookie", fmt::format("parley={}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}",
                                       cookie, life.count()));
    return response;
}

}  // namespace

void add_welcome(net::Router& router, Access& access, const LoopBroker& broker) {
    router.get(
        "/",
        [&access, &broker](net::Exchange exchange) {
            if (const auto secret = exchange.query().find("token")) {
                if (const auto cookie = access.redeem_ticket(*secret))
                    return exchange.respond(sign_in(*cookie));
            }
            exchange.respond({.content_type = net::kPlainText,
                              .body = net::Body(fmt::format(
                                  "This is a Parley broker: agents ask here, people answer.\n\n"
                                  "Asks that wait: {}\n\n"
                                  "In a terminal:   parley list, parley answer\n"
                                  "For programs:    /v1/openapi.json\n",
                                  broker.ledger().pending().size()))});
        },
        route(Needs::nothing));
}

}  // namespace parley
