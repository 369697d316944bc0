// SPDX-License-Identifier: Apache-2.0
// The name of the cookie that a browser is signed in by.
#pragma once

#include <string>
#include <string_view>

namespace parley {

// Cookies do not tell ports apart, so the cookie's name has the port of `host`, the Host field: two
// brokers on one machine sign nobody out of the other.
std::string sign_in_cookie(std::string_view host);

}  // namespace parley
