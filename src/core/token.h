// SPDX-License-Identifier: Apache-2.0
// Who may: a token has a name and a role, and is kept only as a hash. Plain values.
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

struct Token {
    std::string name;
    Role role = Role::responder;
    std::string hash;  // SHA-256 of the secret, in hex
    Instant created_at = {};
    std::optional<Instant> expires_at = {};

    bool operator==(const Token&) const = default;
};

using TokenPtr = std::shared_ptr<const Token>;

std::string_view to_string(Role role);

}  // namespace parley
