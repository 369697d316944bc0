// SPDX-License-Identifier: Apache-2.0
// How far a copy of a store has come.
#pragma once

#include <cstdint>

namespace parley {

struct CopyState {
    std::uint64_t bytes = 0;
    std::uint64_t total = 0;
    bool is_whole = false;  // and can be read
};

}  // namespace parley
