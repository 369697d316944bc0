// SPDX-License-Identifier: Apache-2.0
// Tells when a descriptor can be read: for what the loop does not own, such as a terminal. It never
// reads, never closes, and leaves the descriptor blocking, since others share it. On the loop.
#pragma once

#include <memory>

#include "base/unique_function.h"
#include "net/loop.h"

namespace parley::net {

class ReadableWatch {
public:
    // `readable` is called each time there is something to read, the end included. It reads what
    // is there; it may destroy the watch.
    ReadableWatch(Loop& loop, int fd, UniqueFunction<void()> readable);
    ~ReadableWatch();
    ReadableWatch(const ReadableWatch&) = delete;
    ReadableWatch& operator=(const ReadableWatch&) = delete;

private:
    struct State;

    std::shared_ptr<State> state_;
};

}  // namespace parley::net
