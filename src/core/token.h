// SPDX-License-Identifier: Apache-2.0
// Who may: a token has a name and a role, belongs to a principal, and is kept only as a hash. Plain
// values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "parley/values.h"

namespace parley {

// agent: asks, sees and withdraws its own asks, never settles as a person. responder: sees,
// answers, dismisses. owner: both, and tokens.
enum class Role : std::uint8_t { agent, responder, owner };

// A principal is whom tokens act for: a person, or an agent. It lives as long as it has a token, so
// one that is made under the name of another that is gone inherits nothing.
struct Token {
    std::string name;
    Role role = Role::responder;
    std::string hash;  // SHA-256 of the secret, in hex
    Instant created_at = {};
    std::optional<Instant> expires_at = {};
    std::string principal = {};  // the stable key, of all tokens of one principal alike
    std::string person = {};     // the principal's name; empty until a new person has said it
    std::string device = {};     // of a browser's sign-in: where, in a few words
    std::optional<Instant> used_at = {};  // coarse: written down now and then
    // An agent's that was made for one session acts there, whoever opened it.
    std::optional<SessionId> session = {};

    bool operator==(const Token&) const = default;
};

using TokenPtr = std::shared_ptr<const Token>;

std::string_view to_string(Role role);

// By this, principals that came with a token are told from those that never had one: users of the
// local socket, the broker's own parts, programs that embed it.
inline constexpr std::string_view kPrincipalPrefix = "prn_";
// The children that one session's agent runs are told apart from all: the next takes the place of
// the last.
inline constexpr std::string_view kChildPrefix = "prn_run_";

// Who is nobody any more once it has no token.
inline bool lives_by_tokens(std::string_view principal) {
    return principal.starts_with(kPrincipalPrefix) && !principal.starts_with(kChildPrefix);
}
inline bool is_revocable_agent(const Token& token) {
    return token.role == Role::agent && lives_by_tokens(token.principal);
}

// The principal's name, or a made-up one until it has said its own.
std::string shown_name(const Token& token);

}  // namespace parley
