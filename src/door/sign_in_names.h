// SPDX-License-Identifier: Apache-2.0
// How the sign-in of a browser is named: the cookie that it has, and the token behind it.
//
// A sign-in is a token too, whose secret is the value of the cookie and counts nowhere else. Its
// name holds the token that it came from, if any: it belongs to that token's principal, and dies
// with it.
#pragma once

#include <string>
#include <string_view>

#include "core/token.h"

namespace parley {

// Cookies do not tell ports apart, so the cookie's name has the port of `host`, the Host field: two
// brokers on one machine sign nobody out of the other.
std::string sign_in_cookie(std::string_view host);

// "browser:1f2e3d4c", and "browser:1f2e3d4c:HASH@TOKEN" for one that came from a token, with the
// beginning of that token's hash: another token of that name is another token.
inline constexpr std::string_view kSignInPrefix = "browser:";
std::string sign_in_name(std::string_view id, const Token* parent);
bool is_sign_in(std::string_view token_name);
// Whether it came from that token, or, with none, from a ticket.
bool is_sign_in_of(std::string_view token_name, const Token* parent);

// The token that a sign-in came from; empty if it came from a ticket.
struct SignInParent {
    std::string_view hash_start;
    std::string_view name;
};
SignInParent parent_of(std::string_view sign_in);

}  // namespace parley
