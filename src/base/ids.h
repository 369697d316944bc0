// SPDX-License-Identifier: Apache-2.0
// The maker of ids. Owned by the broker, on its thread. Every id is above all earlier ones, also
// when the clock steps back and, after raise_above(), above everything that a store already holds.
#pragma once

#include <cstdint>

#include "base/unique_function.h"
#include "parley/ids.h"
#include "parley/values.h"

namespace parley {

// 64 random bits. The system's source in production, a seeded generator in the simulator.
using RandomBits = UniqueFunction<std::uint64_t()>;

RandomBits system_random();

class IdMaker {
public:
    explicit IdMaker(RandomBits random) : random_(std::move(random)) {}

    template <class Kind>
    Id<Kind> next(Instant now) {
        return Id<Kind>(next_bits(now));
    }

    template <class Kind>
    void raise_above(Id<Kind> id) {
        if (id.bits() > last_) last_ = id.bits();
    }

private:
    IdBits next_bits(Instant now);

    RandomBits random_;
    IdBits last_;
};

}  // namespace parley
