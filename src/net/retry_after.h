// SPDX-License-Identifier: Apache-2.0
// When to come again: told with every 503, whether a door answers so or the server itself.
#pragma once

#include <chrono>

#include "net/response.h"

namespace parley::net {

inline constexpr std::chrono::seconds kRetryAfter{1};

inline void add_retry_after(Response& response) {
    constexpr int kUnavailable = 503;
    if (response.status == kUnavailable) response.headers.add("Retry-After", kRetryAfter.count());
}

}  // namespace parley::net
