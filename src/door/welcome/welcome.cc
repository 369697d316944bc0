// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>
#include <utility>

#include "door/front_page.h"

namespace parley {

void add_front_page(net::Router& router, FrontPageWiring wiring) {
    router.get(
        "/",
        [wiring](net::Exchange exchange) {
            if (wiring.sign_in.redeem(exchange)) return;
            exchange.respond({.content_type = net::kPlainText,
                              .body = net::Body(fmt::format(
                                  "This is a Parley broker: agents ask here, people answer.\n\n"
                                  "Asks that wait: {}\n\n"
                                  "In a terminal:   parley list, parley answer\n"
                                  "For programs:    /v1/openapi.json\n",
                                  wiring.broker.ledger().pending().size()))});
        },
        route(Needs::nothing));
}

}  // namespace parley
