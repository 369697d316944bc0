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

void discard_typed(int fd) {
    if (is_tty(fd)) (void)::tcflush(fd, TCIFLUSH);
}

}  // namespace parley
