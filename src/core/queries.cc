// SPDX-License-Identifier: Apache-2.0
#include "core/queries.h"

#include "core/limits.h"

namespace parley {

std::size_t usual_page() {
    return limits::kListPageDefault;
}

std::size_t largest_event_page() {
    return limits::kEventsPageMax;
}

std::size_t largest_page_bytes() {
    return limits::kPageBytes;
}

}  // namespace parley
