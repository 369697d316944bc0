// SPDX-License-Identifier: Apache-2.0
// Behind parley::AnyBroker: what a link gives, for who takes it when they have the time. So much is
// kept; from there on the link is paused, and what is missed waits in the store. Of the loop's own
// thread.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/unique_function.h"
#include "client/link.h"

namespace parley::program {

class FrameQueue final : private FollowListener {
public:
    struct Wishes {
        UniqueFunction<void()> on_more;  // there is something to take
        // Once when it is known that frames will come, if they do; and with an Error once when none
        // will come any more.
        UniqueFunction<void(Result<void>)> on_standing;
    };

    FrameQueue(Link& link, FollowRequest request, Wishes wishes);

    std::vector<Frame> take(std::size_t max);

private:
    void on_frames(std::span<const Frame> frames) override;
    void on_state(State state, const std::optional<Error>& why) override;

    Wishes wishes_;
    std::deque<Frame> waiting_;
    bool is_paused_ = false;
    bool is_standing_ = false;
    std::unique_ptr<Following> following_;
};

}  // namespace parley::program
