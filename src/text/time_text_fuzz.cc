// SPDX-License-Identifier: Apache-2.0
// Any bytes as a time and as a duration: what is accepted is in range and reads back.
#include "base/assert.h"
#include "text/limits.h"
#include "text/time_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace parley;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto at = parse_rfc3339(text)) {
        const std::string written = format_rfc3339(*at);
        ASSERT(written.size() == 24);
        ASSERT(parse_rfc3339(written) == *at);
    }
    if (const auto duration = parse_duration(text)) {
        ASSERT(*duration > Millis(0) && *duration <= limits::kTimeoutMax);
        ASSERT(parse_duration(std::to_string(duration->count()) + "ms") == *duration);
        ASSERT(!format_duration(*duration).empty());
    }
    return 0;
}
