// SPDX-License-Identifier: Apache-2.0
#include "door/sign_in.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "broker/mark_keys.h"
#include "dialect/native/owner.h"
#include "door/limits.h"
#include "door/native/native_replies.h"
#include "door/persons.h"
#include "door/sign_in_cookie.h"
#include "door/sign_in_names.h"
#include "net/secret.h"
#include "text/json.h"
#include "text/name_fold.h"

namespace parley {

namespace {

constexpr std::size_t kIdLength = 8;

bool is_signed_in(const Caller& caller) {
    return caller.token && is_sign_in(caller.token->name);
}

// A look at what an address would give must not use it up: a browser that fetches ahead says so.
bool is_only_a_look(const net::Exchange& exchange) {
    return exchange.request().method == wire::Method::head ||
           exchange.header("sec-purpose").starts_with("prefetch") ||
           exchange.header("purpose") == "prefetch";
}

std::string invited_mark(std::string_view person) {
    return fmt::format("{}{}", marks::kInvited, fold_name(person));
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

// `token` has the role and the principal; the rest is made here.
void SignIn::sign_in(net::Exchange exchange, Token token, const Token* parent, int status) {
    make_room(parent);
    const Instant now = wiring_.clock.wall();
    std::string secret = net::random_secret();
    const std::string id = net::sha256_hex(net::random_secret()).substr(0, kIdLength);
    token.name = sign_in_name(id, parent);
    token.hash = net::sha256_hex(secret);
    token.created_at = now;
    token.expires_at = now + limits::kCookieLife;
    token.device = device_words(exchange.header("user-agent"));
    token.used_at = now;
    AccessNews news{.kind = AccessNews::Kind::signed_in,
                    .subject = token.person.empty() ? token.name : token.person,
                    .role = token.role};
    wiring_.broker.put_token(
        std::move(token), [this, status, news = std::move(news), secret = std::move(secret),
                           exchange = std::move(exchange)](Result<void> stored) mutable {
            if (!stored) return native::reply_problem(exchange, stored.error());
            wiring_.access.tell(std::move(news), exchange);
            net::Response response{.status = status};
            if (status == 303) response.headers.add("Location", "/");
            response.headers.add("Cache-Control", "no-store");
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
    wiring_.access.tell({.kind = AccessNews::Kind::signed_out, .subject = who.name}, exchange);
    wiring_.broker.drop_token(name, [exchange = std::move(exchange)](Result<void> dropped) mutable {
        if (!dropped && dropped.error().code != ErrorCode::not_found)
            return native::reply_problem(exchange, dropped.error());
        exchange.respond({.status = 204});
    });
}

bool SignIn::redeem(net::Exchange& exchange) {
    const auto secret = exchange.query().find("token");
    if (!secret || is_only_a_look(exchange)) return false;
    const auto invited = read_invitation(*secret, wiring_.key, wiring_.clock.wall());
    if (!invited) return false;
    if (invited->is_known && !has_tokens(wiring_.broker.tokens(), invited->principal)) return false;
    const std::string mark = fmt::format("{}{}", marks::kSpent, net::sha256_hex(*secret));
    if (wiring_.broker.find_mark(mark)) return false;
    spend(std::move(exchange), mark, *invited);
    return true;
}

void SignIn::spend(net::Exchange exchange, const std::string& mark, const Invitation& invited) {
    PutMark change{.key = mark,
                   .at = wiring_.clock.wall(),
                   .value = net::random_secret(),
                   .expires_at = invited.expires_at,
                   .expected = std::string()};
    wiring_.broker.put_mark(std::move(change), [this, invited, exchange = std::move(exchange)](
                                                   Result<Verdict> verdict) mutable {
        if (!verdict) return native::reply_problem(exchange, verdict.error());
        if (*verdict == Verdict::conflict) {
            // Another was faster: this browser is asked for a token.
            net::Response response{.status = 303};
            response.headers.add("Location", "/").add("Cache-Control", "no-store");
            return exchange.respond(std::move(response));
        }
        if (!invited.person.empty() && !invited.is_known)
            wiring_.broker.put_mark(
                {.key = invited_mark(invited.person), .at = wiring_.clock.wall()},
                [](Result<Verdict>) {});
        sign_in(std::move(exchange),
                {.name = {},
                 .role = invited.role,
                 .hash = {},
                 .principal = invited.principal,
                 .person = invited.person},
                nullptr, 303);
    });
}

std::string SignIn::link_to(Invitation invitation) {
    invitation.expires_at = wiring_.clock.wall() + limits::kSignInLinkLife;
    return fmt::format("{}/?token={}", wiring_.url(), write_invitation(invitation, wiring_.key));
}

std::string SignIn::make_link() {
    return link_to({.principal = new_principal()});
}

void SignIn::make_link_for(const std::string& person, Done<std::string> done) {
    const auto& tokens = wiring_.broker.tokens();
    if (const auto known = find_person(tokens, person)) {
        if (is_agent(tokens, known->principal))
            return done(reject(ErrorCode::conflict,
                               "{} is an agent, and agents do not answer; name a person", person));
        return done(link_to({.principal = known->principal,
                             .person = known->name,
                             .is_known = has_tokens(tokens, known->principal)}));
    }
    auto name = check_name(tokens, person, {});
    if (!name) return done(reject(std::move(name).error()));
    const Instant now = wiring_.clock.wall();
    const auto invited = find_invited(wiring_.broker, *name, now);
    const std::string principal = invited ? *invited : new_principal();
    // Until the link is used, the name is kept for whom it is.
    PutMark change{.key = invited_mark(*name),
                   .at = now,
                   .value = principal,
                   .expires_at = now + limits::kSignInLinkLife};
    wiring_.broker.put_mark(std::move(change),
                            [this, principal, name = std::move(*name),
                             done = std::move(done)](Result<Verdict> verdict) mutable {
                                if (!verdict) return done(reject(std::move(verdict).error()));
                                done(link_to({.principal = principal, .person = std::move(name)}));
                            });
}

void SignIn::reply_link(net::Exchange exchange) {
    const auto person = native::read_link_body(exchange.body());
    if (!person) return native::reply_problem(exchange, person.error());
    auto reply = [this, exchange = std::move(exchange)](const Result<std::string>& url) mutable {
        if (!url) return native::reply_problem(exchange, url.error());
        native::reply(
            exchange, 201,
            native::sign_in_link_document(
                {.url = *url, .expires_at = wiring_.clock.wall() + limits::kSignInLinkLife}));
    };
    if (*person) return make_link_for(**person, std::move(reply));
    reply(make_link());
}

std::optional<std::string> find_invited(const LoopBroker& broker, std::string_view person,
                                        Instant now) {
    const MarkPtr mark = broker.find_mark(invited_mark(person));
    if (!mark || (mark->expires_at && *mark->expires_at <= now)) return std::nullopt;
    return mark->value;
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
            sign_in(std::move(exchange),
                    {.name = {},
                     .role = who.role,
                     .hash = {},
                     .principal = who.principal,
                     .person = who.token->person},
                    who.token.get(), 204);
        },
        // An agent's token signs nobody in: nothing is left behind.
        route(Needs::responder));
    router.post(
        "/sign-out", [this](net::Exchange exchange) { sign_out(std::move(exchange)); },
        route(Needs::token));
    router.post(
        "/sign-in/links", [this](net::Exchange exchange) { reply_link(std::move(exchange)); },
        native::json_route(Needs::owner));
}

}  // namespace parley
