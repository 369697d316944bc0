// SPDX-License-Identifier: Apache-2.0
// Where work runs. The broker and its connections live on one executor, the database on another;
// the simulator supplies its own. Tasks of one executor never overlap and run in posting order.
#pragma once

#include "base/clock.h"
#include "base/unique_function.h"

namespace parley {

using Task = UniqueFunction<void()>;

class Executor {
public:
    virtual ~Executor() = default;
    // Any thread. The task runs later, never inside this call.
    virtual void post(Task task) = 0;
    // From the executor's own thread. Runs at `when` or later; cannot be cancelled, so the task
    // checks for itself whether it is still wanted.
    virtual void post_at(Mono when, Task task) = 0;
};

}  // namespace parley
