// SPDX-License-Identifier: Apache-2.0
// GET /v1/self: who calls, and POST /v1/self/name: what a new person is called, said once.
#include <utility>

#include "dialect/native/owner.h"
#include "door/native/native_door.h"
#include "door/native/native_replies.h"
#include "door/persons.h"
#include "door/sign_in.h"

namespace parley {

namespace {

using native::reply_problem;

void reply_taken(net::Exchange& exchange, const Error& error) {
    exchange.respond({.status = 409,
                      .content_type = net::kProblemJson,
                      .body = net::Body(native::name_problem(error.message))});
}

void set_name(NativeDoor::Wiring wiring, net::Exchange exchange) {
    auto wanted = native::read_name_body(exchange.body());
    if (!wanted) return reply_problem(exchange, wanted.error());
    Caller who = native::caller(exchange);
    const auto& tokens = wiring.broker.tokens();
    if (!who.token) {
        return reply_problem(
            exchange, {ErrorCode::conflict, "the owner of this machine goes by the login name"});
    }
    auto name = check_name(tokens, *wanted, who.principal);
    const auto invited = find_invited(wiring.broker, *wanted, wiring.clock.wall());
    if (name && invited && *invited != who.principal)
        name = reject(ErrorCode::conflict, "somebody else is invited by this name; take another");
    if (!name && name.error().code == ErrorCode::conflict)
        return reply_taken(exchange, name.error());
    if (!name) return reply_problem(exchange, name.error());
    if (!who.token->person.empty() && who.token->person != *name) {
        return reply_problem(exchange, {ErrorCode::conflict, "you are " + who.token->person +
                                                                 " here already; a name "
                                                                 "is said once"});
    }
    wiring.broker.name_person(
        who.principal, *name,
        [who, name = *name, exchange = std::move(exchange)](Result<void> named) mutable {
            if (!named && named.error().code == ErrorCode::conflict)
                return reply_taken(exchange, named.error());
            if (!named) return reply_problem(exchange, named.error());
            who.name = std::move(name);
            native::reply(exchange, 200, self_document(who, Named::yes));
        });
}

}  // namespace

void NativeDoor::add_self_routes(net::Router& router) {
    router.get(
        "/v1/self",
        [](net::Exchange exchange) {
            const Caller& who = native::caller(exchange);
            native::reply(exchange, 200, self_document(who));
        },
        route(Needs::token));
    router.post(
        "/v1/self/name", [this](net::Exchange exchange) { set_name(wiring_, std::move(exchange)); },
        native::json_route(Needs::responder));
}

}  // namespace parley
