// SPDX-License-Identifier: Apache-2.0
// How much a store takes.
#pragma once

#include <cstdint>

namespace parley {

// On its disk, where it has one.
struct StoreSize {
    std::uint64_t bytes = 0;
    std::uint64_t log_bytes = 0;  // of the write-ahead log
};

}  // namespace parley
