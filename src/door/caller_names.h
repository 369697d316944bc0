// SPDX-License-Identifier: Apache-2.0
// How callers without a token of their own, and browsers' sign-ins, are named. Internal to Access.
#pragma once

#include <cstddef>
#include <string_view>

namespace parley {

// Principals of those who came without a token.
inline constexpr std::string_view kUidPrefix = "uid:";
inline constexpr std::string_view kAnyone = "anyone";  // --no-auth

// Names of sign-ins: "browser:1f2e3d4c", and "browser:1f2e3d4c:HASH@TOKEN" for one that came from a
// token, with the beginning of that token's hash: another token of that name is another token.
inline constexpr std::string_view kSignInPrefix = "browser:";

// The token that a sign-in came from; empty if it came from a ticket.
struct SignInParent {
    std::string_view hash_start;
    std::string_view name;
};
SignInParent parent_of(std::string_view sign_in);

// An IPv6 address has its colons in brackets.
bool has_port(std::string_view host);

}  // namespace parley
