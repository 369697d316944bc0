// SPDX-License-Identifier: Apache-2.0
// Inside client: one Following of a LocalLink. Pulls from the broker's subscription one batch per
// turn of the loop, so that a listener with much to read does not hold up the others. Shared by its
// handle and by the tasks that it posts.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/executor.h"
#include "broker/broker.h"
#include "client/follow.h"

namespace parley {

class LocalFollow : public std::enable_shared_from_this<LocalFollow> {
public:
    struct Wiring {
        Executor& home;
        LoopBroker& broker;
        std::weak_ptr<const void> link;  // the broker may be gone once this is
    };

    LocalFollow(Wiring wiring, Viewer viewer, FollowListener& listener)
        : wiring_(std::move(wiring)), viewer_(std::move(viewer)), listener_(&listener) {}

    static std::unique_ptr<Following> make_handle(std::shared_ptr<LocalFollow> follow);

    void start(const FollowRequest& request);
    void stop();
    void pause() { is_paused_ = true; }
    void resume();
    const ResumePoint& resume_point() const { return resume_point_; }

private:
    bool is_over() const { return listener_ == nullptr || wiring_.link.expired(); }
    void find_session(std::string_view ref);
    void session_found(Result<SessionPtr> session);
    void subscribe(std::optional<SessionId> session);
    void post_delivery();
    void deliver();
    void end(Error why);

    Wiring wiring_;
    Viewer viewer_;
    bool is_agent_ = false;
    FollowListener* listener_;  // null once the handle is dropped or the end was told
    ResumePoint resume_point_{std::nullopt};
    Subscription subscription_;
    std::vector<Frame> frames_;  // of one delivery
    bool is_paused_ = false;
    bool is_connected_ = false;
    bool is_delivery_posted_ = false;
};

}  // namespace parley
