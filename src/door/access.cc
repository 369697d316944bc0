// SPDX-License-Identifier: Apache-2.0
#include "door/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/assert.h"
#include "door/caller_names.h"
#include "door/limits.h"
#include "door/response_headers.h"
#include "door/same_origin.h"
#include "door/sign_in_cookie.h"
#include "door/sign_in_names.h"
#include "net/login.h"
#include "net/secret.h"
#include "text/name_fold.h"
#include "wire/header_text.h"
#include "wire/url.h"

namespace parley {

namespace {

constexpr std::string_view kLocalAddress = "local";

std::string_view without_port(std::string_view address) {
    return has_port(address) ? address.substr(0, address.rfind(':')) : address;
}

net::Refusal refusal(int status, std::string_view type, std::string detail) {
    return {.status = status, .detail = std::move(detail), .type = type};
}

bool has_run_out(const Token& token, Instant now) {
    return token.expires_at && *token.expires_at <= now;
}

// Whether a token still counts, and for a sign-in the token that it came from.
bool is_live(const Token& token, const Access::Tokens& tokens, Instant now) {
    if (has_run_out(token, now)) return false;
    if (!is_sign_in(token.name)) return true;
    const SignInParent parent = parent_of(token.name);
    if (parent.name.empty()) return true;
    const auto found = tokens.find(std::string(parent.name));
    return found != tokens.end() && found->second->hash.starts_with(parent.hash_start) &&
           !has_run_out(*found->second, now);
}

// Browsers leave the Origin out where a page of another site shows an image or follows a link. Such
// a page may lead to what everyone may see, and to nothing else: not to guesses in the name of the
// person who looks at it, and not to sessions that a GET opens.
bool is_foreign_fetch(const net::Visit& visit) {
    const std::string_view site = visit.request.fields.get("sec-fetch-site");
    if (site != "cross-site" && site != "same-site") return false;
    const auto needs = static_cast<Needs>(visit.access);
    return needs != Needs::nothing && needs != Needs::asset && !visit.pattern.empty();
}

Caller token_holder(const TokenPtr& token) {
    return {.principal = token->principal,
            .name = shown_name(*token),
            .role = token->role,
            .token = token};
}

}  // namespace

HearFirst hear_in_time(HearFirst hear, std::shared_ptr<Alarms> alarms) {
    return [hear = std::move(hear), alarms = std::move(alarms)](Task then) {
        const auto waiting = std::make_shared<Task>(std::move(then));
        const auto go_on = [waiting] {
            if (Task task = std::exchange(*waiting, nullptr)) task();
        };
        const Alarms::Key key = alarms->set(limits::kTokenLookTime, go_on);
        hear([alarms, key, go_on] {
            alarms->drop(key);
            go_on();
        });
    };
}

bool is_enough(Role has, Needs needs) {
    switch (needs) {
        case Needs::nothing:
        case Needs::asset:
        case Needs::token:
        case Needs::late_token: return true;
        case Needs::asker: return has != Role::responder;
        case Needs::responder: return has != Role::agent;
        case Needs::owner: return has == Role::owner;
    }
    return false;
}

Access::Access(GateOptions options, const Tokens& tokens, const Clock& clock)
    : options_(std::move(options)), tokens_(tokens), clock_(clock) {}

net::Admission Access::admit(net::Visit& visit) {
    const auto needs = static_cast<Needs>(visit.access);
    add_safety_headers(visit);
    if (auto refused = check_origin(visit)) return std::move(*refused);
    // A path without a route says so to everyone, and a preflight, which is one, carries no token.
    if (needs == Needs::nothing || needs == Needs::asset || visit.pattern.empty())
        return net::Admit{};

    const std::string address(without_port(visit.peer.address));
    Identity who = identify(visit);
    const bool is_slow = !visit.peer.is_local() && is_slowed_down(address);
    if (is_slow && !(who.caller && (who.is_unguessable || is_known(address, *who.caller)))) {
        net::Refusal slow = refusal(429, "too-many-logins", "too many wrong tokens; wait a minute");
        slow.headers.add("Retry-After", std::chrono::seconds(limits::kLoginWindow).count());
        return slow;
    }
    if (!who.caller) {
        if (needs == Needs::late_token && !who.is_guess && visit.request.wants_upgrade &&
            promises_token(visit.query))
            return net::Admit{};
        const bool is_shown = who.is_guess || who.has_cookie;
        if (is_shown && options_.hear_first && !visit.is_second_look && may_look_again())
            return net::Later{options_.hear_first};
        const bool is_local = visit.peer.is_local();
        if (who.is_guess && !is_local) note_guess(address);
        if (who.is_guess && is_local) tell({.address = std::string(kLocalAddress)});
        net::Refusal unknown =
            refusal(401, "no-token",
                    is_local ? "this token is not known here; on the local socket none is needed"
                             : "a valid token is needed: send Authorization: Bearer TOKEN");
        unknown.headers.add("WWW-Authenticate", "Bearer realm=\"parley\"");
        return unknown;
    }
    if (!visit.peer.is_local()) note_known(address, *who.caller);
    if (!is_enough(who.caller->role, needs)) {
        return refusal(
            403, "wrong-role",
            fmt::format("a token of role {} may not do this", to_string(who.caller->role)));
    }
    note_use(*who.caller);
    // Browsers say so where a page of ours calls; programs have no reason to.
    if (visit.request.fields.get("sec-fetch-site") == "same-origin") who.caller->is_browser = true;
    visit.principal = std::make_shared<const Caller>(std::move(*who.caller));
    return net::Admit{};
}

std::optional<net::Refusal> Access::check_origin(net::Visit& visit) const {
    if (!is_our_host(visit)) {
        return refusal(403, "wrong-host",
                       "this server is not called that; open it by the address that it printed, or "
                       "start it with --allow-host to give it this name too");
    }
    const auto origin = visit.request.fields.find("origin");
    if (!origin && !is_foreign_fetch(visit)) return std::nullopt;
    const bool is_one = visit.request.fields.joined("origin").find(',') == std::string::npos;
    if (!origin || !is_one || !is_allowed_origin(*origin, visit)) {
        return refusal(403, "wrong-origin",
                       "pages of this origin may not call this server; start it with "
                       "--allow-origin to let them");
    }
    visit.headers.add("Access-Control-Allow-Origin", *origin)
        .add("Access-Control-Allow-Credentials", "true")
        .add("Access-Control-Expose-Headers", "Location, Retry-After")
        .add("Vary", "Origin");
    return std::nullopt;
}

net::Response Access::answer_preflight(const net::Visit& visit, std::string_view allow) const {
    if (allow.empty()) return {.status = 404};
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
        const std::string_view host = has_port(ours) ? visit.host : without_port(visit.host);
        return wire::equals_ignoring_case(ours, host);
    });
}

