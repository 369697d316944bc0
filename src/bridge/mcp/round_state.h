// SPDX-License-Identifier: Apache-2.0
// What a modern client carries from one round of a call to the next (`requestState`). It comes back
// from outside, so it is signed, bound to who called and to what the call said, and runs out. Pure
// functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "parley/values.h"

namespace parley::mcp {

struct RoundState {
    AskId ask;
    int round = 1;
    Instant expires = {};
    std::string digest = {};  // of the call's arguments
};

// Who signs, and for whom.
struct Seal {
    std::string key;        // a secret of this server
    std::string principal;  // the caller
};

std::string digest_of(std::string_view arguments);
std::string sign(const RoundState& state, const Seal& seal);
// Refused: what was not signed here, for another caller, or too long ago.
[[nodiscard]] Result<RoundState> verify(std::string_view text, const Seal& seal, Instant now);

}  // namespace parley::mcp
