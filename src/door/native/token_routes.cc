// SPDX-License-Identifier: Apache-2.0
// Tokens, for the owner: POST, GET /v1/tokens, POST /v1/tokens/{name}/rotate and DELETE
// /v1/tokens/{name}. The secret is shown once, in the answer that makes it; only its hash is kept.
#include <utility>
#include <vector>

#include "dialect/native/owner.h"
#include "door/known_session.h"
#include "door/native/native_door.h"
#include "door/native/native_replies.h"
#include "door/persons.h"
#include "door/sign_in_names.h"
#include "net/secret.h"

namespace parley {

namespace {

using native::reply_problem;

Rejection refused_name(Error error, std::string_view path) {
    error.faults.push_back({std::string(path), error.message});
    return reject(std::move(error));
}

Rejection refused_name(ErrorCode code, std::string_view path, std::string message) {
    return refused_name({code, std::move(message)}, path);
}

// Whom the new token is for.
Result<Person> person_of(const LoopBroker& broker, const native::TokenBody& body) {
    const Access::Tokens& tokens = broker.tokens();
    if (is_reserved_name(body.name))
        return refused_name(ErrorCode::invalid, "/name",
                            "this name stands for callers without a token, or for no name at all");
    if (!body.person) {
        auto name = check_name(tokens, body.name, {});
        if (!name && name.error().code == ErrorCode::conflict)
            return refused_name(ErrorCode::conflict, "/name",
                                "somebody has this name already; give them one token more with "
                                "--as, another secret with `token rotate`, or choose another name");
        if (!name) return reject(std::move(name).error());
        const std::string_view prefix = body.session ? kChildPrefix : kPrincipalPrefix;
        return Person{.principal = new_principal(prefix), .name = std::move(*name)};
    }
    auto known = find_person(tokens, *body.person);
    if (!known)
        return refused_name(
            broker.missing("there is nobody of this name; leave it out to make a new one"), "/as");
    if (is_agent(tokens, known->principal) != (body.role == Role::agent))
        return refused_name(ErrorCode::conflict, "/as",
                            "an agent never answers as a person, nor a person asks as an agent; "
                            "make a new one");
    return std::move(*known);
}

// The session that it is made for, if any.
Result<std::optional<SessionId>> session_of(const LoopBroker& broker, const Viewer& viewer,
                                            const native::TokenBody& body) {
    if (!body.session) return std::nullopt;
    const auto* live = broker.find_live(*body.session, viewer);
    if (live == nullptr)
        return refused_name(broker.missing("there is no such live session; open it first"),
                            "/session");
    return live->session->id;
}

void tell(const Access& access, AccessNews::Kind kind, const net::Exchange& exchange,
          std::string token, std::optional<Role> role = {}) {
    access.tell(
        {.kind = kind, .subject = std::move(token), .by = caller(exchange).name, .role = role},
        exchange);
}

void reply_made(net::Exchange& exchange, const Result<void>& stored, const Token& token,
                std::string_view secret) {
    if (!stored) return reply_problem(exchange, stored.error());
    native::reply(exchange, 201, native::token_document(token, secret));
}

void make(NativeDoor::Wiring wiring, native::TokenBody body, net::Exchange exchange) {
    auto person = person_of(wiring.broker, body);
    if (!person) return reply_problem(exchange, person.error());
    const auto session = session_of(wiring.broker, native::viewer(exchange), body);
    if (!session) return reply_problem(exchange, session.error());
    const Instant now = wiring.clock.wall();
    std::string secret = net::random_secret();
    Token token{.name = std::move(body.name),
                .role = body.role,
                .hash = net::sha256_hex(secret),
                .created_at = now,
                .principal = std::move(person->principal),
                .person = std::move(person->name),
                .session = *session};
    if (body.life) token.expires_at = now + *body.life;
    wiring.broker.put_token(token, [&access = wiring.access, token, secret = std::move(secret),
                                    exchange = std::move(exchange)](Result<void> stored) mutable {
        if (stored) tell(access, AccessNews::Kind::token_created, exchange, token.name, token.role);
        reply_made(exchange, stored, token, secret);
    });
}

void create(NativeDoor::Wiring wiring, net::Exchange exchange) {
    auto body = native::read_token(exchange.body());
    if (!body) return reply_problem(exchange, body.error());
    const std::string session = body->session.value_or("");
    const Viewer who = native::viewer(exchange);
    hear_of_session(wiring.broker, session, who,
                    [wiring, body = std::move(*body), exchange = std::move(exchange)]() mutable {
                        make(wiring, std::move(body), std::move(exchange));
                    });
}

// They die with the token that they came from, and would hold its name.
void drop_sign_ins_of(LoopBroker& broker, const Token& token) {
    std::vector<std::string> names;
    for (const auto& [name, known] : broker.tokens())
        if (is_sign_in_of(name, &token)) names.push_back(name);
    for (std::string& name : names) broker.drop_token(std::move(name), [](const Result<void>&) {});
}

void revoke(NativeDoor::Wiring wiring, net::Exchange exchange) {
    std::string name(exchange.param("name"));
    const auto known = wiring.broker.tokens().find(name);
    if (known != wiring.broker.tokens().end() && !is_sign_in(name))
        drop_sign_ins_of(wiring.broker, *known->second);
    wiring.broker.drop_token(name, [&access = wiring.access, name,
                                    exchange = std::move(exchange)](Result<void> result) mutable {
        if (result) tell(access, AccessNews::Kind::token_revoked, exchange, std::move(name));
        native::reply_done(exchange, result);
    });
}

// Another secret for the same token: its principal stays, and the browsers that signed in with the
// old one are out.
void rotate(NativeDoor::Wiring wiring, net::Exchange exchange) {
    const std::string name(exchange.param("name"));
    const auto known = wiring.broker.tokens().find(name);
    if (known == wiring.broker.tokens().end() || is_sign_in(name)) {
        return reply_problem(exchange, wiring.broker.missing("there is no token named " + name));
    }
    std::string secret = net::random_secret();
    drop_sign_ins_of(wiring.broker, *known->second);
    Token token = *known->second;
    token.hash = net::sha256_hex(secret);
    token.created_at = wiring.clock.wall();
    token.used_at.reset();
    wiring.broker.replace_token(
        token, [&access = wiring.access, token, secret = std::move(secret),
                exchange = std::move(exchange)](Result<void> stored) mutable {
            if (stored)
                tell(access, AccessNews::Kind::token_rotated, exchange, token.name, token.role);
            reply_made(exchange, stored, token, secret);
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
    router.post(
        "/v1/tokens/{name}/rotate",
        [this](net::Exchange exchange) { rotate(wiring_, std::move(exchange)); },
        route(Needs::owner));
    router.del(
        "/v1/tokens/{name}",
        [this](net::Exchange exchange) { revoke(wiring_, std::move(exchange)); },
        route(Needs::owner));
}

}  // namespace parley
