// SPDX-License-Identifier: Apache-2.0
#include "door/sign_in.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "dialect/native_owner.h"
#include "door/native/replies.h"
#include "net/secret.h"
#include "text/json.h"

namespace parley {

namespace {

constexpr std::size_t kIdLength = 8;

bool is_signed_in(const Caller& caller) {
    return caller.token && is_sign_in(caller.token->name);
}

std::string self_document(const Caller& caller) {
    std::string text;
    json::Writer out(text);
    out.begin_object().field("principal", caller.principal).field("role", to_string(caller.role));
    if (is_signed_in(caller)) out.field("sign_in", caller.token->name);
    out.end_object();
    return text;
}

}  // namespace

std::string SignIn::cookie_line(const net::Exchange& exchange, std::string_view secret,
                                std::chrono::seconds life) const {
    const bool is_secure = wiring_.url().starts_with("https:");
    return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{}",
                       sign_in_cookie(exchange.header("host")), secret, life.count(),
                       is_secure ? "; Secure" : "");
}

// A browser that never signs out must not fill the store: those that ran out go, and then the
// oldest of the same token, so that nobody can sign others out.
void SignIn::make_room(const Token* parent) {
    const Instant now = wiring_.clock.wall();
    std::vector<TokenPtr> live;
    std::vector<std::string> gone;
    for (const auto& [name, token] : wiring_.broker.tokens()) {
        if (!is_sign_in(name)) continue;
        if (token->expires_at && *token->expires_at <= now) {
            gone.push_back(name);
        } else if (is_sign_in_of(name, parent)) {
            live.push_back(token);
        }
    }
    if (live.size() >= limits::kCookiesMax) {
        const auto oldest = std::min_element(
            live.begin(), live.end(),
            [](const TokenPtr& a, const TokenPtr& b) { return a->created_at < b->created_at; });
        gone.push_back((*oldest)->name);
    }
    for (std::string& name : gone) wiring_.broker.drop_token(std::move(name), [](Result<void>) {});
}

void SignIn::sign_in(net::Exchange exchange, Role role, const TokenPtr& parent, int status) {
    make_room(parent.get());
    const Instant now = wiring_.clock.wall();
    std::string secret = net::random_secret();
    const std::string id = net::sha256_hex(net::random_secret()).substr(0, kIdLength);
    Token token{.name = sign_in_name(id, parent.get()),
                .role = role,
                .hash = net::sha256_hex(secret),
                .created_at = now,
                .expires_at = now + limits::kCookieLife};
    wiring_.broker.put_token(
        std::move(token), [this, status, secret = std::move(secret),
                           exchange = std::move(exchange)](Result<void> stored) mutable {
            if (!stored) return native::reply_problem(exchange, stored.error());
            net::Response response{.status = status};
            if (status == 303) response.headers.add("Location", "/");
            response.headers.add(
                "Set-Cookie",
                cookie_line(exchange, secret,
                            std::chrono::duration_cast<std::chrono::seconds>(limits::kCookieLife)));
            exchange.respond(std::move(response));
        });
}

void SignIn::sign_out(net::Exchange exchange) {
    exchange.add_header("Set-Cookie", cookie_line(exchange, "", std::chrono::seconds(0)));
    const Caller& who = caller(exchange);
    if (!is_signed_in(who)) return exchange.respond({.status = 204});
    const std::string name = who.token->name;
    wiring_.broker.drop_token(name, [exchange = std::move(exchange)](Result<void> dropped) mutable {
        if (!dropped && dropped.error().code != ErrorCode::not_found)
            return native::reply_problem(exchange, dropped.error());
        exchange.respond({.status = 204});
    });
}

bool SignIn::redeem(net::Exchange& exchange) {
    const auto secret = exchange.query().find("token");
    if (!secret) return false;
    const auto role = wiring_.access.redeem_ticket(*secret);
    if (!role) return false;
    sign_in(std::move(exchange), *role, nullptr, 303);
    return true;
}

std::string SignIn::make_link(Role role) {
    return fmt::format("{}/?token={}", wiring_.url(), wiring_.access.make_ticket(role));
}

void SignIn::add_routes(net::Router& router) {
    router.get(
        "/sign-in",
        [](net::Exchange exchange) {
            native::reply(exchange, 200, self_document(caller(exchange)));
        },
        route(Needs::token));
    router.post(
        "/sign-in",
        [this](net::Exchange exchange) {
            const Caller who = caller(exchange);
            // One who is signed in, or needs no token, has nothing to gain.
            if (!who.token || is_signed_in(who)) return exchange.respond({.status = 204});
            sign_in(std::move(exchange), who.role, who.token, 204);
        },
        route(Needs::token));
    router.post(
        "/sign-out", [this](net::Exchange exchange) { sign_out(std::move(exchange)); },
        route(Needs::token));
    router.post(
        "/sign-in/links",
        [this](net::Exchange exchange) {
            native::reply(exchange, 201,
                          native::sign_in_link_document(
                              {.url = make_link(Role::responder),
                               .expires_at = wiring_.clock.wall() + limits::kTicketLife}));
        },
        route(Needs::owner));
}

}  // namespace parley
