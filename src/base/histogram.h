// SPDX-License-Identifier: Apache-2.0
// Counts of durations below growing bounds, as Prometheus wants them. Belongs to one thread.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace parley {

class Histogram {
public:
    // In seconds.
    static constexpr std::array kBounds = {0.0005, 0.001, 0.0025, 0.005,  0.01,   0.025,
                                           0.05,   0.1,   0.25,   0.5,    1.0,    5.0,
                                           30.0,   120.0, 600.0,  3600.0, 86400.0};

    void add(std::chrono::nanoseconds time) {
        const double seconds = std::chrono::duration<double>(time).count();
        ++count_;
        sum_ += seconds;
        for (std::size_t i = 0; i < kBounds.size(); ++i)
            if (seconds <= kBounds[i]) ++counts_[i];
    }
    // So many were at most kBounds[i].
    std::uint64_t up_to(std::size_t i) const { return counts_[i]; }
    std::uint64_t count() const { return count_; }
    double sum() const { return sum_; }

private:
    std::array<std::uint64_t, kBounds.size()> counts_{};
    std::uint64_t count_ = 0;
    double sum_ = 0;
};

}  // namespace parley
