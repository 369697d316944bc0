// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

namespace parley {

Instant SystemClock::wall() const {
    return std::chrono::floor<Millis>(std::chrono::system_clock::now());
}

Mono SystemClock::mono() const {
    return std::chrono::steady_clock::now();
}

}  // namespace parley
