// SPDX-License-Identifier: Apache-2.0
#include "term/tty.h"

#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace parley {

bool is_tty(int fd) {
    return ::isatty(fd) == 1;
}

std::optional<TtySize> tty_size(int fd) {
    winsize size = {};
    if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
        return std::nullopt;
    return TtySize{.columns = size.ws_col, .rows = size.ws_row};
}

bool discard_typed(int fd) {
    termios mode = {};
    if (::tcgetattr(fd, &mode) != 0) return false;
    // A terminal that gives whole lines counts those alone.
    termios by_key = mode;
    by_key.c_lflag &= ~static_cast<tcflag_t>(ICANON);
    const bool gives_lines = (mode.c_lflag & ICANON) != 0;
    if (gives_lines) (void)::tcsetattr(fd, TCSANOW, &by_key);
    int count = 0;
    (void)::ioctl(fd, FIONREAD, &count);
    (void)::tcflush(fd, TCIFLUSH);
    if (gives_lines) (void)::tcsetattr(fd, TCSANOW, &mode);
    return count > 0;
}

}  // namespace parley
