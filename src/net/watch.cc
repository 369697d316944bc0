// SPDX-License-Identifier: Apache-2.0
#include "net/watch.h"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

namespace parley::net {

struct ProcessWatch::State {
    using Descriptor = asio::posix::stream_descriptor;

    State(Loop& loop, int fd) : descriptor(loop.context(), fd), flags(::fcntl(fd, F_GETFL)) {}
    // Waiting may have made the descriptor non-blocking, for everybody who shares it.
    ~State() { ::fcntl(descriptor.native_handle(), F_SETFL, flags); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    static void wait(const std::shared_ptr<State>& state, Descriptor::wait_type type, Task gone) {
        state->descriptor.async_wait(
            type, [gone = std::move(gone)](boost::system::error_code error) mutable {
                if (!error) gone();
            });
    }

    Descriptor descriptor;
    int flags;
};

ProcessWatch ProcessWatch::process(Loop& loop, pid_t pid, Task gone) {
    const int fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    if (fd < 0) {
        loop.post(std::move(gone));
        return {};
    }
    auto state = std::make_shared<State>(loop, fd);
    State::wait(state, State::Descriptor::wait_read, std::move(gone));
    return ProcessWatch(std::move(state));
}

ProcessWatch ProcessWatch::reader(Loop& loop, int fd, Task gone) {
    struct stat status{};
    if (::fstat(fd, &status) != 0 || !(S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)))
        return {};
    // A descriptor of our own: closing it must not close the caller's.
    const int own = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0) return {};
    auto state = std::make_shared<State>(loop, own);
    // The system reports a broken pipe whatever it was asked to look for.
    State::wait(state, State::Descriptor::wait_error, std::move(gone));
    return ProcessWatch(std::move(state));
}

}  // namespace parley::net
