// SPDX-License-Identifier: Apache-2.0
#include "client/program/watch_state.h"

#include <utility>

#include "broker/limits.h"

namespace parley::program {

void WatchState::start(Link& link, const WatchRequest& request, Done<void> started) {
    started_ = std::move(started);
    FollowRequest follow{.after = request.after};
    if (request.session) follow.session = request.session->str();
    core_->add_watch(shared_from_this());
    frames_.emplace(
        link, std::move(follow),
        FrameQueue::Wishes{
            .on_more = [this] { pull(); },
            .on_standing = [this](Result<void> standing) { is_standing(std::move(standing)); },
        });
}

void WatchState::cut_off() {
    frames_.reset();
    started_ = nullptr;
}

void WatchState::is_standing(Result<void> standing) {
    if (started_) return std::exchange(started_, nullptr)(std::move(standing));
    core_->report("a watch has ended: " + standing.error().message);
}

void WatchState::pull() {
    if (is_telling_ || !frames_) return;
    auto frames = frames_->take(limits::kFollowFramesAtOnce);
    // The queue says when there is something again.
    if (frames.empty()) return;
    is_telling_ = true;
    core_->post_callback([self = shared_from_this(), frames = std::move(frames)] {
        self->tell(frames);
        self->core_->post([self](Link&) {
            self->is_telling_ = false;
            self->pull();
        });
    });
}

void WatchState::tell(const std::vector<Frame>& frames) {
    for (const Frame& frame : frames) {
        const bool is_open =
            gate_.run([&] { core_->guard("a watch callback", [&] { callback_(frame); }); });
        if (!is_open) return;
    }
}

void WatchState::stop() {
    gate_.shut();
    core_->post([self = shared_from_this()](Link&) {
        self->core_->drop_watch(self);
        self->cut_off();
    });
}

}  // namespace parley::program

namespace parley {

Watch::Watch(Watch&& other) noexcept = default;

Watch& Watch::operator=(Watch&& other) noexcept {
    if (this == &other) return *this;
    if (state_) state_->stop();
    state_ = std::move(other.state_);
    return *this;
}

Watch::~Watch() {
    if (state_) state_->stop();
}

}  // namespace parley
