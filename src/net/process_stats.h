// SPDX-License-Identifier: Apache-2.0
// What this process takes of its machine, as the system counts it.
#pragma once

#include <cstdint>

namespace parley::net {

struct ProcessStats {
    std::uint64_t resident_bytes = 0;
    std::uint64_t open_descriptors = 0;
    std::uint64_t descriptors_max = 0;
    double cpu_seconds = 0;
};

// What the system does not tell is 0.
std::uint64_t read_resident_bytes();
ProcessStats read_process_stats();

}  // namespace parley::net
