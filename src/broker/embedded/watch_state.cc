// SPDX-License-Identifier: Apache-2.0
#include "broker/embedded/watch_state.h"

#include <utility>

#include "broker/limits.h"

namespace parley::embedded {

Result<void> WatchState::start(LoopBroker& broker, const WatchRequest& request) {
    TRY(subscription,
        broker.subscribe(
            {.after = request.after, .session = request.session, .viewer = core_->actor().viewer()},
            [weak = weak_from_this()] {
                const auto self = weak.lock();
                if (!self) return;
                self->core_->post([self](LoopBroker&) { self->pull(); });
            }));
    subscription_ = std::move(subscription);
    core_->add_watch(shared_from_this());
    return {};
}

void WatchState::pull() {
    if (is_telling_ || !subscription_) return;
    std::vector<Frame> frames;
    subscription_.take(frames, limits::kFollowFramesAtOnce);
    // The subscription says when there is something again.
    if (frames.empty()) return;
    is_telling_ = true;
    core_->post_callback([self = shared_from_this(), frames = std::move(frames)] {
        self->tell(frames);
        self->core_->post([self](LoopBroker&) {
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
    core_->post([self = shared_from_this()](LoopBroker&) {
        self->core_->drop_watch(self);
        self->cut_off();
    });
}

}  // namespace parley::embedded

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
