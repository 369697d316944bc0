// SPDX-License-Identifier: Apache-2.0
#include "net/readable_watch.h"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <fcntl.h>

#include <utility>

namespace parley::net {

struct ReadableWatch::State : std::enable_shared_from_this<State> {
    State(Loop& loop, UniqueFunction<void()> call)
        : descriptor(loop.context()), readable(std::move(call)) {}

    void wait() {
        descriptor.async_wait(asio::posix::stream_descriptor::wait_read,
                              [self = shared_from_this()](boost::system::error_code error) {
                                  if (error || !self->is_wanted) return;
                                  self->readable();
                                  if (self->is_wanted) self->wait();
                              });
    }

    asio::posix::stream_descriptor descriptor;
    UniqueFunction<void()> readable;
    bool is_wanted = true;
};

ReadableWatch::ReadableWatch(Loop& loop, int fd, UniqueFunction<void()> readable)
    : state_(std::make_shared<State>(loop, std::move(readable))) {
    boost::system::error_code error;
    state_->descriptor.assign(fd, error);
    if (!error) {
        const int flags = ::fcntl(fd, F_GETFL);
        state_->wait();
        // Asio has made it nonblocking, once; it is only waited for here, and others share it.
        if (flags >= 0) (void)::fcntl(fd, F_SETFL, flags);
        return;
    }
    // What cannot be watched (a plain file) can always be read.
    loop.post([state = std::weak_ptr(state_)] {
        if (const auto alive = state.lock()) alive->readable();
    });
}

ReadableWatch::~ReadableWatch() {
    state_->is_wanted = false;
    if (state_->descriptor.is_open()) (void)state_->descriptor.release();
}

}  // namespace parley::net
