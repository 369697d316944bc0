// SPDX-License-Identifier: Apache-2.0
#include "agent/stream_pusher.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/limits.h"

namespace parley {

namespace {

// Whether `next` was made part of `last`.
bool join(StreamItem& last, StreamItem& next) {
    auto* before = std::get_if<PartDelta>(&last);
    const auto* after = std::get_if<PartDelta>(&next);
    if (before == nullptr || after == nullptr || after->is_start) return false;
    if (before->kind != after->kind || before->part_id != after->part_id) return false;
    before->text += after->text;
    return true;
}

}  // namespace

StreamPusher::StreamPusher(net::Loop& loop, Link& link, std::string session)
    : loop_(loop), link_(link), session_(std::move(session)), delay_(limits::kRetryDelayMin) {}

void StreamPusher::push(StreamItem item) {
    if (is_over_) return;
    if (!waiting_.empty() && join(waiting_.back(), item)) return;
    // A broker that is away for so long gets the latest.
    if (waiting_.size() >= limits::kStreamQueueMax) waiting_.pop_front();
    waiting_.push_back(std::move(item));
    if (sending_.empty()) send();
}

void StreamPusher::when_done(Task task) {
    if (sending_.empty()) {
        loop_.post(std::move(task));
    } else {
        when_done_.push_back(std::move(task));
    }
}

void StreamPusher::send() {
    while (!waiting_.empty() && sending_.size() < limits::kPushedAtOnce) {
        sending_.push_back(std::move(waiting_.front()));
        waiting_.pop_front();
    }
    link_.push(session_, sending_, [this, alive = std::weak_ptr(alive_)](Result<void> result) {
        if (!alive.expired()) sent(result);
    });
}

void StreamPusher::sent(const Result<void>& result) {
    const bool is_away = !result && (result.error().code == ErrorCode::unavailable ||
                                     result.error().code == ErrorCode::overloaded);
    if (is_away) {
        delay_ = std::min<Millis>(delay_ * 2, limits::kRetryDelayMax);
        loop_.post_at(loop_.now() + delay_, [this, alive = std::weak_ptr(alive_)] {
            if (!alive.expired()) send();
        });
        return;
    }
    delay_ = limits::kRetryDelayMin;
    is_over_ = !result && (result.error().code == ErrorCode::conflict ||
                           result.error().code == ErrorCode::not_found);
    if (is_over_) waiting_.clear();
    sending_.clear();
    if (!waiting_.empty()) return send();
    for (Task& task : std::exchange(when_done_, {})) task();
}

}  // namespace parley
