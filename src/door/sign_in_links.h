// SPDX-License-Identifier: Apache-2.0
// The secret of an address that signs a browser in, once. It says itself whom it invites, and is
// signed: every node that has the owner's token knows it, also after a restart, and nothing is
// remembered of it before it is used. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/token.h"

namespace parley {

// What a browser gets that opens the address.
struct Invitation {
    Role role = Role::responder;
    std::string principal = {};
    std::string person = {};  // empty: the page asks for it
    bool is_known = false;    // the principal had tokens; once it has none, nobody is invited
    Instant expires_at = {};
};

// Two of them are two links.
std::string write_invitation(const Invitation& invitation, std::string_view key);
// None: not signed with this key, or run out.
std::optional<Invitation> read_invitation(std::string_view secret, std::string_view key,
                                          Instant now);

}  // namespace parley
