// SPDX-License-Identifier: Apache-2.0
// How the token behind a browser's sign-in is named.
//
// A sign-in is a token too, whose secret is the value of the cookie and counts nowhere else. Its
// name holds the token that it came from, if any: it belongs to that token's principal, and dies
// with it.
#pragma once

#include <string>
#include <string_view>

#include "core/token.h"

namespace parley {

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
