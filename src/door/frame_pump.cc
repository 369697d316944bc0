// SPDX-License-Identifier: Apache-2.0
#include "door/frame_pump.h"

#include <utility>

#include "core/told_error.h"
#include "door/limits.h"

namespace parley {

NoticeGiven store_notice(const std::optional<Error>& away) {
    if (!away) return {.text = "The broker's store is back.", .level = NoticeGiven::Level::info};
    return {.text = "The broker's store is away: " + away->message,
            .level = NoticeGiven::Level::warning};
}

Result<void> FramePump::subscribe(SubscribeRequest request) {
    request.viewer = caller_.viewer();
    auto subscription = wiring_.broker.subscribe(std::move(request), [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->pump();
    });
    if (!subscription) return reject(std::move(subscription).error());
    subscription_ = std::move(*subscription);
    return {};
}

void FramePump::feed(FrameSink& sink) {
    sink_ = &sink;
    pump();
}

void FramePump::stop() {
    sink_ = nullptr;
    subscription_ = {};
}

void FramePump::pump() {
    const auto alive = shared_from_this();
    while (sink_ != nullptr && !is_waiting_ && sink_->is_open()) {
        if (sink_->queued_bytes() > limits::kEventQueueHigh) return wait_for_room();
        if (sent_ == taken_.size() && !(take_more() && prepare())) return;
        sink_->send(taken_[sent_++]);
    }
}

bool FramePump::take_more() {
    if (!is_still_valid(caller_, wiring_.broker.tokens(), wiring_.clock.wall())) {
        sink_->cut();
        return false;
    }
    taken_.clear();
    sent_ = 0;
    subscription_.take(taken_, limits::kEventsTakenAtOnce);
    if (!taken_.empty()) return true;
    if (const Error* failure = subscription_.failure()) {
        sink_->break_off(*failure);
    } else {
        tell_of_store();
    }
    return false;
}

void FramePump::tell_of_store() {
    const std::string& cause = wiring_.broker.lost_because();
    if (std::exchange(told_away_, cause) == cause) return;
    std::optional<Error> away;
    if (!cause.empty()) away = told_to(caller_.viewer(), {ErrorCode::unavailable, cause});
    sink_->tell_of_store(away);
}

// False: it goes on by itself once the sink is ready for what was taken.
bool FramePump::prepare() {
    is_waiting_ = true;
    const bool takes_time = sink_->prepare(taken_, [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (!self) return;
        self->is_waiting_ = false;
        self->pump();
    });
    if (!takes_time) is_waiting_ = false;
    return !takes_time;
}

void FramePump::wait_for_room() {
    is_waiting_ = true;
    sink_->on_queue_below(limits::kEventQueueLow, [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (!self) return;
        self->is_waiting_ = false;
        self->pump();
    });
}

}  // namespace parley
