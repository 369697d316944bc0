// SPDX-License-Identifier: Apache-2.0
// Behind parley::AnyBroker: where a link to the broker lives. Each kind of broker that a program
// can have is one: a broker of its own, one that runs elsewhere. Owns the loop's thread and all
// that is on it.
#pragma once

#include "base/executor.h"
#include "base/result.h"
#include "client/link.h"

namespace parley::program {

class Home {
public:
    virtual ~Home() = default;

    // Any thread of the program, once. Blocks until there is a link to use, or there will be none.
    [[nodiscard]] virtual Result<void> open() = 0;
    // Any thread of the program, once after open() succeeded. What was posted before still runs;
    // then the link goes, and drops the callbacks that it was given; no thread is left.
    virtual void close() = 0;

    virtual Executor& loop() = 0;
    // On the loop.
    virtual Link& link() = 0;
};

}  // namespace parley::program
