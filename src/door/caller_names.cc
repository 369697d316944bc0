// SPDX-License-Identifier: Apache-2.0
#include "door/caller_names.h"

#include <string>
#include <utility>

#include "base/assert.h"
#include "door/access.h"
#include "door/sign_in_names.h"
#include "text/name_fold.h"

namespace parley {

namespace {

// What stood for browsers once, and what is made up for others.
constexpr std::string_view kBrowser = "browser";
constexpr std::string_view kGuestPrefix = "guest-";

}  // namespace

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
            .only_session = caller.viewer().only_session};
}

bool is_reserved_name(std::string_view name) {
    const std::string folded = fold_name(name);
    return folded == kBrowser || folded == kAnyone || is_sign_in(folded) || folded == "." ||
           folded == ".." || folded.starts_with(kUidPrefix) || folded.starts_with(kGuestPrefix) ||
           folded.starts_with(kPrincipalPrefix);
}

}  // namespace parley
