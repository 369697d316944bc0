// SPDX-License-Identifier: Apache-2.0
#include "client/program/frame_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "broker/limits.h"

namespace parley::program {

FrameQueue::FrameQueue(Link& link, FollowRequest request, Wishes wishes)
    : wishes_(std::move(wishes)), following_(link.follow(std::move(request), *this)) {}

std::vector<Frame> FrameQueue::take(std::size_t max) {
    const auto count = std::min(max, waiting_.size());
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<Frame> frames(std::make_move_iterator(waiting_.begin()),
                              std::make_move_iterator(end));
    waiting_.erase(waiting_.begin(), end);
    if (waiting_.empty() && std::exchange(is_paused_, false)) following_->resume();
    return frames;
}

void FrameQueue::on_frames(std::span<const Frame> frames) {
    waiting_.insert(waiting_.end(), frames.begin(), frames.end());
    // A link that was paused inside a snapshot would begin it again, and never come to its end.
    if (waiting_.size() >= limits::kFollowFramesAtOnce &&
        !following_->resume_point().is_inside_snapshot()) {
        is_paused_ = true;
        following_->pause();
    }
    wishes_.on_more();
}

void FrameQueue::on_state(State state, const std::optional<Error>& why) {
    if (state == State::ended) return wishes_.on_standing(reject(*why));
    if (!std::exchange(is_standing_, true)) wishes_.on_standing({});
}

}  // namespace parley::program
