// SPDX-License-Identifier: Apache-2.0
#include "door/access.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "net/secret.h"
#include "wire/header_text.h"
#include "wire/url.h"

namespace parley {

namespace {

constexpr std::string_view kCookie = "parley";

std::string_view without_port(std::string_view address) {
    const auto colon = address.rfind(':');
    return colon == std::string_view::npos ? address : address.substr(0, colon);
}

std::string_view host_of_origin(std::string_view origin) {
    const auto scheme = origin.find("://");
    return scheme == std::string_view::npos ? std::string_view() : origin.substr(scheme + 3);
}

net::Refusal refusal(int status, std::string_view type, std::string detail) {
    return {.status = status, .detail = std::move(detail), .type = type};
}

void add_safety_headers(wire::HeaderBlock& headers) {
    headers.add("X-Content-Type-Options", "nosniff")
        .add("Referrer-Policy", "no-referrer")
        .add("X-Frame-Options", "DENY")
        .add("Cross-Origin-Resource-Policy", "same-origin")
        .add("Cache-Control", "no-store");
}

}  // namespace

bool is_enough(Role has, Needs needs) {
    switch (needs) {
        case Needs::nothing:
        case Needs::token: return true;
        case Needs::asker: return has != Role::responder;
        case Needs::responder: return has != Role::agent;
        case Needs::owner: return has == Role::owner;
    }
    return false;
}

Access::Access(AccessOptions options, const Tokens& tokens, const Clock& clock)
    : options_(std::move(options)), tokens_(tokens), clock_(clock) {}

net::Verdict Access::admit(net::Visit& visit) {
    add_safety_headers(visit.headers);
    if (!is_our_host(visit)) {
        return refusal(403, "wrong-host",
                       "this server is not called that; open it by the address that it printed");
    }
    const std::string_view origin = visit.request.fields.get("origin");
    if (!origin.empty()) {
        if (!is_allowed_origin(origin, visit.host)) {
            return refusal(403, "wrong-origin",
                           "pages of this origin may not call this server; start it with "
                           "--allow-origin to let them");
        }
        visit.headers.add("Access-Control-Allow-Origin", origin)
            .add("Access-Control-Allow-Credentials", "true")
            .add("Vary", "Origin");
    }
    const auto needs = static_cast<Needs>(visit.access);
    // A path without a route says so to everyone; a preflight carries no token by design.
    if (needs == Needs::nothing || visit.pattern.empty() ||
        visit.request.method == wire::Method::options)
        return net::Admit{};

    const std::string address(without_port(visit.peer.address));
    if (!visit.peer.is_local() && is_slowed_down(address)) {
        net::Refusal slow = refusal(429, "too-many-logins", "too many wrong tokens; wait a minute");
        slow.headers.add("Retry-After", "60");
        return slow;
    }
    auto caller = identify(visit);
    if (!caller) {
        if (!visit.peer.is_local()) note_failure(address);
        net::Refusal unknown =
            refusal(401, "no-token", "a valid token is needed: send Authorization: Bearer TOKEN");
        unknown.headers.add("WWW-Authenticate", "Bearer realm=\"parley\"");
        return unknown;
    }
    if (!is_enough(caller->role, needs)) {
        return refusal(
            403, "wrong-role",
            "a token of role " + std::string(to_string(caller->role)) + " may not do this");
    }
    visit.principal = std::make_shared<const Caller>(std::move(*caller));
    return net::Admit{};
}

net::Response Access::answer_preflight(const net::Visit& visit, std::string_view allow) const {
    net::Response response{.status = 204};
    response.headers.add("Allow", allow).add("Access-Control-Allow-Methods", allow);
    const std::string_view asked = visit.request.fields.get("access-control-request-headers");
    if (!asked.empty()) response.headers.add("Access-Control-Allow-Headers", asked);
    response.headers.add("Access-Control-Max-Age", "600");
    return response;
}

bool Access::is_our_host(const net::Visit& visit) const {
    if (visit.peer.is_local()) return true;
    return std::any_of(options_.hosts.begin(), options_.hosts.end(), [&](const auto& ours) {
        return wire::equals_ignoring_case(ours, visit.host);
    });
}

bool Access::is_allowed_origin(std::string_view origin, std::string_view host) const {
    const std::string_view its_host = host_of_origin(origin);
    if (!its_host.empty() && wire::equals_ignoring_case(its_host, host)) return true;
    return std::any_of(
        options_.allowed_origins.begin(), options_.allowed_origins.end(), [&](const auto& allowed) {
            if (wire::equals_ignoring_case(allowed, origin)) return true;
            if (!allowed.ends_with(":*")) return false;
            const std::string_view stem(allowed.data(), allowed.size() - 1);
            const std::string_view port = origin.substr(std::min(stem.size(), origin.size()));
            return origin.starts_with(stem) && !port.empty() &&
                   port.find_first_not_of("0123456789") == std::string_view::npos;
        });
}

std::optional<Caller> Access::identify(const net::Visit& visit) const {
    if (visit.peer.is_local()) return Caller{"uid:" + std::to_string(visit.peer.uid), Role::owner};
    if (!options_.requires_token) return Caller{"anyone", Role::owner};
    const std::string_view authorization = visit.request.fields.get("authorization");
    if (const auto bearer = wire::bearer_token(authorization)) return find_secret(*bearer);
    if (const auto basic = wire::basic_credentials(authorization))
        return find_secret(basic->password);
    const std::string_view cookies = visit.request.fields.get("cookie");
    if (const auto cookie = wire::find_cookie(cookies, kCookie)) {
        if (auto caller = find_secret(*cookie)) return caller;
    }
    if (visit.query.find("token=") == std::string_view::npos) return std::nullopt;
    const auto query = wire::Query::parse(visit.query);
    if (!query || !query->find("token")) return std::nullopt;
    return find_secret(query->get("token"));
}

// Every candidate is compared, and each in constant time: neither which token matched nor how much
// of one did can be read off the clock.
std::optional<Caller> Access::find_secret(std::string_view secret) const {
    const std::string hash = net::sha256_hex(secret);
    const Instant now = clock_.wall();
    std::optional<Caller> found;
    for (const auto& [name, token] : tokens_) {
        const bool is_live = !token->expires_at || *token->expires_at > now;
        if (net::equal_in_constant_time(token->hash, hash) && is_live)
            found = Caller{name, token->role};
    }
    for (const Ticket& cookie : cookies_) {
        if (net::equal_in_constant_time(cookie.hash, hash) && cookie.expires_at > now)
            found = Caller{"browser", cookie.role};
    }
    return found;
}

std::string Access::make_ticket(Role role) {
    std::string secret = net::random_secret();
    const Instant now = clock_.wall();
    std::erase_if(tickets_, [now](const Ticket& ticket) { return ticket.expires_at <= now; });
    tickets_.push_back({net::sha256_hex(secret), role, now + limits::kTicketLife});
    return secret;
}

std::optional<std::string> Access::redeem_ticket(std::string_view secret) {
    const std::string hash = net::sha256_hex(secret);
    const Instant now = clock_.wall();
    const auto ticket = std::find_if(tickets_.begin(), tickets_.end(), [&](const Ticket& one) {
        return net::equal_in_constant_time(one.hash, hash) && one.expires_at > now;
    });
    if (ticket == tickets_.end()) return std::nullopt;
    std::string cookie = net::random_secret();
    if (cookies_.size() >= limits::kCookiesMax) cookies_.erase(cookies_.begin());
    cookies_.push_back({net::sha256_hex(cookie), ticket->role, now + limits::kCookieLife});
    tickets_.erase(ticket);
    return cookie;
}

bool Access::is_slowed_down(const std::string& address) {
    const auto found = guesses_.find(address);
    if (found == guesses_.end()) return false;
    if (clock_.mono() - found->second.since > limits::kLoginWindow) {
        guesses_.erase(found);
        return false;
    }
    return found->second.count >= limits::kLoginFailuresMax;
}

void Access::note_failure(const std::string& address) {
    ++failed_logins_;
    if (guesses_.size() >= limits::kLoginAddressesMax) guesses_.clear();
    auto& guesses = guesses_[address];
    if (guesses.count++ == 0) guesses.since = clock_.mono();
}

}  // namespace parley
