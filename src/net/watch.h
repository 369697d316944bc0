// SPDX-License-Identifier: Apache-2.0
// Tells, once, when somebody else is gone: a process that is not our child, or the reader of a
// pipe that we write to. Neither has to be waited for by anyone. Belongs to the loop's thread;
// dropping a watch ends it.
#pragma once

#include <sys/types.h>

#include <memory>

#include "base/executor.h"
#include "net/loop.h"

namespace parley::net {

class ProcessWatch {
public:
    ProcessWatch() = default;
    ProcessWatch(ProcessWatch&&) noexcept = default;
    ProcessWatch& operator=(ProcessWatch&&) noexcept = default;

    // Runs `gone` at once, in a later turn, if there is no such process.
    [[nodiscard]] static ProcessWatch process(Loop& loop, pid_t pid, Task gone);
    // Never runs `gone` if `fd` is not the writing end of a pipe or socket.
    [[nodiscard]] static ProcessWatch reader(Loop& loop, int fd, Task gone);

private:
    struct State;
    explicit ProcessWatch(std::shared_ptr<State> state) : state_(std::move(state)) {}

    std::shared_ptr<State> state_;
};

}  // namespace parley::net
