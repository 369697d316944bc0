// SPDX-License-Identifier: Apache-2.0
// Addresses that options name, checked before anything rests on them: one that is mistyped would
// never match, and nobody would be told. Pure functions; an error begins with what was given.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace parley::app {

// HOST or HOST:PORT, as browsers send it.
[[nodiscard]] Result<void> check_host(std::string_view text);
// SCHEME://HOST, SCHEME://HOST:PORT or SCHEME://HOST:*.
[[nodiscard]] Result<void> check_origin(std::string_view text);
// http(s)://HOST[:PORT], where a server is reached; gives it without a slash at its end.
[[nodiscard]] Result<std::string> check_base_url(std::string_view text);

}  // namespace parley::app
