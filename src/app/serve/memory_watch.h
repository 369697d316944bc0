// SPDX-License-Identifier: Apache-2.0
// What memory there is, and when a process has too little of it left.
#pragma once

#include <cstddef>

namespace parley::app {

// The least of what the machine, the control group and the limit of this process allow.
std::size_t memory_of_machine();

// Tells when the process nears its bound and when it is well below it again, so that a broker at
// the bound does not go to and fro.
class MemoryWatch {
public:
    explicit MemoryWatch(std::size_t bytes_max) : bytes_max_(bytes_max) {}

    // Whether nothing new should be taken, as of `bytes` in use.
    bool is_short(std::size_t bytes) {
        const std::size_t share = is_short_ ? 8 : 9;  // tenths
        is_short_ = bytes > bytes_max_ / 10 * share;
        return is_short_;
    }

private:
    std::size_t bytes_max_;
    bool is_short_ = false;
};

}  // namespace parley::app
