// SPDX-License-Identifier: Apache-2.0
// The time of day that several machines have in common: this machine's own, moved by as much as
// another's is ahead of it. How long something takes is measured here, as ever. Any thread may move
// it.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"

namespace parley {

class SharedClock final : public Clock {
public:
    // `own` must outlive it.
    explicit SharedClock(const Clock& own) : own_(own) {}

    Instant wall() const override { return own_.wall() + ahead(); }
    Mono mono() const override { return own_.mono(); }

    const Clock& own() const { return own_; }
    Millis ahead() const { return Millis(ahead_.load(std::memory_order_relaxed)); }
    void set_ahead(Millis ahead) { ahead_.store(ahead.count(), std::memory_order_relaxed); }

private:
    const Clock& own_;
    std::atomic<Millis::rep> ahead_ = 0;
};

}  // namespace parley
