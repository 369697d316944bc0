// SPDX-License-Identifier: Apache-2.0
#include "door/sliced_reply.h"

#include <utility>

#include "door/limits.h"

namespace parley {

bool SlicedReply::is_full() const {
    return text_.size() >= limits::kReplySliceBytes;
}

net::Co<bool> SlicedReply::pause() {
    if (!is_full()) co_return true;
    if (!std::exchange(is_streaming_, true)) {
        net::StreamOptions options{.content_type = net::kJson};
        options.queue_bytes_max = limits::kReplySliceBytes + limits::kEventBytes;
        stream_ = exchange_.start_stream(std::move(options));
    }
    if (!stream_.is_open() || !stream_.send(std::exchange(text_, {}))) co_return false;
    co_return co_await stream_.drained();
}

void SlicedReply::finish() {
    if (!is_streaming_) {
        exchange_.respond({.content_type = net::kJson, .body = net::Body(std::move(text_))});
        return;
    }
    if (!stream_.is_open()) return;
    stream_.send(text_);
    stream_.end();
}

void SlicedReply::abort() {
    if (stream_.is_open()) stream_.abort();
}

}  // namespace parley
