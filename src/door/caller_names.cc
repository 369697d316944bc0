// SPDX-License-Identifier: Apache-2.0
#include "door/caller_names.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/assert.h"
#include "door/access.h"
#include "text/name_fold.h"

namespace parley {

namespace {

constexpr std::size_t kParentHashLength = 8;
// What stood for browsers once, and what is made up for others.
constexpr std::string_view kBrowser = "browser";
constexpr std::string_view kGuestPrefix = "guest-";

}  // namespace

SignInParent parent_of(std::string_view sign_in) {
    const auto at = sign_in.find('@');
    if (at == std::string_view::npos || at < kParentHashLength) return {};
    return {sign_in.substr(at - kParentHashLength, kParentHashLength), sign_in.substr(at + 1)};
}

bool has_port(std::string_view host) {
    return host.rfind(':') != std::string_view::npos && !host.ends_with(']');
}

const Caller& caller(const net::Exchange& exchange) {
    const auto* found = exchange.principal<Caller>();
    ASSERT(found != nullptr);
    return *found;
}

Actor as_actor(const Caller& caller, std::string_view door, std::optional<std::string> by) {
    return {.principal = caller.principal,
            .door = std::string(door),
            .name = caller.name,
            .claimed = std::move(by),
            .uid = caller.uid,
            .pid = caller.pid,
            .sees_all = caller.is_person(),
            .only_session = caller.token ? caller.token->session : std::nullopt};
}

Viewer Caller::viewer() const {
    return as_actor(*this, {}).viewer();
}

bool is_reserved_name(std::string_view name) {
    const std::string folded = fold_name(name);
    return folded == kBrowser || folded == kAnyone || is_sign_in(folded) || folded == "." ||
           folded == ".." || folded.starts_with(kUidPrefix) || folded.starts_with(kGuestPrefix) ||
           folded.starts_with(kPrincipalPrefix);
}

std::string sign_in_cookie(std::string_view host) {
    return has_port(host) ? fmt::format("parley-{}", host.substr(host.rfind(':') + 1)) : "parley";
}

std::string sign_in_name(std::string_view id, const Token* parent) {
    if (parent == nullptr) return fmt::format("{}{}", kSignInPrefix, id);
    return fmt::format("{}{}:{}@{}", kSignInPrefix, id, parent->hash.substr(0, kParentHashLength),
                       parent->name);
}

bool is_sign_in(std::string_view token_name) {
    return token_name.starts_with(kSignInPrefix);
}

bool is_sign_in_of(std::string_view token_name, const Token* parent) {
    if (!is_sign_in(token_name)) return false;
    return parent_of(token_name).name == (parent == nullptr ? std::string_view() : parent->name);
}

}  // namespace parley
