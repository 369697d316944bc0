// SPDX-License-Identifier: Apache-2.0
// All chance of a simulation, from one seed. The same seed makes the same run on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace parley::sim {

class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    std::uint64_t bits() { return engine_(); }
    // In [0, count). The library's distributions differ between implementations; a modulus does
    // not.
    std::size_t below(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }
    bool chance(unsigned percent) { return below(100) < percent; }

    template <class T>
    T& pick(std::vector<T>& from) {
        return from[below(from.size())];
    }

private:
    std::mt19937_64 engine_;
};

}  // namespace parley::sim
