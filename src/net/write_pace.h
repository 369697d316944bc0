// SPDX-License-Identifier: Apache-2.0
// Whether a peer takes its output fast enough, judged by bytes per time: one that reads a few bytes
// now and then holds as much memory as one that reads none. Belongs to one connection.
#pragma once

#include <cstddef>

#include "base/clock.h"
#include "parley/values.h"

namespace parley::net {

class WritePace {
public:
    // Output waits for its peer.
    void wait(Mono now) {
        if (is_waiting_) return;
        is_waiting_ = true;
        since_ = now;
        taken_ = 0;
    }
    void took(std::size_t bytes) { taken_ += bytes; }
    // Nothing waits any more.
    void clear() { is_waiting_ = false; }

    bool is_waiting() const { return is_waiting_; }
    Mono since() const { return since_; }
    // Less than `bytes_min` were taken in the last `window` that is over.
    bool is_stalled(Mono now, Millis window, std::size_t bytes_min) {
        if (!is_waiting_ || now - since_ <= window) return false;
        if (taken_ < bytes_min) return true;
        since_ = now;
        taken_ = 0;
        return false;
    }

private:
    Mono since_ = {};
    std::size_t taken_ = 0;
    bool is_waiting_ = false;
};

}  // namespace parley::net
