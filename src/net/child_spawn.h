// SPDX-License-Identifier: Apache-2.0
// Starting a process: the part of Child that speaks posix_spawn. Part of Child.
#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "net/child.h"

namespace parley::net {

// Descriptors are -1 where there is no pipe; all are non-blocking and ours to close.
struct Spawned {
    pid_t pid = -1;
    int pidfd = -1;
    int input = -1;
    int output = -1;
    int errors = -1;
};

[[nodiscard]] Result<Spawned> spawn_process(const ChildOptions& options);

}  // namespace parley::net