bool Access::is_allowed_origin(std::string_view origin, const net::Visit& visit) const {
    if (is_same_origin(origin, visit)) return true;
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

Caller Access::socket_owner(const net::Peer& peer) {
    const auto [known, is_new] = login_names_.try_emplace(peer.uid);
    if (is_new) known->second = net::login_name(peer.uid);
    return {.principal = fmt::format("{}{}", kUidPrefix, peer.uid),
            .name = known->second,
            .role = Role::owner,
            .uid = static_cast<std::uint32_t>(peer.uid),
            .pid = static_cast<std::uint32_t>(peer.pid)};
}

Access::Identity Access::identify(const net::Visit& visit) {
    const std::string_view authorization = visit.request.fields.get("authorization");
    if (visit.peer.is_local()) {
        // Who shows a token wants to be no more than that: the children of an agent's run.
        if (const auto bearer = wire::bearer_token(authorization)) return find_token(*bearer);
        return {.caller = socket_owner(visit.peer)};
    }
    if (!options_.requires_token) {
        const std::string anyone(kAnyone);
        return {.caller = Caller{.principal = anyone, .name = anyone, .role = Role::owner}};
    }
    if (const auto bearer = wire::bearer_token(authorization)) return find_token(*bearer);
    if (const auto basic = wire::basic_credentials(authorization))
        return find_token(basic->password);
    // A cookie that is not ours any more is no guess: browsers send what an earlier process gave.
    const std::string_view cookies = visit.request.fields.get("cookie");
    const std::string cookie_name = sign_in_cookie(visit.request.fields.get("host"));
    const auto cookie = wire::find_cookie(cookies, cookie_name);
    if (cookie) {
        if (auto caller = find_cookie(*cookie))
            return {.caller = std::move(caller), .is_unguessable = true};
    }
    if (const auto secret = secret_in_query(visit.query)) return find_token(*secret);
    return {.has_cookie = cookie.has_value()};
}

// `?token=`, or where a door's clients put it that cannot send headers.
std::optional<std::string> Access::secret_in_query(std::string_view text) const {
    if (text.empty()) return std::nullopt;
    const auto query = wire::Query::parse(text);
    if (!query) return std::nullopt;
    if (const auto token = query->find("token")) return std::string(*token);
    for (const QueryForm& form : query_forms_) {
        if (auto secret = form.find_secret(*query)) return secret;
    }
    return std::nullopt;
}

bool Access::promises_token(std::string_view text) const {
    const auto query = wire::Query::parse(text);
    return query && std::any_of(query_forms_.begin(), query_forms_.end(), [&](const auto& form) {
               return form.promises_secret && form.promises_secret(*query);
           });
}

void Access::sign_in(const net::Peer& peer, std::string secret,
                     UniqueFunction<void(std::optional<Caller>)> done) {
    const bool is_known = find_token(secret).caller.has_value();
    const bool is_slow = is_slowed_down(std::string(without_port(peer.address)));
    if (is_known || is_slow || !options_.hear_first || !may_look_again())
        return done(sign_in_known(peer, secret));
    options_.hear_first(
        alive_.guard([this, peer, secret = std::move(secret), done = std::move(done)]() mutable {
            done(sign_in_known(peer, secret));
        }));
}

std::optional<Caller> Access::sign_in_known(const net::Peer& peer, std::string_view secret) {
    const std::string address(without_port(peer.address));
    Identity who = find_token(secret);
    const bool is_slow = is_slowed_down(address);
    if (!who.caller) {
        note_guess(address);
        return std::nullopt;
    }
    if (is_slow && !who.is_unguessable && !is_known(address, *who.caller)) return std::nullopt;
    note_known(address, *who.caller);
    return std::move(who.caller);
}

// Every candidate is compared, and each in constant time: neither which token matched nor how much
// of one did can be read off the clock.
Access::Identity Access::find_token(std::string_view secret) const {
    const std::string hash = net::sha256_hex(secret);
    const Instant now = clock_.wall();
    Identity found{.is_guess = true};
    for (const auto& [name, token] : tokens_) {
        if (is_sign_in(name)) continue;
        if (net::equal_in_constant_time(token->hash, hash) && is_live(*token, tokens_, now))
            found = {.caller = token_holder(token),
                     .is_unguessable = secret.size() >= limits::kUnguessableChars};
    }
    return found;
}

std::optional<Caller> Access::find_cookie(std::string_view secret) const {
    const std::string hash = net::sha256_hex(secret);
    const Instant now = clock_.wall();
    std::optional<Caller> found;
    const auto first = tokens_.lower_bound(std::string(kSignInPrefix));
    for (auto entry = first; entry != tokens_.end() && is_sign_in(entry->first); ++entry) {
        const auto& [name, token] = *entry;
        if (!net::equal_in_constant_time(token->hash, hash) || !is_live(*token, tokens_, now))
            continue;
        found = token_holder(token);
        found->is_browser = true;
    }
    return found;
}

bool Access::may_look_again() {
    const Mono now = clock_.mono();
    if (now - looks_.since >= std::chrono::seconds(1)) looks_ = {.since = now};
    return looks_.count++ < limits::kTokenLooksPerSecond;
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

void Access::note_guess(const std::string& address) {
    ++failed_logins_;
    if (guesses_.size() >= limits::kLoginAddressesMax) guesses_.clear();
    auto& guesses = guesses_[address];
    if (guesses.count++ == 0) guesses.since = clock_.mono();
    tell({.address = address});
    if (guesses.count == limits::kLoginFailuresMax)
        tell({.kind = AccessNews::Kind::locked_out, .address = address});
}

void Access::tell(AccessNews news) const {
    if (options_.on_news) options_.on_news(news);
}

void Access::tell(AccessNews news, const net::Exchange& exchange) const {
    const net::Peer& peer = exchange.peer();
    news.address = peer.is_local() ? kLocalAddress : without_port(peer.address);
    tell(std::move(news));
}

bool Access::is_known(const std::string& address, const Caller& caller) const {
    return known_.contains(address + ' ' + caller.principal);
}

void Access::note_known(const std::string& address, const Caller& caller) {
    if (known_.size() >= limits::kLoginAddressesMax) known_.clear();
    known_.insert(address + ' ' + caller.principal);
}

void Access::note_use(const Caller& caller) const {
    if (!caller.token || !options_.on_use) return;
    const Instant now = clock_.wall();
    const auto& used_at = caller.token->used_at;
    if (!used_at || now - *used_at >= limits::kTokenUseGrain)
        options_.on_use(caller.token->name, now);
}

bool is_still_valid(const Caller& caller, const Access::Tokens& tokens, Instant now) {
    if (!caller.token) return true;
    const auto found = tokens.find(caller.token->name);
    if (found == tokens.end() || found->second->hash != caller.token->hash) return false;
    return is_live(*caller.token, tokens, now);
}

bool has_live_right(const Caller& caller, const Access::Tokens& tokens, Instant now) {
    if (!caller.token) return true;
    return std::ranges::any_of(tokens, [&](const auto& entry) {
        const Token& token = *entry.second;
        return token.principal == caller.principal && token.role == caller.role &&
               token.session == caller.token->session && is_live(token, tokens, now);
    });
}

}  // namespace parley
