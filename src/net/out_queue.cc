// SPDX-License-Identifier: Apache-2.0
#include "net/out_queue.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/sizes.h"
#include "net/limits.h"

namespace parley::net {

void OutQueue::copy(std::string_view bytes) {
    copied_.append(bytes);
    grown(bytes.size());
}

void OutQueue::grown(std::size_t bytes) {
    if (bytes == 0) return;
    bytes_ += bytes;
    held_ += bytes;
    if (first_ < segments_.size() && segments_.back().data == nullptr) {
        segments_.back().size += bytes;
    } else {
        segments_.push_back({.owner = {}, .size = bytes});
    }
}

void OutQueue::share(SharedText owner, std::string_view part) {
    if (part.empty()) return;
    push({.owner = std::move(owner), .data = part.data(), .size = part.size()});
}

void OutQueue::body(Body body) {
    if (body.size() <= limits::kCopiedBytes) return copy(body.view());
    std::size_t owned = 0;
    if (!body.shared_ && body.literal_.empty()) {
        body.shared_ = std::make_shared<const std::string>(std::move(body.own_));
        owned = body.shared_->capacity();
    }
    const std::string_view view = body.view();
    push({.owner = std::move(body.shared_),
          .data = view.data(),
          .size = view.size(),
          .owned = owned});
}

void OutQueue::push(Segment segment) {
    bytes_ += segment.size;
    held_ += segment.owned > 0 ? segment.owned : segment.size;
    segments_.push_back(std::move(segment));
}

std::size_t OutQueue::gather(std::span<iovec> parts) const {
    std::size_t filled = 0;
    std::size_t copied_at = copied_start_;
    for (std::size_t i = first_; i < segments_.size() && filled < parts.size(); ++i) {
        const Segment& segment = segments_[i];
        const char* data = segment.data;
        if (data == nullptr) {
            data = copied_.data() + copied_at;
            copied_at += segment.size;
        }
        // sendmsg only reads through the pointer.
        parts[filled++] = {.iov_base = const_cast<char*>(data), .iov_len = segment.size};
    }
    return filled;
}

void OutQueue::consume(std::size_t bytes) {
    ASSERT(bytes <= bytes_);
    bytes_ -= bytes;
    while (bytes > 0) {
        Segment& segment = segments_[first_];
        const std::size_t taken = std::min(bytes, segment.size);
        bytes -= taken;
        segment.size -= taken;
        if (segment.owned == 0) held_ -= taken;
        if (segment.data == nullptr) {
            copied_start_ += taken;
        } else {
            segment.data += taken;
        }
        if (segment.size > 0) break;
        segment.owner.reset();
        held_ -= segment.owned;
        ++first_;
    }
    if (bytes_ == 0) return clear();
    // A queue that is never empty must not keep what it has sent.
    if (first_ > 64 && first_ * 2 > segments_.size()) {
        segments_.erase(segments_.begin(), segments_.begin() + static_cast<std::ptrdiff_t>(first_));
        first_ = 0;
    }
    if (copied_start_ > limits::kCopiedBytes && copied_start_ * 2 > copied_.size()) {
        copied_.erase(0, copied_start_);
        copied_start_ = 0;
    }
}

void OutQueue::clear() {
    segments_.clear();
    first_ = 0;
    copied_.clear();
    copied_start_ = 0;
    bytes_ = 0;
    held_ = 0;
}

void OutQueue::release_if_empty() {
    if (!empty()) return;
    if (copied_.capacity() > limits::kIdleQueueBytes) std::string().swap(copied_);
    if (segments_.capacity() > 4) std::vector<Segment>().swap(segments_);
}

}  // namespace parley::net
