// SPDX-License-Identifier: Apache-2.0
// When to come again: told with every 503, whether a door answers so or the server itself.
#pragma once

#include "net/limits.h"
#include "net/response.h"

namespace parley::net {

inline void add_retry_after(Response& response) {
    constexpr int kUnavailable = 503;
    if (response.status == kUnavailable)
        response.headers.add("Retry-After", limits::kRetryAfter.count());
}

}  // namespace parley::net
