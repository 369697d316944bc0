// SPDX-License-Identifier: Apache-2.0
// Time as an argument. Only src/net, src/app and the embedded broker hold a real clock; everything
// below takes a Clock or an Instant, which is what lets the simulator own time.
#pragma once

#include <chrono>

#include "parley/values.h"

namespace parley {

// Monotonic time: what measures how long something has waited.
using Mono = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;

class Clock {
public:
    virtual ~Clock() = default;
    virtual Instant wall() const = 0;
    virtual Mono mono() const = 0;
};

class SystemClock final : public Clock {
public:
    Instant wall() const override;
    Mono mono() const override;
};

}  // namespace parley
