// SPDX-License-Identifier: Apache-2.0
#include "net/child.h"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/sizes.h"
#include "net/child_spawn.h"
#include "net/limits.h"

namespace parley::net {

namespace {

using Pipe = asio::posix::stream_descriptor;

std::unique_ptr<Pipe> open_pipe(Loop& loop, int descriptor) {
    if (descriptor < 0) return nullptr;
    return std::make_unique<Pipe>(loop.context(), descriptor);
}

// The reading end of a pipe, by lines.
struct LineReader {
    std::unique_ptr<Pipe> pipe;
    std::size_t line_bytes_max = 0;
    std::string buffer = {};
    std::size_t seen = 0;  // bytes of the buffer known to hold no line break
    bool ended = false;

    std::optional<std::string> take_line() {
        const std::size_t end = buffer.find('\n', seen);
        if (end == std::string::npos) {
            seen = buffer.size();
            if (!ended || buffer.empty()) return std::nullopt;
            seen = 0;
            return std::exchange(buffer, {});
        }
        std::string line = buffer.substr(0, end);
        buffer.erase(0, end + 1);
        seen = 0;
        return line;
    }

    // False when the descriptor has nothing now.
    bool read_some() {
        std::array<char, limits::kPeerReadBytes> room;
        const ssize_t got = ::read(pipe->native_handle(), room.data(), room.size());
        if (got > 0) {
            buffer.append(room.data(), static_cast<std::size_t>(got));
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            ended = true;
        }
        return got >= 0 || errno != EAGAIN;
    }
};

}  // namespace

struct Child::State : std::enable_shared_from_this<Child::State> {
    State(Loop& owner, const Spawned& spawned, const ChildOptions& options)
        : loop(owner),
          pid(spawned.pid),
          process(open_pipe(owner, spawned.pidfd)),
          input(open_pipe(owner, spawned.input)),
          output{.pipe = open_pipe(owner, spawned.output),
                 .line_bytes_max = options.line_bytes_max},
          errors{.pipe = open_pipe(owner, spawned.errors),
                 .line_bytes_max = options.line_bytes_max} {}

    void watch() {
        process->async_wait(Pipe::wait_read,
                            [self = shared_from_this()](boost::system::error_code error) {
                                if (!error) self->on_exit();
                            });
    }

    void on_exit() {
        siginfo_t info{};
        // The zombie still holds the group's id, so that the signal cannot reach a stranger.
        if (stopping) ::kill(-pid, SIGKILL);
        ::waitid(P_PIDFD, static_cast<id_t>(process->native_handle()), &info, WEXITED);
        status = info.si_code == CLD_EXITED ? ExitStatus{.code = info.si_status}
                                            : ExitStatus{.code = 0, .signal = info.si_status};
        process.reset();
        for (auto& waiter : std::exchange(waiters, {})) waiter(*status);
    }

    static Co<Result<std::optional<std::string>>> read_line(std::shared_ptr<State> self,
                                                            LineReader* reader) {
        ASSERT(reader->pipe != nullptr);
        while (true) {
            if (auto line = reader->take_line()) co_return line;
            if (reader->ended) co_return std::optional<std::string>();
            if (reader->buffer.size() > reader->line_bytes_max) {
                co_return reject(ErrorCode::too_large, "process {} wrote a line of over {} bytes",
                                 self->pid, reader->line_bytes_max);
            }
            if (reader->read_some()) continue;
            const auto [error] = co_await reader->pipe->async_wait(Pipe::wait_read, kUseCo);
            if (error) co_return reject(ErrorCode::interrupted, "reading was given up");
        }
    }

    Loop& loop;
    pid_t pid;
    std::unique_ptr<Pipe> process;  // its pidfd; none once it has ended
    std::unique_ptr<Pipe> input;
    LineReader output;
    LineReader errors;
    std::optional<ExitStatus> status;
    std::vector<UniqueFunction<void(ExitStatus)>> waiters;
    bool stopping = false;
};

std::string ExitStatus::str() const {
    if (signal == 0) return fmt::format("exit status {}", code);
    return fmt::format("killed by signal {} ({})", signal, ::sigdescr_np(signal));
}

Result<Child> Child::spawn(Loop& loop, ChildOptions options) {
    TRY(spawned, spawn_process(options));
    auto state = std::make_shared<State>(loop, spawned, options);
    state->watch();
    return Child(std::move(state));
}

Child::Child(std::shared_ptr<State> state) : state_(std::move(state)) {}
Child::Child(Child&&) noexcept = default;

Child& Child::operator=(Child&& other) noexcept {
    if (this != &other) {
        if (state_ && is_running()) terminate(Millis(0));
        state_ = std::move(other.state_);
    }
    return *this;
}

Child::~Child() {
    if (!state_ || !is_running()) return;
    state_->stopping = true;
    ::kill(-state_->pid, SIGKILL);
}

bool Child::is_running() const {
    return !state_->status.has_value();
}

Co<Result<std::optional<std::string>>> Child::read_line() {
    return State::read_line(state_, &state_->output);
}

Co<Result<std::optional<std::string>>> Child::read_error_line() {
    return State::read_line(state_, &state_->errors);
}

Co<Result<void>> Child::write(std::string bytes) {
    const auto state = state_;
    std::string_view rest = bytes;
    while (!rest.empty()) {
        if (!state->input) co_return reject(ErrorCode::unavailable, "the input is closed");
        const ssize_t put = ::write(state->input->native_handle(), rest.data(), rest.size());
        if (put >= 0) {
            rest.remove_prefix(static_cast<std::size_t>(put));
            continue;
        }
        if (errno == EINTR) continue;
        if (errno != EAGAIN) {
            co_return reject(ErrorCode::unavailable, "process {} reads no more: {}", state->pid,
                             std::strerror(errno));
        }
        const auto [error] = co_await state->input->async_wait(Pipe::wait_write, kUseCo);
        if (error) co_return reject(ErrorCode::interrupted, "writing was given up");
    }
    co_return Result<void>{};
}

void Child::close_input() {
    state_->input.reset();
}

Co<ExitStatus> Child::wait() {
    const auto state = state_;
    if (state->status) co_return *state->status;
    co_return co_await await_callback<ExitStatus>([state](UniqueFunction<void(ExitStatus)> done) {
        state->waiters.push_back(std::move(done));
    });
}

void Child::terminate(Millis grace) {
    if (!is_running()) return;
    state_->stopping = true;
    ::kill(-state_->pid, grace.count() > 0 ? SIGTERM : SIGKILL);
    const std::weak_ptr<State> weak = state_;
    state_->loop.post_at(state_->loop.now() + grace, [weak] {
        const auto state = weak.lock();
        if (state && !state->status) ::kill(-state->pid, SIGKILL);
    });
}

}  // namespace parley::net
