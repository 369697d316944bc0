// SPDX-License-Identifier: Apache-2.0
// Tokens, for the owner: POST, GET /v1/tokens and DELETE /v1/tokens/{name}. The secret is shown
// once, in the answer that makes it; only its hash is kept.
#include <utility>
#include <vector>

#include "dialect/native_owner.h"
#include "door/native/native_door.h"
#include "door/native/replies.h"
#include "net/secret.h"

namespace parley {

namespace {

using native::reply_problem;

void create(NativeDoor::Wiring wiring, net::Exchange exchange) {
    auto body = native::read_token(exchange.body());
    if (!body) return reply_problem(exchange, body.error());
    if (is_reserved_name(body->name)) {
        Error error{ErrorCode::invalid, "this name stands for callers without a token"};
        error.faults.push_back({"/name", error.message});
        return reply_problem(exchange, std::move(error));
    }
    const Instant now = wiring.clock.wall();
    std::string secret = net::random_secret();
    Token token{.name = std::move(body->name),
                .role = body->role,
                .hash = net::sha256_hex(secret),
                .created_at = now};
    if (body->life) token.expires_at = now + *body->life;
    wiring.broker.put_token(token, [token, secret = std::move(secret),
                                    exchange = std::move(exchange)](Result<void> result) mutable {
        if (!result) return reply_problem(exchange, result.error());
        native::reply(exchange, 201, native::token_document(token, secret));
    });
}

void list(NativeDoor::Wiring wiring, net::Exchange exchange) {
    std::vector<TokenPtr> tokens;
    for (const auto& [name, token] : wiring.broker.tokens()) tokens.push_back(token);
    native::reply(exchange, 200, native::token_page(tokens));
}

}  // namespace

void NativeDoor::add_token_routes(net::Router& router) {
    router.post(
        "/v1/tokens", [this](net::Exchange exchange) { create(wiring_, std::move(exchange)); },
        native::json_route(Needs::owner));
    router.get(
        "/v1/tokens", [this](net::Exchange exchange) { list(wiring_, std::move(exchange)); },
        route(Needs::owner));
    router.del(
        "/v1/tokens/{name}",
        [this](net::Exchange exchange) {
            std::string name(exchange.param("name"));
            wiring_.broker.drop_token(
                std::move(name), [exchange = std::move(exchange)](Result<void> result) mutable {
                    native::reply_done(exchange, result);
                });
        },
        route(Needs::owner));
}

}  // namespace parley
