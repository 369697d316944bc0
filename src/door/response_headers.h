// SPDX-License-Identifier: Apache-2.0
// The header lines that every answer of every door has: what keeps browsers and caches from doing
// more with it than it is for. On the loop's thread.
#pragma once

#include "net/router.h"

namespace parley {

// Puts them among the lines for the answer to this request, by what its route needs.
void add_safety_headers(net::Visit& visit);

}  // namespace parley
