// SPDX-License-Identifier: Apache-2.0
#include "door/alarms.h"

namespace parley {

Alarms::Key Alarms::set(std::chrono::nanoseconds delay, Task task) {
    const Key key(clock_.mono() + delay, next_++);
    tasks_.emplace(key, std::move(task));
    arm();
    return key;
}

void Alarms::arm() {
    if (tasks_.empty()) return;
    const Mono earliest = tasks_.begin()->first.first;
    if (armed_for_ && *armed_for_ <= earliest) return;
    armed_for_ = earliest;
    home_.post_at(earliest, [weak = weak_from_this(), earliest] {
        const auto self = weak.lock();
        if (self && self->armed_for_ == earliest) self->ring();
    });
}

void Alarms::ring() {
    armed_for_.reset();
    const Mono now = clock_.mono();
    while (!tasks_.empty() && tasks_.begin()->first.first <= now) {
        auto due = tasks_.extract(tasks_.begin());
        due.mapped()();
    }
    arm();
}

}  // namespace parley
