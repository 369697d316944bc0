// SPDX-License-Identifier: Apache-2.0
#include "door/native/native_door.h"

#include "door/access.h"
#include "door/native/native_replies.h"
#include "door/native/openapi.h"

namespace parley {

void NativeDoor::add_routes(net::Router& router) {
    router.set_shape("", [](const net::Refusal& refusal, const wire::Request*) {
        return native::shape_refusal(refusal);
    });
    add_ask_routes(router);
    add_settle_routes(router);
    add_desk_routes(router);
    add_event_routes(router);
    add_session_routes(router);
    add_self_routes(router);
    add_token_routes(router);
    if (wiring_.keeper != nullptr) add_store_routes(router);
    router.get(
        "/v1/openapi.json",
        [](net::Exchange exchange) {
            exchange.respond({.content_type = net::kJson,
                              .body = net::Body::literal(native::openapi_document())});
        },
        route(Needs::nothing));
}

}  // namespace parley
