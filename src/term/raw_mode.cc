// SPDX-License-Identifier: Apache-2.0
#include "term/raw_mode.h"

#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/assert.h"

namespace parley {

struct RawMode::Saved {
    termios before = {};
    std::array<struct sigaction, 6> actions = {};
};

namespace {

constexpr std::array kFatal = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGQUIT};

// What a handler of a fatal signal may read: plain data, complete before the pointer is set.
struct Restoration {
    int in = -1;
    int out = -1;
    termios before = {};
    const char* off = nullptr;
    std::size_t off_bytes = 0;
};
Restoration restoration;
std::atomic<bool> is_armed = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void write_all(int fd, const char* bytes, std::size_t count) {
    while (count > 0) {
        const ssize_t written = ::write(fd, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        bytes += written;
        count -= static_cast<std::size_t>(written);
    }
}

// Async-signal-safe. The handler was reset when it ran, so the signal ends the process now.
void restore_and_die(int signal) {
    if (is_armed.exchange(false)) {
        write_all(restoration.out, restoration.off, restoration.off_bytes);
        (void)::tcsetattr(restoration.in, TCSANOW, &restoration.before);
    }
    (void)::raise(signal);
}

}  // namespace

RawMode::RawMode(Options options)
    : options_(std::move(options)), saved_(std::make_unique<Saved>()) {}

Result<std::unique_ptr<RawMode>> RawMode::enter(Options options) {
    ASSERT(!is_armed);
    std::unique_ptr<RawMode> mode(new RawMode(std::move(options)));
    if (::tcgetattr(mode->options_.in, &mode->saved_->before) != 0)
        return reject(ErrorCode::unavailable, "the terminal cannot be read: {}",
                      std::strerror(errno));
    struct sigaction action = {};
    action.sa_handler = restore_and_die;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
    for (std::size_t i = 0; i < kFatal.size(); ++i)
        (void)::sigaction(kFatal[i], &action, &mode->saved_->actions[i]);
    restoration = {.in = mode->options_.in,
                   .out = mode->options_.out,
                   .before = mode->saved_->before,
                   .off = mode->options_.off.data(),
                   .off_bytes = mode->options_.off.size()};
    mode->enter_again();
    return mode;
}

RawMode::~RawMode() {
    leave();
    for (std::size_t i = 0; i < kFatal.size(); ++i)
        (void)::sigaction(kFatal[i], &saved_->actions[i], nullptr);
}

void RawMode::enter_again() {
    termios raw = saved_->before;
    raw.c_iflag &= ~static_cast<tcflag_t>(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON);
    raw.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | IEXTEN | ISIG);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    // What was typed before does not answer what it has not seen: it is dropped.
    (void)::tcsetattr(options_.in, TCSAFLUSH, &raw);
    is_armed = true;
    if (!std::exchange(is_raw_, true))
        write_all(options_.out, options_.on.data(), options_.on.size());
}

void RawMode::leave() {
    if (!std::exchange(is_raw_, false)) return;
    write_all(options_.out, options_.off.data(), options_.off.size());
    (void)::tcsetattr(options_.in, TCSADRAIN, &saved_->before);
    is_armed = false;
}

}  // namespace parley
