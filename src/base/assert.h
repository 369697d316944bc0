// SPDX-License-Identifier: Apache-2.0
// ASSERT(condition): a broken invariant is our bug; print where and the stack, then abort. On in
// release builds. Never for what the outside sends: that is an Error (base/result.h).
#pragma once

namespace parley {

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace parley

#define ASSERT(condition)                                               \
    do {                                                                \
        if (!(condition)) [[unlikely]]                                  \
            ::parley::assertion_failed(#condition, __FILE__, __LINE__); \
    } while (false)
