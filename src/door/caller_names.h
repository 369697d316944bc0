// SPDX-License-Identifier: Apache-2.0
// How callers without a token of their own are named. Internal to Access.
#pragma once

#include <cstddef>
#include <string_view>

namespace parley {

// Principals of those who came without a token.
inline constexpr std::string_view kUidPrefix = "uid:";
inline constexpr std::string_view kAnyone = "anyone";  // --no-auth

// An IPv6 address has its colons in brackets.
bool has_port(std::string_view host);

}  // namespace parley
