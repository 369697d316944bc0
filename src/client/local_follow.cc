// SPDX-License-Identifier: Apache-2.0
#include "client/local_follow.h"

#include <utility>

#include "broker/limits.h"

namespace parley {

namespace {

class Handle final : public Following {
public:
    explicit Handle(std::shared_ptr<LocalFollow> follow) : follow_(std::move(follow)) {}
    ~Handle() override { follow_->stop(); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void pause() override { follow_->pause(); }
    void resume() override { follow_->resume(); }
    const ResumePoint& resume_point() const override { return follow_->resume_point(); }

private:
    std::shared_ptr<LocalFollow> follow_;
};

}  // namespace

std::unique_ptr<Following> LocalFollow::make_handle(std::shared_ptr<LocalFollow> follow) {
    return std::make_unique<Handle>(std::move(follow));
}

void LocalFollow::start(const FollowRequest& request) {
    resume_point_ = ResumePoint(request.after);
    is_agent_ = request.is_agent;
    if (request.session.empty()) {
        subscribe(std::nullopt);
    } else {
        find_session(request.session);
    }
}

// A name that is not known yet is opened: a page may follow its session before anyone asks in it.
void LocalFollow::find_session(std::string_view ref) {
    wiring_.broker.enter_session(ref, viewer_,
                                 [self = shared_from_this()](Result<SessionPtr> found) {
                                     if (!self->is_over()) self->session_found(std::move(found));
                                 });
}

void LocalFollow::session_found(Result<SessionPtr> session) {
    if (!session) return end(std::move(session).error());
    subscribe((*session)->id);
}

void LocalFollow::subscribe(std::optional<SessionId> session) {
    auto made = wiring_.broker.subscribe({.after = resume_point_.after(),
                                          .session = session,
                                          .viewer = viewer_,
                                          .is_agent = is_agent_},
                                         [weak = weak_from_this()] {
                                             if (const auto self = weak.lock())
                                                 self->post_delivery();
                                         });
    if (!made) {
        wiring_.home.post(
            [self = shared_from_this(), why = std::move(made).error()] { self->end(why); });
        return;
    }
    subscription_ = std::move(*made);
    // Also where there is nothing to read yet: that it is connected is told.
    post_delivery();
}

void LocalFollow::stop() {
    listener_ = nullptr;
    subscription_ = {};
}

void LocalFollow::resume() {
    if (!std::exchange(is_paused_, false) || is_over()) return;
    post_delivery();
}

void LocalFollow::post_delivery() {
    if (std::exchange(is_delivery_posted_, true)) return;
    wiring_.home.post([self = shared_from_this()] { self->deliver(); });
}

void LocalFollow::deliver() {
    is_delivery_posted_ = false;
    if (is_over() || is_paused_ || !subscription_) return;
    if (!std::exchange(is_connected_, true)) {
        listener_->on_state(FollowListener::State::connected, std::nullopt);
        if (is_over() || is_paused_) return;
    }
    frames_.clear();
    subscription_.take(frames_, limits::kFollowFramesAtOnce);
    if (const Error* failure = frames_.empty() ? subscription_.failure() : nullptr)
        return end(*failure);
    // The subscription says when there is something again.
    if (frames_.empty()) return;
    for (const Frame& frame : frames_) resume_point_.note(frame);
    post_delivery();
    listener_->on_frames(frames_);
}

void LocalFollow::end(Error why) {
    if (is_over()) return;
    FollowListener* listener = std::exchange(listener_, nullptr);
    listener->on_state(FollowListener::State::ended, std::move(why));
}

}  // namespace parley
