// SPDX-License-Identifier: Apache-2.0
// Deadlines that are mostly taken back before they come, as those of requests that wait: they stand
// in one ordered list with a single timer of the executor behind it, because a timer of its own
// could not be cancelled and would stay for its whole length. Belongs to the executor's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/executor.h"

namespace parley {

class Alarms : public std::enable_shared_from_this<Alarms> {
public:
    using Key = std::pair<Mono, std::uint64_t>;

    Alarms(Executor& home, const Clock& clock) : home_(home), clock_(clock) {}

    // `task` runs once, `delay` from now or later, unless it is dropped before.
    Key set(std::chrono::nanoseconds delay, Task task);
    // Nothing happens if it has run.
    void drop(const Key& key) { tasks_.erase(key); }
    std::size_t size() const { return tasks_.size(); }

private:
    void arm();
    void ring();

    Executor& home_;
    const Clock& clock_;
    std::map<Key, Task> tasks_;
    std::uint64_t next_ = 0;
    std::optional<Mono> armed_for_;
};

}  // namespace parley
