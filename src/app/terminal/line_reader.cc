// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/line_reader.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <utility>

#include "base/assert.h"

namespace parley::app {

// What the reading thread works on. It shares nothing with the owner but the way to stop it.
class LineReader::Source {
public:
    Source(int fd, std::size_t line_bytes_max)
        : fd_(fd), line_bytes_max_(line_bytes_max), stop_fd_(::eventfd(0, EFD_CLOEXEC)) {
        ASSERT(stop_fd_ >= 0);
    }
    ~Source() { ::close(stop_fd_); }
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;

    // Any thread.
    void stop() {
        is_stopped_ = true;
        const std::uint64_t one = 1;
        (void)!::write(stop_fd_, &one, sizeof one);
    }
    bool is_stopped() const { return is_stopped_; }

    std::optional<std::string> read_line() {
        std::string line;
        while (true) {
            const std::size_t end = buffer_.find('\n');
            const std::size_t room = line_bytes_max_ - line.size();
            line.append(buffer_, 0, std::min({end, room, buffer_.size()}));
            if (end != std::string::npos) {
                buffer_.erase(0, end + 1);
                return line;
            }
            buffer_.clear();
            if (!fill()) break;
        }
        // A last line without a newline is a line.
        if (line.empty()) return std::nullopt;
        return line;
    }

private:
    // False at the end of the input, on an error, or when stopped.
    bool fill() {
        std::array<pollfd, 2> watched = {pollfd{fd_, POLLIN, 0}, pollfd{stop_fd_, POLLIN, 0}};
        while (::poll(watched.data(), watched.size(), -1) < 0)
            if (errno != EINTR) return false;
        if (is_stopped_) return false;
        std::array<char, 4096> chunk = {};
        ssize_t count = 0;
        do {
            count = ::read(fd_, chunk.data(), chunk.size());
        } while (count < 0 && errno == EINTR);
        if (count <= 0) return false;
        buffer_.assign(chunk.data(), static_cast<std::size_t>(count));
        return true;
    }

    const int fd_;
    const std::size_t line_bytes_max_;
    const int stop_fd_;
    std::atomic<bool> is_stopped_ = false;
    std::string buffer_;  // read, and not yet part of a line
};

LineReader::LineReader(int fd, Executor& home, std::size_t line_bytes_max)
    : home_(home), source_(std::make_shared<Source>(fd, line_bytes_max)) {}

LineReader::~LineReader() {
    source_->stop();
}

void LineReader::next(GotLine got) {
    thread_.post([&home = home_, source = source_, got = std::move(got)]() mutable {
        auto line = source->read_line();
        home.post([source, got = std::move(got), line = std::move(line)]() mutable {
            if (!source->is_stopped()) got(std::move(line));
        });
    });
}

}  // namespace parley::app
